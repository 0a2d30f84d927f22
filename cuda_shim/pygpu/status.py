"""`cudaError_t` of PyGPU: the status of a call as an object that holds its number."""

from __future__ import annotations

import operator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import SupportsIndex

__all__ = ["SUCCESS", "cudaError_t"]


class cudaError_t:  # noqa: N801  the name is CUDA's
    """The status that a call of CUDA returned; it equals its number and the constants of cuda.bindings.

    Args:
        code: the number, such as 0 for cudaSuccess. Raises TypeError if it is not an integer.
    """

    __slots__ = ("_code",)

    def __init__(self, code: SupportsIndex) -> None:
        self._code = operator.index(code)

    @property
    def code(self) -> int:
        """The number by which CUDA's documentation lists the status."""
        return self._code

    def as_int(self) -> int:
        """Return the number by which CUDA's documentation lists the status."""
        return self._code

    def __int__(self) -> int:
        return self._code

    def __index__(self) -> int:
        return self._code

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (cudaError_t, int)):
            return self._code == int(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._code)

    def __repr__(self) -> str:
        return f"<cudaError: code={self._code}>"


SUCCESS = cudaError_t(0)
