"""From a function's row to a Python function that behaves as cuda-python's.

The parameters are defined in `binding.parameters` and arranged here: the function that a program first sees (`stub`),
the order of conversions (`order`), the body of a mapped call (`body`) and the checks of a call that HIP lacks
(`checks`).
"""

from __future__ import annotations

from cuda_shim.binding.functions.binding import Binding
from cuda_shim.binding.functions.signature import signature
from cuda_shim.binding.functions.stub import make_function

__all__ = ["Binding", "make_function", "signature"]
