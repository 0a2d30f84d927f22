"""The places where the binder's types end, each under a name.

The members of a class that is made from a row, and the arguments and results of a hip-python function, come from tables
and from hip-python while the program runs. A type checker cannot know them, so these are Any, and nothing else in the
files that arrange functions is. The files that make or convert the values themselves (`structs/`, `enums/`, `handles`,
`lists`, `kernel_parameters` and the modules they use) have Any for the same reasons: an instance of a class that is
made from a row, or a type or memory of ctypes. Values that only pass through them are `object`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

__all__ = ["AnyCType", "AnyFunction", "AnyProcedure", "CudaFunction", "NativeFunction", "RowClass", "RowObject"]

#: The object made from a row, an instance of such a class, or a result of a HIP function.
RowObject: TypeAlias = Any
#: The class that is made from the row of an enum, a handle or a struct.
RowClass: TypeAlias = type[Any]
#: A function of hip-python, or one that is compiled from a row.
AnyFunction: TypeAlias = Callable[..., Any]
#: A function that is called for its effects, or for the error that it raises.
AnyProcedure: TypeAlias = Callable[..., None]
#: A function that a program calls: it returns a status, and after it the outputs of its row.
CudaFunction: TypeAlias = Callable[..., tuple[Any, ...]]
#: A function of the C library that hip-python opened; it returns HIP's status, or the result that its row names.
NativeFunction: TypeAlias = Callable[..., int]
#: A type of ctypes, as `argtypes` takes it.
AnyCType: TypeAlias = Any
