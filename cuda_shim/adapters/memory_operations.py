"""Writes of values in streams: CUDA refuses flags that it does not know, and HIP takes them without effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["batch", "node", "write"]

_NO_MEMORY_BARRIER = 1  # CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER, which the first form of the calls alone takes
_WRITES = (2, 5)  # CU_STREAM_MEM_OP_WRITE_VALUE_32, CU_STREAM_MEM_OP_WRITE_VALUE_64


def write(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuStreamWriteValue32 and cuStreamWriteValue64; HIP's are hipStreamWriteValue32 and hipStreamWriteValue64."""
    generated, outcome, number = generated_call(binding), binding.outcome, C_INTEGERS["unsigned int"].check
    is_first_form = binding.catalogue.cuda == "11.8" and not binding.row.name.endswith("_v2")
    known = _NO_MEMORY_BARRIER if is_first_form else 0

    def serve(stream: Any, addr: Any, value: Any, flags: Any) -> tuple[Any, ...]:
        return outcome.invalid() if number(flags) & ~known else generated(stream, addr, value, flags)

    return serve


def batch(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuStreamBatchMemOp; HIP's is hipStreamBatchMemOp."""
    generated, outcome = generated_call(binding), binding.outcome
    operations = binding.class_of("CUstreamBatchMemOpParams_union")

    def serve(stream: Any, count: Any, array: Any, flags: Any) -> tuple[Any, ...]:
        listed = array[:count] if isinstance(array, (list, tuple)) else ()
        return outcome.invalid() if _has_flags(listed, operations) else generated(stream, count, array, flags)

    return serve


def node(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuGraphAddBatchMemOpNode and the calls that change such a node; HIP's have the same names."""
    generated, outcome = generated_call(binding), binding.outcome
    operations = binding.class_of("CUstreamBatchMemOpParams_union")
    at = next(place for place, each in enumerate(binding.row.inputs) if each.name == "nodeParams")

    def serve(*arguments: Any) -> tuple[Any, ...]:
        params = arguments[at]
        listed = params.paramArray[: params.count] if hasattr(params, "paramArray") and params.paramArray else ()
        return outcome.invalid() if _has_flags(listed, operations) else generated(*arguments)

    return serve


def _has_flags(operations: Iterable[Any], cls: type[Any]) -> bool:
    """Return whether one of the operations is a write with flags, none of which the calls take."""
    return any(
        isinstance(each, cls) and int(each.operation) in _WRITES and each.writeValue.flags != 0 for each in operations
    )
