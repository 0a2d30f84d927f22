"""Dynamic shared memory: sizes that need no opt-in, sizes that the opt-in allows, and sizes that are too large."""

from typing import Any

from _device import context, good, module
from _show import call, show
from cuda.bindings import driver

context()
loaded = module(
    'extern "C" __global__ void none(int* to) { extern __shared__ int words[]; if (!to) words[0] = 1; }'
    'extern "C" __global__ void some(int* to) { __shared__ int own[2048]; extern __shared__ int words[];'
    " if (!to) words[0] = own[threadIdx.x]; }"
)
pointer = good(driver.cuMemAlloc(64))
attribute = driver.CUfunction_attribute
dynamic = attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
KIB = 1024


def launch(kernel: Any, size: int, note: str) -> None:
    call(driver.cuLaunchKernel, kernel, 1, 1, 1, 1, 1, 1, size, 0, ((pointer,), (None,)), 0, note=note)
    call(driver.cuCtxSynchronize, note=note)


for name in (b"none", b"some"):
    kernel = good(driver.cuModuleGetFunction(loaded, name))
    note = name.decode()
    call(driver.cuFuncGetAttribute, dynamic, kernel, note=f"{note}, at the start", values=True)
    call(driver.cuFuncGetAttribute, attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, note=note, values=True)
    for size in (0, 1, 40 * KIB, 40 * KIB + 1, 48 * KIB, 48 * KIB + 1, 64 * KIB):
        launch(kernel, size, f"{note}, {size}")
    for size in (-1, 16 * KIB, 40 * KIB, 48 * KIB, 56 * KIB, 64 * KIB, 1 << 30):
        call(driver.cuFuncSetAttribute, kernel, dynamic, size, note=f"{note}, {size}")
        call(driver.cuFuncGetAttribute, dynamic, kernel, note=f"{note}, after {size}", values=size < 1 << 30)
        launch(kernel, 16 * KIB, f"{note}, 16 KiB after {size}")
        launch(kernel, 50 * KIB, f"{note}, 50 KiB after {size}")
    launch(kernel, 1 << 30, f"{note}, far too much")
    show(
        f"{note}: blocks with 50 KiB",
        good(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(kernel, 64, 50 * KIB)) > 0,
    )
limits = driver.CUdevice_attribute
call(
    driver.cuDeviceGetAttribute, limits.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 0, note="attribute 8",
    values=True,
)  # fmt: skip
