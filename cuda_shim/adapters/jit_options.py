"""Options of module loading and linking: checked as cuda-python checks them.

They steer NVIDIA's assembler and have no effect here, but for the buffers of logs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.image import Image
from cuda_shim.binding.arguments import c_string
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.lists import check_list

__all__ = ["check_options", "write_logs"]

_TEXT_BUFFERS = ("INFO_LOG_BUFFER", "ERROR_LOG_BUFFER")
_UNSIGNED = (
    "MAX_REGISTERS", "THREADS_PER_BLOCK", "INFO_LOG_BUFFER_SIZE_BYTES", "ERROR_LOG_BUFFER_SIZE_BYTES",
    "OPTIMIZATION_LEVEL", "GLOBAL_SYMBOL_COUNT", "TARGET_FROM_CUCONTEXT", "REFERENCED_KERNEL_COUNT",
    "REFERENCED_VARIABLE_COUNT", "MIN_CTA_PER_SM",
)  # fmt: skip
_SIGNED = (
    "GENERATE_DEBUG_INFO", "LOG_VERBOSE", "GENERATE_LINE_INFO", "LTO", "FTZ", "PREC_DIV", "PREC_SQRT", "FMA",
    "OPTIMIZE_UNUSED_DEVICE_VARIABLES", "POSITION_INDEPENDENT_CODE", "MAX_THREADS_PER_BLOCK",
    "OVERRIDE_DIRECTIVE_VALUES",
)  # fmt: skip
_Check = Callable[[Any], Any]


def check_options(binding: Binding, enum: str = "CUjit_option") -> Callable[[Any, Any, Any], None]:
    """Return the check of a count, a list of options and a list of their values; `enum` is the options' class.

    That one raises TypeError for entries of another type, RuntimeError for lists shorter than the count.
    """
    check_constants = check_list(_list_name(binding, enum), enum, binding.scope)
    checks = _value_checks(binding)

    def check(count: Any, options: Any, values: Any) -> None:
        number = C_INTEGERS["unsigned int"].check(count)
        constants = check_constants(options, number)
        entries = [] if values is None else values
        if number > len(entries):
            raise RuntimeError(f"List is too small: {len(entries)} < {number}")
        for constant, value in zip(constants, entries, strict=False):
            check_value = checks.get(int(constant))
            if check_value is not None:
                check_value(value)

    return check


def write_logs(binding: Binding, count: Any, options: Any, values: Any) -> Callable[[Image], None]:
    """Return the function that writes an image's log into the options' buffers, cut to each buffer's size."""
    value_of = {
        int(option): value for option, value in zip(list(options or ())[: int(count)], list(values or ()), strict=False)
    }
    numbers = {
        member.name.removeprefix("CU_JIT_"): member.value for member in binding.enums("CUjit_option").row.members
    }

    def write(image: Image) -> None:
        for kind in ("ERROR", "INFO"):
            buffer = value_of.get(numbers[f"{kind}_LOG_BUFFER"])
            size = value_of.get(numbers[f"{kind}_LOG_BUFFER_SIZE_BYTES"])
            if buffer is None or size is None:
                continue
            text = image.log.encode("utf-8", "replace") if kind == "ERROR" and image.code is None else b""
            _write_text(buffer, text, int(size))

    return write


def _write_text(buffer: Any, text: bytes, size: int) -> None:
    """Write a text and its NUL, as much of it as fits, into a bytes object, a bytearray or at an address."""
    if isinstance(buffer, (bytes, bytearray)):
        size = min(size, len(buffer))
    # One byte is left alone: Python has one object for all bytes of one value.
    if size <= 1 or (isinstance(buffer, bytes) and len(buffer) <= 1):
        return
    ended = text[: size - 1] + b"\0"
    if isinstance(buffer, bytearray):
        buffer[: len(ended)] = ended
    else:
        ctypes.memmove(buffer, ended, len(ended))


def _log_memory(value: Any) -> Any:
    """Return the memory of a log: bytes, or the C level's array for an address and a size."""
    return value if isinstance(value, ctypes.Array) else c_string(value)


def _list_name(binding: Binding, enum: str) -> str:
    return next(
        parameter.name for parameter in binding.row.parameters if parameter.base == enum and parameter.suffix == "[]"
    )


def _value_checks(binding: Binding) -> dict[int, _Check]:
    """Return the check of each option's value, by the number that the option has in the driver and the runtime."""
    kinds: dict[str, _Check] = dict.fromkeys(_UNSIGNED, C_INTEGERS["unsigned int"].check)
    kinds.update(dict.fromkeys(_SIGNED, C_INTEGERS["int"].check))
    kinds.update(dict.fromkeys(_TEXT_BUFFERS, _log_memory))
    members = binding.enums("CUjit_option").row.members
    checks = {member.value: kinds.get(member.name.removeprefix("CU_JIT_")) for member in members}
    return {number: check for number, check in checks.items() if check is not None}
