"""Names and texts of the runtime's errors, and the last error of a thread."""

import threading

from _show import call, show
from cuda.bindings import driver, runtime

for member in runtime.cudaError_t:
    if int(member) in (0, 1, 2, 3, 4, 5, 9, 12, 13, 16, 17, 18, 20, 21, 22, 26, 34, 35, 36, 46, 52, 98, 100, 101, 200,
                       201, 205, 206, 208, 209, 211, 214, 215, 216, 217, 218, 300, 301, 304, 400, 401, 500, 600, 700,
                       701, 702, 704, 705, 708, 709, 710, 712, 713, 716, 717, 719, 720, 800, 801, 900, 901, 902, 903,
                       904, 905, 906, 907, 908, 910, 911, 999):  # fmt: skip
        call(runtime.cudaGetErrorName, member, note=str(int(member)), values=True)
        call(runtime.cudaGetErrorString, member, note=str(int(member)), values=True)
call(runtime.cudaGetErrorName, 1, note="int", values=True)
call(runtime.cudaGetErrorName, 5000, note="no such", values=True)
call(runtime.cudaGetErrorString, 5000, note="no such", values=True)
call(runtime.cudaGetErrorName, "1", note="str")
call(runtime.cudaGetLastError, note="at the start")
call(runtime.cudaSetDevice, 99)
call(runtime.cudaPeekAtLastError)
call(runtime.cudaGetDevice, note="a success between", values=True)
call(runtime.cudaGetLastError)
call(runtime.cudaGetLastError, note="again")
runtime.cudaSetDevice(99)
other = threading.Thread(target=lambda: call(runtime.cudaPeekAtLastError, note="another thread"))
other.start()
other.join()
call(runtime.cudaGetLastError, note="this thread")
driver.cuInit(0)
call(driver.cuDeviceGet, 99)
call(runtime.cudaPeekAtLastError, note="after a driver failure")
show("equal across modules", runtime.cudaError_t.cudaSuccess == driver.CUresult.CUDA_SUCCESS)
show("no alias", hasattr(runtime, "cudaError"))
