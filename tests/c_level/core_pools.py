"""Memory pools on the host and in managed memory, through cuda.core: prints their properties and results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from cuda import core
from cuda.bindings import driver

SOURCE = """
extern "C" __global__ void add(int *p, int n, int v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += v;
}
"""
COUNT = 1000
BYTES = 4 * COUNT
LAUNCH = core.LaunchConfig(grid=4, block=256)

device = core.Device()
device.set_current()
stream = device.create_stream()
kernel = core.Program(SOURCE, "c++").compile("cubin").get_kernel("add")

PINNED = core.PinnedMemoryResourceOptions
MANAGED = core.ManagedMemoryResourceOptions
RESOURCES: dict[str, Callable[[], Any]] = {
    "pinned": core.PinnedMemoryResource,
    "pinned of its own": lambda: core.PinnedMemoryResource(PINNED(max_size=1 << 25)),
    "pinned on a node": lambda: core.PinnedMemoryResource(PINNED(numa_id=0)),
    "pinned and shared": lambda: core.PinnedMemoryResource(PINNED(ipc_enabled=True)),
    "managed": core.ManagedMemoryResource,
    "managed of its own": lambda: core.ManagedMemoryResource(MANAGED()),
    "managed for the device": lambda: core.ManagedMemoryResource(MANAGED(preferred_location=0)),
    "managed for the host": lambda: core.ManagedMemoryResource(MANAGED(preferred_location=-1)),
}
ATTRIBUTES = ("MEMORY_TYPE", "IS_MANAGED", "DEVICE_ORDINAL", "RANGE_SIZE", "ALLOWED_HANDLE_TYPES", "MAPPED")


def said(function: Callable[[], object]) -> str:
    """Return a call's result, or the class of its exception."""
    try:
        return str(function())
    except Exception as error:  # noqa: BLE001  its type is printed
        return f"raises {type(error).__name__}"


def uses(resource: Any) -> Iterator[tuple[str, object]]:
    """Yield the results for memory of a resource that the host and a kernel write in turn."""
    buffer = resource.allocate(BYTES, stream=stream)
    stream.sync()
    array = np.from_dlpack(buffer).view(np.int32)
    array[:] = np.arange(COUNT)
    core.launch(stream, LAUNCH, kernel, buffer, np.int32(COUNT), np.int32(5))
    stream.sync()
    yield "added", bool((array == np.arange(COUNT) + 5).all())
    other = device.memory_resource.allocate(BYTES, stream=stream)
    other.copy_from(buffer, stream=stream)
    core.launch(stream, LAUNCH, kernel, other, np.int32(COUNT), np.int32(1))
    other.copy_to(buffer, stream=stream)
    stream.sync()
    yield "copied", bool((array == np.arange(COUNT) + 6).all())
    yield "seen by", (buffer.is_host_accessible, buffer.is_device_accessible, resource.device_id)
    for name in ATTRIBUTES:
        attribute = getattr(driver.CUpointer_attribute, f"CU_POINTER_ATTRIBUTE_{name}")
        yield name, driver.cuPointerGetAttribute(attribute, buffer.handle)[1]
    other.close(stream)
    buffer.close(stream)
    stream.sync()


def pool(resource: Any) -> Iterator[tuple[str, object]]:
    """Yield the properties of the pool itself."""
    yield "owned", resource.is_handle_owned
    attributes: Any = resource.attributes
    yield "used", attributes.used_mem_current
    for name in ("numa_id", "preferred_location", "is_ipc_enabled"):
        if hasattr(resource, name):
            yield name, getattr(resource, name)


def advice() -> Iterator[tuple[str, object]]:
    """Managed memory of a pool can be advised about, fetched and discarded."""
    buffer: Any = core.ManagedMemoryResource().allocate(1 << 21, stream=stream)
    stream.sync()
    buffer.read_mostly = True
    yield "read mostly", buffer.read_mostly
    buffer.prefetch(device, stream=stream)
    stream.sync()
    yield "prefetched", said(lambda: buffer.prefetch(core.Host(), stream=stream))
    buffer.close(stream)


def refused() -> Iterator[tuple[str, object]]:
    """Yield the errors for impossible pools."""
    yield "a node that is not there", said(lambda: core.PinnedMemoryResource(PINNED(numa_id=4096)))
    yield "a device that is not there", said(lambda: core.ManagedMemoryResource(MANAGED(preferred_location=99)))
    small = core.PinnedMemoryResource(PINNED(max_size=1 << 21))
    yield "more than a pool has", said(lambda: small.allocate(1 << 28, stream=stream))


def tell(title: str, parts: Callable[[], Iterator[tuple[str, object]]]) -> None:
    """Print the results of some parts, up to an error."""
    try:
        for name, value in parts():
            print(f"{title}: {name}: {value}")
    except Exception as error:  # noqa: BLE001  its type is printed
        print(f"{title}: raises {type(error).__name__}")


def main() -> None:
    """Run all of it."""
    for title, make in RESOURCES.items():

        def parts(make: Callable[[], Any] = make) -> Iterator[tuple[str, object]]:
            made = make()
            yield from uses(made)
            yield from pool(made)

        tell(title, parts)
    tell("advice", advice)
    tell("refused", refused)


main()
