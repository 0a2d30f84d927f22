"""Memory and semaphores of other interfaces, and the calls that are refused."""

from _device import context
from _show import call, fields
from cuda.bindings import driver, runtime

context()
wanted = driver.CUDA_EXTERNAL_MEMORY_HANDLE_DESC()
wanted.type = driver.CUexternalMemoryHandleType.CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD
wanted.handle.fd = 9999
wanted.size = 4096
fields("wanted", wanted, "type", "handle.fd", "size", "flags")
call(driver.cuImportExternalMemory, wanted, note="no such file")
call(driver.cuImportExternalMemory, driver.CUDA_EXTERNAL_MEMORY_HANDLE_DESC(), note="empty")
call(driver.cuImportExternalMemory, None, note="None")
semaphore = driver.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC()
semaphore.type = driver.CUexternalSemaphoreHandleType.CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD
semaphore.handle.fd = 9999
call(driver.cuImportExternalSemaphore, semaphore, note="no such file")
call(driver.cuImportExternalSemaphore, 5, note="int")
again = runtime.cudaExternalMemoryHandleDesc()
again.type = runtime.cudaExternalMemoryHandleType.cudaExternalMemoryHandleTypeOpaqueFd
again.handle.fd = 9999
call(runtime.cudaImportExternalMemory, again, note="no such file")
call(driver.cuSignalExternalSemaphoresAsync, [], [], 0, 0, note="nothing")
