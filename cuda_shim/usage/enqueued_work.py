"""Calls that enqueue work on a device, and the kind, name, stream and bytes of the work, from their arguments."""

from __future__ import annotations

import re
from math import prod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.mapping.rows import FunctionRow

__all__ = ["EnqueuedWork", "enqueued_work"]

_KINDS = (
    ("kernel", re.compile(r"cuLaunch(Cooperative)?Kernel(Ex)?")),
    ("graph", re.compile(r"cu(da)?GraphLaunch")),
    ("copy", re.compile(r"cu(da)?Memcpy\w*")),
    ("fill", re.compile(r"cu(da)?Memset\w*")),
)
_STREAMS = ("CUstream", "cudaStream_t")
_DIRECTIONS = ("host to host", "host to device", "device to host", "device to device")
_ENDS = {"H": "host", "D": "device", "A": "device"}
_FROM_TO = re.compile(r"cuMemcpy([HDA])to([HDA])")
# Arguments whose product is the number of bytes, or of elements where the name of the function has their bits.
_EXTENTS = (("ByteCount",), ("count",), ("size",), ("width", "height"), ("Width", "Height"), ("N",))
_BITS = re.compile(r"D(8|16|32)(?:Async)?$")


class EnqueuedWork:
    """The work that a function enqueues on a device."""

    def __init__(self, kind: str, row: FunctionRow) -> None:
        names = [parameter.name for parameter in row.inputs]
        self.kind = kind
        self.kernel_at = names.index("f") if kind == "kernel" else -1
        self._stream_at = next((at for at, each in enumerate(row.inputs) if each.base in _STREAMS), -1)
        self._config_at = names.index("config") if "config" in names else -1
        self._kind_at = names.index("kind") if "kind" in names else -1
        self._struct_at = 0 if row.inputs[0].base.startswith("CUDA_MEMCPY") and row.inputs[0].suffix != "[]" else -1
        extents = next((each for each in _EXTENTS if set(each) <= set(names)), ()) if "Batch" not in row.name else ()
        self._extents_at = [names.index(name) for name in extents]
        bits = _BITS.search(row.name)
        self._bytes = int(bits[1]) // 8 if bits else 1
        ends = _FROM_TO.match(row.name)
        self._name = f"{_ENDS[ends[1]]} to {_ENDS[ends[2]]}" if ends else "device memory" if kind == "fill" else ""

    def stream(self, arguments: tuple[object, ...]) -> int:
        """Return the stream's handle; 0 for the default stream."""
        stream = arguments[self._stream_at] if self._stream_at >= 0 else None
        if self._config_at >= 0:
            stream = getattr(arguments[self._config_at], "hStream", None)
        return _number(stream)

    def name(self, arguments: tuple[object, ...]) -> str:
        """Return the direction of a copy, or the name of a fill; "" where only the addresses show the direction."""
        if self._kind_at >= 0:
            kind = _number(arguments[self._kind_at])
            return _DIRECTIONS[kind] if 0 <= kind < len(_DIRECTIONS) else ""
        return self._name

    def bytes(self, arguments: tuple[object, ...]) -> int:
        """Return how many bytes are copied or filled; 0 where the arguments do not show it."""
        if self._struct_at >= 0:
            copy = arguments[self._struct_at]
            sizes = [getattr(copy, name, 1) for name in ("WidthInBytes", "Height", "Depth")]
            return prod(max(_number(size), 1) for size in sizes) if hasattr(copy, "WidthInBytes") else 0
        return self._bytes * prod(_number(arguments[at]) for at in self._extents_at) if self._extents_at else 0


def enqueued_work(row: FunctionRow) -> EnqueuedWork | None:
    """Return the work that a function enqueues on a device, None where it enqueues nothing that is measured."""
    if not row.inputs or row.unsupported:
        return None
    kind = next((kind for kind, pattern in _KINDS if pattern.fullmatch(row.name)), None)
    return None if kind is None else EnqueuedWork(kind, row)


def _number(value: object) -> int:
    try:
        return int(value)  # type: ignore[call-overload, no-any-return]
    except (TypeError, ValueError):
        return 0
