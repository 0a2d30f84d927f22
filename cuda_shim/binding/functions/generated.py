"""The function that a row would have without its adapter, for adapters that only add to it."""

from __future__ import annotations

from cuda_shim.binding.functions.body import mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.functions.binding import Binding
    from cuda_shim.binding.untyped import CudaFunction

__all__ = ["generated_call"]


def generated_call(binding: Binding) -> CudaFunction:
    """Convert, call HIP's function and wrap, as the row says.

    Raises UnsupportedAPI where the library has no such call.
    """
    return mapped(binding)
