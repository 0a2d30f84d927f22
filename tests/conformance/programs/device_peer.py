"""Peer access of a device to itself and to devices that do not exist."""

from _show import call
from cuda.bindings import driver, runtime

driver.cuInit(0)
call(driver.cuDeviceCanAccessPeer, 0, 0, values=True)
call(driver.cuDeviceCanAccessPeer, 0, 99, note="no such")
attribute = driver.CUdevice_P2PAttribute
for name in ("PERFORMANCE_RANK", "ACCESS_SUPPORTED", "NATIVE_ATOMIC_SUPPORTED"):
    call(driver.cuDeviceGetP2PAttribute, getattr(attribute, f"CU_DEVICE_P2P_ATTRIBUTE_{name}"), 0, 0, note=name)
call(driver.cuDeviceGetP2PAttribute, attribute.CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 0, 99, note="no such")
context = driver.cuDevicePrimaryCtxRetain(0)[1]
driver.cuCtxSetCurrent(context)
call(driver.cuCtxEnablePeerAccess, context, 0, note="self")
call(driver.cuCtxDisablePeerAccess, context, note="self")
call(driver.cuCtxEnablePeerAccess, 0, 0, note="null")
call(runtime.cudaDeviceCanAccessPeer, 0, 0, values=True)
call(runtime.cudaDeviceCanAccessPeer, 0, 99, note="no such")
call(runtime.cudaDeviceEnablePeerAccess, 0, 0, note="self")
call(runtime.cudaDeviceEnablePeerAccess, 99, 0, note="no such")
call(runtime.cudaDeviceDisablePeerAccess, 0, note="self")
call(runtime.cudaDeviceGetP2PAttribute, runtime.cudaDeviceP2PAttr.cudaDevP2PAttrAccessSupported, 0, 0, note="self")
