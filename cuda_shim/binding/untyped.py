"""The places where the binder's types end, each under a name.

What a class that is made from a row has, and what a function of hip-python takes and returns, is said by tables and by
hip-python while the program runs. A type checker cannot know it, so these are Any, and nothing else in the files that
arrange functions is. The files that make or convert the values themselves (`structs/`, `enums/`, `handles`, `lists`,
`kernel_parameters` and what they use) say Any for the same reasons: an instance of a class that is made from a row, or
a type or memory of ctypes. What only passes through them is `object`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

__all__ = ["AnyCType", "AnyFunction", "AnyProcedure", "CudaFunction", "NativeFunction", "RowClass", "RowObject"]

#: What a row becomes, an instance of such a class, or what a function of HIP returned.
RowObject: TypeAlias = Any
#: The class that is made from the row of an enum, a handle or a struct.
RowClass: TypeAlias = type[Any]
#: A function of hip-python, or one that is compiled from a row.
AnyFunction: TypeAlias = Callable[..., Any]
#: A function that is called for what it does, or raises.
AnyProcedure: TypeAlias = Callable[..., None]
#: A function that a program calls: it returns a status, and after it what the row says.
CudaFunction: TypeAlias = Callable[..., tuple[Any, ...]]
#: A function of the C library that hip-python opened; it returns HIP's status, or whatever its row says.
NativeFunction: TypeAlias = Callable[..., int]
#: A type of ctypes, as `argtypes` takes it.
AnyCType: TypeAlias = Any
