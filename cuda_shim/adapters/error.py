"""Names and messages of status codes: CUDA's, never HIP's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import require
from cuda_shim.binding.enums.translation import enum_number
from cuda_shim.binding.functions import Binding

__all__ = ["name", "text"]


def name(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuGetErrorName, cudaGetErrorName."""
    return _answer(binding, lambda member: member.name.encode())


def text(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuGetErrorString, cudaGetErrorString, nvrtcGetErrorString."""
    return _answer(binding, lambda member: (member.text or member.name).encode())


def _answer(binding: Binding, of: Callable[[Any], bytes]) -> Callable[..., tuple[Any, ...]]:
    outcome, codes = binding.outcome, binding.outcome.codes.cls
    answers: dict[int, tuple[Any, ...]] = {}
    for member in outcome.codes.row.members:
        answers.setdefault(member.value, (outcome.success, of(member)))

    argument = binding.row.inputs[0].name

    def answer(error: Any) -> tuple[Any, ...]:
        if error.__class__ is not codes:
            require(**{argument: error})
        text = answers.get(enum_number(codes, error))
        if text is not None:
            return text
        if binding.api == "driver":
            return outcome.invalid()
        # The runtime and NVRTC have a text for every number.
        return outcome.success, _UNKNOWN[binding.api]

    return answer


_UNKNOWN = {"runtime": b"unrecognized error code", "nvrtc": b"NVRTC_ERROR unknown"}
