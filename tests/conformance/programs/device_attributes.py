"""Device attributes through the driver, by enum and by number."""

from _show import call
from cuda.bindings import driver

attribute = driver.CUdevice_attribute
driver.cuInit(0)
for name in [
    "MAX_THREADS_PER_BLOCK",
    "MAX_BLOCK_DIM_X",
    "MAX_BLOCK_DIM_Y",
    "MAX_BLOCK_DIM_Z",
    "WARP_SIZE",
    "UNIFIED_ADDRESSING",
    "MANAGED_MEMORY",
    "CONCURRENT_KERNELS",
    "CAN_MAP_HOST_MEMORY",
    "MEMORY_POOLS_SUPPORTED",
    "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED",
    "COOPERATIVE_LAUNCH",
    "STREAM_PRIORITIES_SUPPORTED",
    "TEXTURE_ALIGNMENT",
    "MAX_REGISTERS_PER_BLOCK",
    "GPU_OVERLAP",
    "INTEGRATED",
]:
    call(driver.cuDeviceGetAttribute, getattr(attribute, f"CU_DEVICE_ATTRIBUTE_{name}"), 0, note=name)
for name in [
    "MAX_GRID_DIM_X",
    "MAX_GRID_DIM_Y",
    "MAX_GRID_DIM_Z",
    "MAX_SHARED_MEMORY_PER_BLOCK",
    "TOTAL_CONSTANT_MEMORY",
    "MAX_PITCH",
    "CLOCK_RATE",
    "MULTIPROCESSOR_COUNT",
    "COMPUTE_MODE",
    "MAXIMUM_TEXTURE1D_WIDTH",
    "MAXIMUM_TEXTURE2D_WIDTH",
    "MAXIMUM_TEXTURE2D_HEIGHT",
    "MAXIMUM_TEXTURE3D_DEPTH",
    "ECC_ENABLED",
    "PCI_BUS_ID",
    "PCI_DEVICE_ID",
    "PCI_DOMAIN_ID",
    "TCC_DRIVER",
    "MEMORY_CLOCK_RATE",
    "GLOBAL_MEMORY_BUS_WIDTH",
    "L2_CACHE_SIZE",
    "MAX_THREADS_PER_MULTIPROCESSOR",
    "ASYNC_ENGINE_COUNT",
    "COMPUTE_CAPABILITY_MAJOR",
    "COMPUTE_CAPABILITY_MINOR",
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "MAX_REGISTERS_PER_MULTIPROCESSOR",
    "MULTI_GPU_BOARD",
    "PAGEABLE_MEMORY_ACCESS",
    "CONCURRENT_MANAGED_ACCESS",
    "COMPUTE_PREEMPTION_SUPPORTED",
    "CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM",
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "HOST_REGISTER_SUPPORTED",
    "DIRECT_MANAGED_MEM_ACCESS_FROM_HOST",
    "MAX_BLOCKS_PER_MULTIPROCESSOR",
    "MAX_PERSISTING_L2_CACHE_SIZE",
    "MEMPOOL_SUPPORTED_HANDLE_TYPES",
    "CLUSTER_LAUNCH",
    "NUMA_ID",
    "READ_ONLY_HOST_REGISTER_SUPPORTED",
    "GPU_DIRECT_RDMA_SUPPORTED",
]:
    call(driver.cuDeviceGetAttribute, getattr(attribute, f"CU_DEVICE_ATTRIBUTE_{name}"), 0, note=name)
for name in (
    "UNIFIED_ADDRESSING",
    "CAN_MAP_HOST_MEMORY",
    "MANAGED_MEMORY",
    "MEMORY_POOLS_SUPPORTED",
    "MAX_THREADS_PER_BLOCK",
):
    call(
        driver.cuDeviceGetAttribute,
        getattr(attribute, f"CU_DEVICE_ATTRIBUTE_{name}"),
        0,
        note=f"{name} value",
        values=True,
    )
call(driver.cuDeviceGetAttribute, 1, 0, note="int", values=True)
call(
    driver.cuDeviceGetAttribute,
    attrib=attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE,
    dev=driver.CUdevice(0),
    note="keywords",
    values=True,
)
call(driver.cuDeviceGetAttribute, attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99, note="no such device")
call(driver.cuDeviceGetAttribute, attribute.CU_DEVICE_ATTRIBUTE_MAX, 0, note="MAX")
call(driver.cuDeviceGetAttribute, 0, 0, note="zero")
call(driver.cuDeviceGetAttribute, 100000, 0, note="no such attribute")
call(driver.cuDeviceGetAttribute, "WARP_SIZE", 0, note="str")
call(driver.cuDeviceGetAttribute, None, 0, note="None")
