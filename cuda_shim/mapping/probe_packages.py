"""The names that the cuda-bindings and hip-python of an interpreter define, printed as JSON.

`tables check` runs this file in that interpreter, isolated, so it imports nothing of cuda_shim and works
with any Python that those packages work with.
"""

from __future__ import annotations

import importlib
import json
import sys
import types
import warnings
from typing import Any

MODULES = ("driver", "runtime", "nvrtc", "utils")


def bindings() -> dict[str, Any] | None:
    """Return NVIDIA's modules: version, and each public name with its kind and details. None where not installed."""
    try:
        package = importlib.import_module("cuda.bindings")
    except ImportError:
        return None
    if getattr(package, "HIP_PYTHON", False):
        return None  # AMD's interop package, or cuda_shim itself: no authority on CUDA's names
    modules = {}
    for name in MODULES:
        try:
            module = importlib.import_module(f"cuda.bindings.{name}")
        except ImportError:
            continue
        modules[name] = {key: described for key, value in vars(module).items() if (described := describe(key, value))}
    return {"version": package.__version__, "modules": modules}


def describe(name: str, value: Any) -> dict[str, Any] | None:
    """Return a public name's kind and details; None for a name that the module only imported for itself."""
    # Anonymous structs and unions are renumbered in every release, and cudaBindings…Global holds the state of
    # NVIDIA's implementation: no program can mean them.
    if name.startswith(("_", "anon_", "cudaBindings")) or isinstance(value, types.ModuleType):
        return None
    if isinstance(value, type):
        return describe_class(value)
    if isinstance(value, int):
        return {"kind": "constant", "value": int(value)}
    if callable(value) and str(getattr(value, "__module__", "")).startswith("cuda.bindings"):
        return {"kind": "function", "arguments": arguments(value), "types": documented(value)}
    return None


def describe_class(cls: type) -> dict[str, Any] | None:
    """Return a class of the bindings: its enum members, or its public attributes."""
    if not cls.__module__.startswith("cuda.bindings") or cls.__module__.startswith("cuda.bindings._internal"):
        return None
    members = getattr(cls, "__members__", None)
    if members is not None:
        return {"kind": "enum", "members": {name: int(member) for name, member in members.items()}}
    return {"kind": "type", "attributes": sorted(name for name in dir(cls) if not name.startswith("_"))}


def arguments(function: Any) -> list[str]:
    """Return the Python argument names, of a Cython function too."""
    code = function.__code__
    return list(code.co_varnames[: code.co_argcount])


def documented(function: Any) -> dict[str, str]:
    """Return the types of arguments and results by name, from the sections of the docstring."""
    types: dict[str, str] = {}
    section = ""
    lines = (getattr(function, "__doc__", None) or "").splitlines()
    for line, below in zip(lines, [*lines[1:], ""]):  # noqa: B905 - runs with any Python
        if below.startswith("---"):
            section = line.strip()
        name, colon, kind = line.partition(" : ")
        if section in ("Parameters", "Returns") and colon and name.isidentifier():
            types[name] = kind.replace(":py:obj:", "").replace("`", "").replace("~.", "").strip()
    return types


def hip_python() -> dict[str, Any] | None:
    """hip-python: generation, function names, and enum constants by class. None where not installed."""
    for generation, package in ((10, "rocm.bindings"), (7, "hip")):
        try:
            modules = [importlib.import_module(f"{package}.{name}") for name in ("hip", "hiprtc")]
        except ImportError:
            continue
        contents: dict[str, Any] = {"generation": generation, "functions": [], "enums": {}, "types": []}
        for module in modules:
            for name, value in vars(module).items():
                if isinstance(value, type):
                    members = getattr(value, "__members__", None)
                    if members is None:
                        contents["types"].append(name)
                    else:
                        contents["enums"][name] = {member: int(number) for member, number in members.items()}
                elif callable(value):
                    contents["functions"].append(name)
        return contents
    return None


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump({"bindings": bindings(), "hip_python": hip_python()}, sys.stdout)
