"""Options of module loading and linking: checked as cuda-python checks them, and without effect.

They steer NVIDIA's assembler; code objects are not assembled, so they have none here, as CUDA's have none on a
cubin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import c_string
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.lists import check_list

__all__ = ["check_options"]

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
    """The check of a count, a list of options and a list of their values; `enum` is the options' class.

    That one raises TypeError for entries of another type, RuntimeError for lists shorter than the count.
    """
    check_constants = check_list(_list_name(binding, enum), enum, binding.scope)
    checks = _value_checks(binding)

    def check(count: Any, options: Any, values: Any) -> None:
        number = C_INTEGERS["unsigned int"].check(count)
        constants = check_constants(options, number)
        given = [] if values is None else values
        if number > len(given):
            raise RuntimeError(f"List is too small: {len(given)} < {number}")
        for constant, value in zip(constants, given, strict=False):
            check_value = checks.get(int(constant))
            if check_value is not None:
                check_value(value)

    return check


def _list_name(binding: Binding, enum: str) -> str:
    return next(p.name for p in binding.row.parameters if p.base == enum and p.suffix == "[]")


def _value_checks(binding: Binding) -> dict[int, _Check]:
    """The check of each option's value, by the number that the option has in the driver and the runtime."""
    kinds: dict[str, _Check] = dict.fromkeys(_UNSIGNED, C_INTEGERS["unsigned int"].check)
    kinds.update(dict.fromkeys(_SIGNED, C_INTEGERS["int"].check))
    kinds.update(dict.fromkeys(_TEXT_BUFFERS, c_string))
    members = binding.enums("CUjit_option").row.members
    found = {member.value: kinds.get(member.name.removeprefix("CU_JIT_")) for member in members}
    return {number: check for number, check in found.items() if check is not None}
