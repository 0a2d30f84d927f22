"""Compiled packages of others: each part prints its name and its outcome, in the words of its error."""

from __future__ import annotations

from collections.abc import Callable


def part(function: Callable[[], object]) -> None:
    """Run one part."""
    try:
        print(f"{function.__name__}: {function()}")
    except (ImportError, RuntimeError, MemoryError, OSError, TypeError) as error:
        print(f"{function.__name__}: {type(error).__name__}: {str(error).splitlines()[0]}")


@part
def rmm() -> object:
    """The extension modules find their functions; memory comes from NVIDIA's runtime, which is linked into librmm."""
    import rmm
    from rmm._cuda import gpu
    from rmm.pylibrmm import device_buffer, memory_resource, stream

    assert stream.DEFAULT_STREAM is not None
    assert memory_resource.CudaMemoryResource is not None
    assert gpu.getDeviceCount() == 1
    return rmm.DeviceBuffer is device_buffer.DeviceBuffer


@part
def rmm_memory() -> object:
    """It fails: the memory comes from NVIDIA's runtime."""
    import rmm

    return rmm.DeviceBuffer(size=64).size


@part
def nccl4py() -> object:
    """Every function calls NCCL."""
    import nccl.core

    return nccl.core.get_version().libnccl


@part
def nccl4py_communicators() -> object:
    """They need NCCL, which is not there."""
    import nccl.core

    return nccl.core.get_unique_id()


@part
def nvshmem4py() -> object:
    """Every function calls NVSHMEM."""
    import nvshmem.core

    return nvshmem.core.init.__name__


@part
def cuda_tile() -> object:
    """Kernels are compiled by NVIDIA's compiler of tiles."""
    import cuda.tile

    return cuda.tile.load.__name__


@part
def cuda_bench() -> object:
    """Benchmarks ask NVML for clocks."""
    import cuda.bench

    cuda.bench.register(print)
    return cuda.bench.register.__name__


@part
def nvmath() -> object:
    """Every library behind it is NVIDIA's."""
    import nvmath

    return nvmath.fft.fft.__name__


@part
def nvmath_products() -> object:
    """They need cuBLASLt, which is not there."""
    import numpy as np
    import nvmath

    return nvmath.linalg.advanced.matmul(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
