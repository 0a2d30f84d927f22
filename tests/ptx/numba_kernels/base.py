"""The launch of a kernel, and Numba or its stand-in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

try:
    from numba import cuda
    from numba.cuda import libdevice, random
except ModuleNotFoundError:

    class _Absent:
        """Stands in for Numba where kernels are launched and not compiled: a decorator leaves a function as it is."""

        def __getattr__(self, name: str) -> Any:
            return self

        def __call__(self, *given: Any, **named: Any) -> Any:
            return given[0] if given and callable(given[0]) else self

    cuda = libdevice = random = _Absent()

__all__ = [
    "APPROXIMATE", "APPROXIMATE_DOUBLE", "DEBUG", "HOPPER", "LINES", "VOLTA", "Case", "case", "cuda", "flattened", "floats",
    "libdevice", "random", "registered", "whole", "zeros",
]  # fmt: skip

Build = Callable[[np.random.Generator], tuple[list[Any], dict[int, Any]]]


@dataclass(frozen=True)
class Case:
    """A kernel, its compilation and its launch.

    Attributes:
        name: unique: the module's name and the function's, with a word more for other options.
        function: the kernel in Python.
        build: makes the arguments, and by place the values that arrays must hold afterwards; takes a random generator.
        grid, block: up to three sizes.
        shared: bytes of dynamic shared memory.
        cc: the compute capability that it is compiled for.
        options: the compiler's other options.
        near: the relative tolerance of results against those expected on the host; 0 for the same bits.
        rtol, atol: the tolerance against the recorded results; 0 for the same bits.
        why: the reason for that tolerance.
    """

    name: str
    function: Callable[..., None]
    build: Build
    grid: int | tuple[int, ...]
    block: int | tuple[int, ...]
    shared: int = 0
    cc: tuple[int, int] = (8, 0)
    options: Mapping[str, Any] = field(default_factory=dict)
    near: float = 0.0
    rtol: float = 0.0
    atol: float = 0.0
    why: str = ""

    def run(self) -> tuple[list[Any], dict[int, Any]]:
        """Return the arguments and the expected results, the same ones each time; variants have the same ones too."""
        return self.build(np.random.default_rng(sum(map(ord, self.name.partition("+")[0]))))


registered: dict[str, Case] = {}


def case(
    function: Callable[..., None], also: Mapping[str, Mapping[str, Any]] | None = None, **launch: Any
) -> Callable[[Build], Build]:
    """Register a launch of a kernel; `also` maps a word to the settings that a variant changes."""

    def register(build: Build) -> Build:
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        for word, changed in {"": {}, **(also or {})}.items():
            full = f"{name}+{word}" if word else name
            assert full not in registered, f"two launches are called {full}"
            registered[full] = Case(full, function, build, **{**launch, **changed})
        return build

    return register


#: Variants that any kernel can have.
DEBUG: dict[str, Any] = {"debug": {"options": {"debug": True, "opt": False}}}
LINES: dict[str, Any] = {"lines": {"options": {"lineinfo": True}}}
#: Settings of kernels whose PTX has instructions that only approximate.
APPROXIMATE: dict[str, Any] = {
    "rtol": 2e-6,
    "atol": 1e-7,
    "why": "instructions such as ex2.approx are not the same everywhere",
}
APPROXIMATE_DOUBLE: dict[str, Any] = {
    "rtol": 1e-13,
    "atol": 1e-14,
    "why": "doubles are divided from rcp.approx.ftz.f64 on",
}
HOPPER: dict[str, Any] = {"cc": (9, 0)}
VOLTA: dict[str, Any] = {"cc": (7, 0)}


def floats(random: np.random.Generator, *shape: int, low: float = -2, high: float = 2, dtype: Any = np.float32) -> Any:
    return random.uniform(low, high, shape).astype(dtype)


def whole(random: np.random.Generator, low: int, high: int, *shape: int, dtype: Any = np.int32) -> Any:
    """Return integers from low to high - 1, also as floats, whose sums are exact in any order."""
    return random.integers(low, high, shape).astype(dtype)


def zeros(*shape: int, dtype: Any = np.float32) -> Any:
    return np.zeros(shape, dtype)


def flattened(argument: Any) -> list[np.ndarray | np.generic]:
    """Return the parameters of a kernel of Numba for an argument: an array stands in place of its address."""
    if isinstance(argument, tuple):
        return [part for value in argument for part in flattened(value)]
    if isinstance(argument, (np.ndarray, np.void)):
        if isinstance(argument, np.void):
            return [argument]
        sizes = [np.int64(size) for size in (argument.size, argument.itemsize)]
        rest = [np.int64(size) for size in (*argument.shape, *argument.strides)]
        return [np.uint64(0), np.uint64(0), *sizes, argument, *rest]
    if isinstance(argument, np.complexfloating):
        return [argument.real, argument.imag]
    return [np.asarray(argument)[()]]
