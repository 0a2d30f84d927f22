"""The default stream that is each thread's own, which CUDA Python's users choose by an environment variable.

CUDA Python then calls the driver's functions by the names that end in `_ptsz` and `_ptds`: a stream of 0 is
the calling thread's, and so is the one of calls that take none. Here a function that has such a form gets a body that
puts the thread's own stream (2, in CUDA as in HIP) in the place of 0. One that takes no stream becomes its asynchronous
form on the thread's stream, for which it then waits. Nothing is added to a call where the variable is not set.
"""

from __future__ import annotations

import operator
import os
import re
from functools import cache

from cuda_shim.binding.functions.signature import signature
from cuda_shim.binding.handles import address
from cuda_shim.generated_source import compiled
from cuda_shim.mapping.rows import FunctionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType

    from cuda_shim.binding.functions.binding import Binding
    from cuda_shim.binding.scope import Catalogue
    from cuda_shim.binding.untyped import AnyFunction, CudaFunction, RowObject

__all__ = ["VARIABLE", "asynchronous_form", "is_default", "on_own_stream", "stream_parameter"]

VARIABLE = "CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM"

_PER_THREAD = 2  # CU_STREAM_PER_THREAD, cudaStreamPerThread, hipStreamPerThread
_STREAMS = ("CUstream", "cudaStream_t")
# These take a stream and have no form for threads: CUDA's headers declare none, so 0 stays the legacy stream.
_LEGACY_ALONE = frozenset({
    "cuStreamDestroy", "cuStreamGetGreenCtx", "cudaGraphicsMapResources", "cudaGraphicsUnmapResources",
    "cudaMemcpyPeer", "cudaMemcpyPeerAsync", "cudaStreamDestroy",
})  # fmt: skip
# These wait for their copy or fill; functions that allocate or free memory have asynchronous forms of another kind.
_COPIES = re.compile("cu(da)?Mem(cpy|set)")
# Flags of 0 ask these for the functions that belong to the caller's own default stream.
_ENTRY_POINTS = frozenset({"cuGetProcAddress", "cudaGetDriverEntryPoint", "cudaGetDriverEntryPointByVersion"})


@cache
def is_default() -> bool:
    """Return whether the default stream is each thread's own; asked once, as CUDA Python does at its first call.

    Raises ValueError for a value that is no integer, as CUDA Python does.
    """
    text = os.environ.get(VARIABLE, "0")
    try:
        return bool(int(text))
    except ValueError:
        raise ValueError(f"{VARIABLE}={text!r} is not an integer: set it to 1 or 0") from None


def stream_parameter(row: FunctionRow) -> str:
    """Return the parameter that names a call's stream, or the form of looked-up functions; "" where there is none."""
    if row.name in _ENTRY_POINTS:
        return "flags"
    if row.name in _LEGACY_ALONE:
        return ""
    for parameter in reversed(row.inputs):
        if parameter.base in _STREAMS or (parameter.base == "CUlaunchConfig" and row.name.startswith("cuLaunch")):
            return parameter.name
    return ""


def asynchronous_form(row: FunctionRow, catalogue: Catalogue, api: str) -> FunctionRow | None:
    """Return the function that takes the same arguments and a stream, None where a layout has none."""
    form = catalogue.row(api, f"{row.name}Async")
    if (
        not _COPIES.match(row.name)
        or row.name in _LEGACY_ALONE
        or not isinstance(form, FunctionRow)
        or form.unsupported is not None
    ):
        return None
    names = [parameter.name for parameter in form.inputs]
    arguments = [parameter.name for parameter in row.inputs]
    return form if names[:-1] == arguments and form.inputs[-1].base in _STREAMS else None


def on_own_stream(binding: Binding, body: FunctionType) -> FunctionType:
    """Return a function's body for threads with default streams of their own."""
    row = binding.row
    call: AnyFunction = body
    own: AnyFunction = _stream
    name = stream_parameter(row)
    arguments = ", ".join(f"own({each.name})" if each.name == name else each.name for each in row.inputs)
    if name:
        own = {"flags": _flags, "config": _configuration}.get(name, _stream)
    elif asynchronous_form(row, binding.catalogue, binding.api) is not None:
        call = _waiting(binding)
    else:
        return body
    source = f"def {row.name}({signature(row)}):\n    return call({arguments})\n"
    return compiled(row.name, binding.scope.module, ", per thread", source, {"call": call, "own": own})


def _waiting(binding: Binding) -> CudaFunction:
    """Return the asynchronous form of a function on the thread's stream, and the wait for it."""
    api, prefix = binding.api, "cu" if binding.api == "driver" else "cuda"
    start = binding.catalogue.object(api, f"{binding.row.name}Async")
    wait = binding.catalogue.object(api, f"{prefix}StreamSynchronize")

    def call(*arguments: RowObject) -> tuple[RowObject, ...]:
        answer: tuple[RowObject, ...] = start(*arguments, _PER_THREAD)
        return answer if int(answer[0]) else wait(_PER_THREAD)

    return call


def _stream(stream: RowObject) -> RowObject:
    """Return the thread's stream for 0, any other value as it is: the call reports one that is no stream."""
    try:
        return stream if address(stream) else _PER_THREAD
    except (TypeError, ValueError, OverflowError):
        return stream


def _configuration(config: RowObject) -> RowObject:
    """Return a launch configuration whose stream is the thread's in the place of 0."""
    from cuda_shim.binding.structs import duplicate

    stream = getattr(config, "hStream", None)
    if stream is None or address(stream):
        return config
    copy = duplicate(config)
    copy.hStream = type(stream)(_PER_THREAD)
    copy.attrs = config.attrs
    return copy


def _flags(flags: RowObject) -> RowObject:
    """Return the flag for functions of the thread's stream in the place of no flags."""
    try:
        return flags if flags is not None and operator.index(flags) else _PER_THREAD
    except TypeError:
        return flags
