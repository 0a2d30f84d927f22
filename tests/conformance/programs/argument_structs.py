"""Structs: members, nested views, arrays, and refused values."""

from _show import kind, show
from cuda.bindings import driver, runtime

props = driver.CUmemPoolProps()
props.location.id = 3
show("nested view", props.location.id)
place = driver.CUmemLocation()
place.id = 5
props.location = place
place.id = 6
show("assigned by value", props.location.id)
kind("enum of zero", lambda: props.allocType)
show("unknown member", lambda: props.missing)
show("unknown member set", lambda: setattr(props, "missing", 1))
show("enum str", lambda: setattr(props, "allocType", "x"))
show("number str", lambda: setattr(props, "maxSize", "x"))
show("number negative", lambda: setattr(props, "maxSize", -1))
props.maxSize = 7.9
show("number float", props.maxSize)
wanted = driver.CUDA_TEXTURE_DESC()
wanted.borderColor = [1, 2, 3, 4]
show("array", wanted.borderColor)
wanted.borderColor[0] = 9
show("array element", wanted.borderColor)
show("array short", lambda: setattr(wanted, "borderColor", [1]))
show("array long", lambda: setattr(wanted, "borderColor", [1, 2, 3, 4, 5]))
config = driver.CUlaunchConfig()
config.hStream = 5
show("handle member", int(config.hStream))
show("handle repr", repr(config.hStream))
config.hStream = driver.CUstream(6)
show("handle member", int(config.hStream))
show("handle str", lambda: setattr(config, "hStream", "x"))
extent = runtime.make_cudaExtent(1, 2, 3)
show("repr", repr(extent))
show("equal", extent == runtime.make_cudaExtent(1, 2, 3))
show("positional", lambda: runtime.cudaExtent(1, 2, 3))
show(
    "sizes",
    [
        driver.sizeof(driver.CUDA_MEMCPY2D),
        driver.sizeof(driver.CUlaunchConfig),
        runtime.sizeof(runtime.cudaExtent),
        runtime.sizeof(runtime.cudaMemcpy3DParms),
    ],
)
kind("getPtr", extent.getPtr())
size = runtime.dim3()
show("dim3", [size.x, size.y, size.z])
copy = driver.CUDA_MEMCPY2D()
copy.srcMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_ARRAY
show("enum value", int(copy.srcMemoryType))
kind("enum", copy.srcMemoryType)
show("is a subclass", issubclass(driver.CUDA_MEMCPY2D, driver.CUDA_MEMCPY2D_st))
