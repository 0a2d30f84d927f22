"""The properties of a device: their names and types."""

from _show import call, fields, show
from cuda.bindings import runtime

properties = call(runtime.cudaGetDeviceProperties, 0)
fields(
    "properties", properties, "name", "totalGlobalMem", "sharedMemPerBlock", "regsPerBlock", "warpSize", "memPitch",
    "maxThreadsPerBlock", "maxThreadsDim", "maxGridSize", "totalConstMem", "major", "minor", "textureAlignment",
    "texturePitchAlignment", "multiProcessorCount", "integrated", "canMapHostMemory", "maxTexture1D", "maxTexture2D",
    "maxTexture3D", "maxTexture2DLayered", "surfaceAlignment", "concurrentKernels", "ECCEnabled", "pciBusID",
    "pciDeviceID", "pciDomainID", "tccDriver", "asyncEngineCount", "unifiedAddressing", "memoryBusWidth",
    "l2CacheSize", "persistingL2CacheMaxSize", "maxThreadsPerMultiProcessor", "streamPrioritiesSupported",
    "globalL1CacheSupported", "localL1CacheSupported", "sharedMemPerMultiprocessor", "regsPerMultiprocessor",
    "managedMemory", "isMultiGpuBoard", "hostNativeAtomicSupported", "pageableMemoryAccess",
    "concurrentManagedAccess", "cooperativeLaunch", "sharedMemPerBlockOptin", "memoryPoolsSupported",
    "clusterLaunch", "uuid", "luid", "luidDeviceNodeMask", "clockRate", "computeMode", "noSuchMember",
)  # fmt: skip
fields("values", properties, "warpSize", "maxThreadsPerBlock", "unifiedAddressing", "canMapHostMemory", values=True)
show("uuid length", len(properties.uuid.bytes))
show("name has no NUL", b"\0" not in properties.name)
call(runtime.cudaGetDeviceProperties, 99, note="no such")
call(runtime.cudaGetDeviceProperties, -1, note="negative")
call(runtime.cudaChooseDevice, properties, values=True)
call(runtime.cudaChooseDevice, runtime.cudaDeviceProp(), note="empty", values=True)
call(runtime.cudaChooseDevice, None, note="None")
call(runtime.cudaChooseDevice, 5, note="int")
