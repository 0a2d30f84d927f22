"""Attributes of streams, and memory attached to them."""

from _device import context
from _show import call, fields
from cuda.bindings import driver, runtime

context()
attribute = driver.CUstreamAttrID
stream = driver.cuStreamCreate(0)[1]
other = driver.cuStreamCreate(0)[1]
call(driver.cuStreamGetAttribute, stream, attribute.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)
value = driver.CUstreamAttrValue()
value.syncPolicy = driver.CUsynchronizationPolicy.CU_SYNC_POLICY_YIELD
call(driver.cuStreamSetAttribute, stream, attribute.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, value)
fields(
    "after", driver.cuStreamGetAttribute(stream, attribute.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)[1], "syncPolicy"
)
call(driver.cuStreamCopyAttributes, other, stream)
fields(
    "copied", driver.cuStreamGetAttribute(other, attribute.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)[1], "syncPolicy"
)
call(driver.cuStreamGetAttribute, stream, attribute.CU_LAUNCH_ATTRIBUTE_COOPERATIVE, note="of launches only")
managed = driver.cuMemAllocManaged(4096, 1)[1]
call(driver.cuStreamAttachMemAsync, stream, managed, 4096, driver.CUmemAttach_flags.CU_MEM_ATTACH_SINGLE)
call(driver.cuStreamAttachMemAsync, stream, managed, 4096, 77, note="bad flags")
call(driver.cuStreamSynchronize, stream)
call(runtime.cudaStreamGetAttribute, stream, runtime.cudaStreamAttrID.cudaLaunchAttributeSynchronizationPolicy)
call(runtime.cudaStreamCopyAttributes, other, stream)
call(runtime.cudaStreamAttachMemAsync, stream, int(managed), 4096, runtime.cudaMemAttachGlobal)
