"""Usual uses of cuda.core, its compiled releases included: each part prints its name when it is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

try:
    from cuda import core

    core.Device  # noqa: B018  before 0.5, `cuda.core` is an empty package
except (ImportError, AttributeError):
    from cuda.core import experimental as core

SOURCE = """
extern "C" __global__ void add(int *p, int n, int v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += v;
}
template <typename T> __global__ void saxpy(T a, const T *x, const T *y, T *out, size_t n) {
  for (size_t i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) out[i] = a * x[i] + y[i];
}
"""

device = core.Device()
device.set_current()
stream = device.create_stream()
pinned = core.LegacyPinnedMemoryResource()
ARCH = f"sm_{device.compute_capability.major}{device.compute_capability.minor}"
options = core.ProgramOptions(std="c++17", arch=ARCH)
ONE_BLOCK = core.LaunchConfig(grid=1, block=64)


def part(function: Callable[[], None]) -> None:
    """Run one part."""
    function()
    print(function.__name__)


def host(kind: Any = np.int32, count: int = 64) -> tuple[Any, Any]:
    """Memory that both sides see, and its array of zeros."""
    buffer = pinned.allocate(count * np.dtype(kind).itemsize, stream=stream)
    array = np.from_dlpack(buffer).view(kind)
    array[:] = 0
    return buffer, array


def added(kernel: Any, where: Any = stream) -> bool:
    """Return whether a kernel adds."""
    buffer, array = host()
    core.launch(where, ONE_BLOCK, kernel, buffer, np.int32(64), np.int32(5))
    where.sync()
    return bool((array == 5).all())


code = core.Program(SOURCE, "c++", options).compile("cubin", name_expressions=("saxpy<float>",))
kernel = code.get_kernel("add")


@part
def saxpy() -> None:
    """Compile a template, copy, launch, copy back."""
    memory = device.memory_resource
    sides = [(memory.allocate(4000, stream=stream), *host(np.float32, 1000)) for _ in range(3)]
    sides[0][2][:], sides[1][2][:] = np.arange(1000), 1
    for on_device, on_host, _ in sides[:2]:
        on_device.copy_from(on_host, stream=stream)
    config = core.LaunchConfig(grid=4, block=256)
    core.launch(
        stream, config, code.get_kernel("saxpy<float>"), np.float32(3), *(side[0] for side in sides), np.uint64(1000)
    )
    sides[2][0].copy_to(sides[2][1], stream=stream)
    stream.sync()
    assert np.array_equal(sides[2][2], 3 * np.arange(1000, dtype=np.float32) + 1)
    for on_device, *_ in sides:
        on_device.close(stream)


@part
def images() -> None:
    """PTX, and code objects of one program loaded by another."""
    assert added(kernel)
    text = core.Program(SOURCE, "c++", options).compile("ptx")
    assert added(text.get_kernel("add"))
    assert added(core.ObjectCode.from_cubin(code.code).get_kernel("add"))
    assert added(core.ObjectCode.from_ptx(text.code).get_kernel("add"))


@part
def linking() -> None:
    """Links go through the driver where nvJitLink is not there; an object that cannot be linked is reported."""
    text = core.Program(SOURCE, "c++", options).compile("ptx")
    assert added(core.Linker(text, options=core.LinkerOptions(arch=ARCH)).link("cubin").get_kernel("add"))


@part
def errors() -> None:
    """Errors of the compiler, and of the driver."""
    try:
        core.Program("__global__ void f() { foo }", "c++").compile("cubin")
    except Exception as error:  # noqa: BLE001  each release has a class of its own
        assert "foo" in str(error)  # noqa: PT017  the program runs without pytest
    else:
        raise AssertionError("compiled")
    for wrong in (lambda: device.create_stream(options=core.StreamOptions(priority=100)), lambda: core.Device(99)):
        try:
            wrong()
        except ValueError:
            continue
        raise AssertionError("not refused")


@part
def streams_and_events() -> None:
    """Streams wait for each other; a stream made by cuda.bindings is one for cuda.core, and the other way round."""
    from cuda.bindings import driver

    other = device.create_stream(options=core.StreamOptions(nonblocking=True))
    other.wait(stream.record())
    other.wait(stream)
    assert added(kernel, other)
    status, made = driver.cuStreamCreate(0)
    assert status == driver.CUresult.CUDA_SUCCESS
    assert added(kernel, core.Stream.from_handle(int(made)))
    assert driver.cuStreamSynchronize(stream.handle) == (driver.CUresult.CUDA_SUCCESS,)
    assert stream.record().is_done in (True, False)


@part
def graphs() -> None:
    """Captured work runs with each launch."""
    builder = device.create_graph_builder()
    buffer, array = host()
    builder.begin_building()
    for value in (1, 2):
        core.launch(builder, ONE_BLOCK, kernel, buffer, np.int32(64), np.int32(value))
    graph = builder.end_building().complete()
    graph.upload(stream)
    graph.launch(stream)
    graph.launch(stream)
    stream.sync()
    assert (array == 6).all()


@part
def looking() -> None:
    """Properties, attributes of kernels, occupancy."""
    assert device.properties.warp_size == 32
    assert device.compute_capability >= (5, 0)
    assert kernel.attributes.max_threads_per_block() if callable(kernel.attributes.max_threads_per_block) else 1
    assert kernel.occupancy.max_active_blocks_per_multiprocessor(64, 0) > 0
