"""Memory orders, scopes and cache operators of loads, stores and atomics, as C++ of `cuda_shim/ptx_orders.h`.

NVIDIA's compilers make every access that has one of them, and every access of a volatile asm statement, as often as the
program does: a loop may wait for another thread's store. Compilers of C++ delete repeated plain loads.
"""

from __future__ import annotations

from cuda_shim.translate.ptx.instructions import Form

__all__ = ["access_function", "fence_after", "fence_before"]

_SCOPES = {"cta": "scope_cta", "cluster": "scope_gpu", "gpu": "scope_gpu", "sys": "scope_sys", "": "scope_gpu"}
_ORDERS = {"relaxed": "order_relaxed", "acquire": "order_acquire", "release": "order_release"}
_OF_THE_SYSTEM = ("volatile", "mmio")
# The operators that an opcode without one has; `nc` is for memory that nobody writes.
_DEFAULT_OPERATORS = ("", "ca", "wb", "nc")


def access_function(form: Form, *, is_volatile: bool = False) -> str:
    """Return the function that loads or stores; "" if the access is a plain one.

    `is_volatile`: the instruction is part of a volatile asm statement.
    """
    scope = _SCOPES[form.scope]
    if form.order in _ORDERS:
        return f"cuda_shim_ptx::{form.memory}<cuda_shim_ptx::{_ORDERS[form.order]}, cuda_shim_ptx::{scope}>"
    if form.order in _OF_THE_SYSTEM or form.cache == "cv":
        scope = "scope_sys"
    elif form.cache in _DEFAULT_OPERATORS and not (is_volatile and form.cache != "nc"):
        return ""
    return f"cuda_shim_ptx::{form.memory}_again<cuda_shim_ptx::{scope}>"


def fence_before(form: Form) -> str:
    """Return the fence in front of an atomic operation; "" if it releases nothing."""
    return _fence("release", form) if form.order in ("release", "acq_rel") else ""


def fence_after(form: Form) -> str:
    """Return the fence behind an atomic operation; "" if it acquires nothing."""
    return _fence("acquire", form) if form.order in ("acquire", "acq_rel") else ""


def _fence(order: str, form: Form) -> str:
    return f"cuda_shim_ptx::fence_{order}<cuda_shim_ptx::{_SCOPES[form.scope]}>()"
