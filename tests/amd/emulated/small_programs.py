"""A program of one kernel, `k`, whose arguments are arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

__all__ = ["Arrays", "Build", "SmallProgram"]

Arrays = list[np.ndarray]
#: Makes a program's arguments, and those that are otherwise after the launch, by their place.
Build = Callable[[np.random.Generator], tuple[Arrays, dict[int, np.ndarray]]]


class SmallProgram(NamedTuple):
    """The program and its launch."""

    source: str
    threads: int
    build: Build
    blocks: int = 1
