"""The parameters of functions; `resolve` decides once which kind each one is.

A kind of parameter is a file here: its check, the lines and the expression that make it an argument of HIP's C
function, its C type, and its form as a result. `binding.functions` arranges these and decides nothing.
"""

from __future__ import annotations

from cuda_shim.binding.parameters.resolve import resolve, resolved

__all__ = ["resolve", "resolved"]
