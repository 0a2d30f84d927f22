"""A finder over a small invented table, so that the hook is tested without tables, binders or HIP."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from cuda_shim.hook.finder import Finder

MODULES = {
    "cuda.bindings": None,
    "cuda.bindings.driver": "driver",
    "cuda.bindings.runtime": "runtime",
    "cuda.bindings.utils": "utils",
    "cuda.cuda": "driver",
    "cuda.cudart": "runtime",
}


class RecordingBinder:
    """A binder that makes a new object at each request, so that tests see whether one was kept."""

    def __init__(self) -> None:
        self.resolved: list[str] = []
        self.switches: dict[str, object] = {"cudaError_t": False}

    def names(self) -> frozenset[str]:
        return frozenset({"cuInit", "CUresult", "cudaError_t", "cuBroken"})

    def resolve(self, name: str) -> object:
        self.resolved.append(name)
        if name == "HIP_PYTHON":
            return True
        if name == "HIP_PYTHON_cudaError_t_HALLUCINATE":
            return self.switches["cudaError_t"]
        if name == "cuBroken":
            raise KeyError("a fault inside the binder")
        if name in self.names():
            return [name]
        return None

    def set_hallucination(self, enum_name: str, value: object) -> bool:
        if enum_name in self.switches:
            self.switches[enum_name] = value
        return enum_name in self.switches


class Served:
    """The finder at work, and the requests to it."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.binders: dict[str, RecordingBinder] = {}
        self.shadowed: list[str] = []
        self.finder = Finder(MODULES, self.open_module, "13.5.0", self.shadowed.append)

    def open_module(self, fullname: str) -> RecordingBinder:
        self.opened.append(fullname)
        return self.binders.setdefault(fullname, RecordingBinder())


def cuda_modules() -> list[str]:
    return [name for name in sys.modules if name == "cuda" or name.startswith("cuda.")]


@pytest.fixture
def served() -> Iterator[Served]:
    """The finder, first in sys.meta_path; modules that were loaded under cuda are set aside meanwhile."""
    aside = {name: sys.modules.pop(name) for name in cuda_modules()}
    state = Served()
    sys.meta_path.insert(0, state.finder)
    yield state
    sys.meta_path.remove(state.finder)
    for name in cuda_modules():
        del sys.modules[name]
    sys.modules.update(aside)
