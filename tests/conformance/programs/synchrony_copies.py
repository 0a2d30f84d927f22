"""Copies that return before they are done, by the memory at their ends."""

import ctypes
from typing import Any

import _held
from _device import good, runtime_device
from cuda.bindings import runtime

runtime_device()
_held.prepare()
SIZE = 1 << 20
SMALL = 4096
buffers = [ctypes.create_string_buffer(SIZE + 8192) for _ in range(4)]
registered = [ctypes.addressof(buffer) + 4095 & ~4095 for buffer in buffers[2:]]
for address in registered:
    good(runtime.cudaHostRegister(address, SIZE, 0))
places = {
    "device": [good(runtime.cudaMalloc(SIZE)) for _ in range(2)],
    "pageable": [ctypes.addressof(buffer) for buffer in buffers[:2]],
    "pinned": [good(runtime.cudaMallocHost(SIZE)) for _ in range(2)],
    "registered": registered,
    "managed": [good(runtime.cudaMallocManaged(SIZE, runtime.cudaMemAttachGlobal)) for _ in range(2)],
}
DEFAULT = runtime.cudaMemcpyKind.cudaMemcpyDefault
stream = good(runtime.cudaStreamCreate())
copies: tuple[Any, ...] = (
    runtime.cudaMemcpy,
    runtime.cudaMemcpyAsync,
    runtime.cudaMemcpy2D,
    runtime.cudaMemcpy2DAsync,
)
for warm in copies:
    flat = "2D" not in warm.__name__
    ends = (
        (places["device"][0], places["pinned"][0]) if flat else (places["device"][0], 32, places["pinned"][0], 32, 32)
    )
    good((*warm(*ends, 32, DEFAULT, *([stream] if "Async" in warm.__name__ else [])), None))
good((*runtime.cudaDeviceSynchronize(), None))

PAIRS = [
    ("pageable", "device"),
    ("pinned", "device"),
    ("registered", "device"),
    ("device", "pageable"),
    ("device", "pinned"),
    ("device", "device"),
    ("pageable", "pageable"),
    ("pageable", "pinned"),
    ("pinned", "pageable"),
    ("pinned", "pinned"),
    ("registered", "pinned"),
    ("managed", "device"),
    ("device", "managed"),
]
for source, target in PAIRS:
    src, dst = places[source][0], places[target][1]
    note = f"{source} to {target}"
    _held.waits(runtime.cudaMemcpy, dst, src, SMALL, DEFAULT, note=note)
    _held.waits(runtime.cudaMemcpyAsync, dst, src, SMALL, DEFAULT, stream, note=note, stream=stream)
    _held.waits(runtime.cudaMemcpy2D, dst, 64, src, 64, 64, 8, DEFAULT, note=note)
    _held.waits(runtime.cudaMemcpy2DAsync, dst, 64, src, 64, 64, 8, DEFAULT, stream, note=note, stream=stream)
for source, target in PAIRS[:6]:
    src, dst = places[source][0], places[target][1]
    _held.waits(runtime.cudaMemcpy, dst, src, 0, DEFAULT, note=f"nothing, {source} to {target}")
    _held.waits(runtime.cudaMemcpy2D, dst, 64, src, 64, 0, 8, DEFAULT, note=f"nothing, {source} to {target}")
_held.end()
