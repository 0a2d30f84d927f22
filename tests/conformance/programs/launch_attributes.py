"""Launches described by a struct, with attributes."""

import ctypes
from typing import Any

import numpy
from _device import context, module
from _show import call, fields, show
from cuda.bindings import driver

context()
loaded = module("""
extern "C" __global__ void add(int *to, int by) { atomicAdd(to, by); }
extern "C" __global__ void nothing() {}
extern "C" __global__ void reversed(int *to) {
    extern __shared__ int words[];
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    to[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}
""")
add, nothing, backwards = (driver.cuModuleGetFunction(loaded, name)[1] for name in (b"add", b"nothing", b"reversed"))
identities = driver.CUlaunchAttributeID
stream = driver.cuStreamCreate(0)[1]
pointer = driver.cuMemAlloc(64)[1]
given = ((pointer, 3), (None, ctypes.c_int))


def done(note: str, count: int = 1) -> None:
    call(driver.cuStreamSynchronize, stream, note=note)
    words = numpy.zeros(count, dtype=numpy.int32)
    driver.cuMemcpyDtoH(words, pointer, words.nbytes)
    driver.cuMemsetD8(pointer, 0, 64)
    show(note, words.tolist())


def attribute(name: str) -> Any:
    made = driver.CUlaunchAttribute()
    made.id = getattr(identities, f"CU_LAUNCH_ATTRIBUTE_{name}")
    return made


driver.cuMemsetD8(pointer, 0, 64)
config = driver.CUlaunchConfig()
call(driver.cuLaunchKernelEx, config, nothing, 0, 0, note="not filled in")
config.gridDimX = config.gridDimY = config.gridDimZ = 1
config.blockDimX, config.blockDimY, config.blockDimZ = 2, 1, 1
config.hStream = stream
call(driver.cuLaunchKernelEx, config, add, given, 0)
done("no attributes")
ignored = attribute("IGNORE")
priority = attribute("PRIORITY")
priority.value.priority = 0
cooperative = attribute("COOPERATIVE")
cooperative.value.cooperative = 1
serialized = attribute("PROGRAMMATIC_STREAM_SERIALIZATION")
serialized.value.programmaticStreamSerializationAllowed = 1
single = attribute("CLUSTER_DIMENSION")
single.value.clusterDim.x = single.value.clusterDim.y = single.value.clusterDim.z = 1
for note, listed in (
    ("ignored", [ignored]),
    ("priority", [priority]),
    ("cooperative", [cooperative]),
    ("serialized", [serialized]),
    ("a cluster of one", [single]),
    ("several", [ignored, priority]),
):
    config.attrs, config.numAttrs = listed, len(listed)
    show(f"{note} count", config.numAttrs)
    call(driver.cuLaunchKernelEx, config, add, given, 0, note=note)
    done(note)
config.attrs, config.numAttrs = [priority], 0
call(driver.cuLaunchKernelEx, config, add, given, 0, note="none counts")
done("none counts")
config.attrs = []
show("attrs", config.attrs)
config.sharedMemBytes, config.blockDimX = 16, 4
call(driver.cuLaunchKernelEx, config, backwards, ((pointer,), (None,)), 0, note="shared memory")
done("shared memory", 4)
config.sharedMemBytes = 1 << 24
call(driver.cuLaunchKernelEx, config, backwards, ((pointer,), (None,)), 0, note="too much shared memory")
config.sharedMemBytes, config.blockDimX = 0, 4096
call(driver.cuLaunchKernelEx, config, nothing, 0, 0, note="block too large")
config.blockDimX, config.gridDimX = 1024, 1 << 20
config.attrs, config.numAttrs = [cooperative], 1
call(driver.cuLaunchKernelEx, config, nothing, 0, 0, note="cooperative, too large")
config.gridDimX = 1
call(driver.cuLaunchKernelEx, config, None, 0, 0, note="null")
call(driver.cuLaunchKernelEx, None, nothing, 0, 0, note="None")
call(driver.cuLaunchKernelEx, 5, nothing, 0, 0, note="int")
call(driver.cuLaunchKernelEx, config, nothing, 0, None, note="extra None")
call(driver.cuLaunchKernelEx, config, nothing, [[], []], 0, note="lists")
fields("config", config, "gridDimX", "blockDimX", "numAttrs", values=True)
fields("first", config.attrs[0], "id")
