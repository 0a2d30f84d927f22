"""The parameters of functions: what each one is, decided once, by `resolve`.

A kind of parameter is a file here: its check, the lines and the expression that make it an argument of HIP's C
function, its C type, and what becomes of it as a result. `binding.functions` arranges these and decides nothing.
"""

from __future__ import annotations

from cuda_shim.binding.parameters.resolve import resolve, resolved

__all__ = ["resolve", "resolved"]
