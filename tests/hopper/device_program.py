"""Print the device's compute capability, and attributes that depend on it."""

from __future__ import annotations

from cuda.bindings import driver, runtime

assert not int(driver.cuInit(0)[0])
attribute = driver.CUdevice_attribute


def value(name: str) -> int:
    """The value of an attribute."""
    status, number = driver.cuDeviceGetAttribute(getattr(attribute, f"CU_DEVICE_ATTRIBUTE_{name}"), 0)
    assert not int(status), status
    return int(number)


status, properties = runtime.cudaGetDeviceProperties(0)
assert not int(status), status
print(f"{properties.major}.{properties.minor}", properties.sharedMemPerBlockOptin)
print(value("CLUSTER_LAUNCH"), value("TENSOR_MAP_ACCESS_SUPPORTED"))
print(10 * value("COMPUTE_CAPABILITY_MAJOR") + value("COMPUTE_CAPABILITY_MINOR"))
