"""Packages and libraries that reach CUDA by themselves, past ``cuda.*``: the rows of tables/packages.yaml."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from cuda_shim.c_level import build
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.text_tables import load_text
from cuda_shim.scan.diagnostics import BACKENDS, NOT_JUDGED, Answer, Verdict

__all__ = ["Place", "devices_of_torch", "judge_module", "libraries", "roots", "wheel_of_header"]

_CODES = {"works": "CS103", "itself": NOT_JUDGED, "refuse": "CS205"}
_LIBRARY = re.compile(r"(?:.*/)?lib(?P<name>[\w-]+)\.so(?:\.\d+)*")
_TORCH_DEVICE = re.compile(r"cuda(:\d+)?")


class Place(NamedTuple):
    """A place in a file (line and column from 1), the name there, and the verdict on it."""

    line: int
    column: int
    name: str
    verdict: Verdict


@cache
def roots() -> frozenset[str]:
    """Return the first parts of the modules that the table knows."""
    return frozenset(name.partition(".")[0] for name in load_text("packages")["modules"])


def judge_module(target: str) -> tuple[str, Verdict] | None:
    """Return the table's row for a dotted name, the longest that fits, with its verdict; None where there is none."""
    rows = load_text("packages")["modules"]
    parts = target.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in rows:
            rocm, cpu = (Answer(_CODES[rows[name][backend][0]], rows[name][backend][1]) for backend in BACKENDS)
            return name, Verdict.apart(name, rocm, cpu)
    return None


def wheel_of_header(name: str) -> str | None:
    """Return the wheel whose folder of headers has a header, None for those of no wheel that is known."""
    wheels = load_text("packages")["headers"]
    return next((str(wheel) for beginning, wheel in wheels.items() if name.startswith(beginning)), None)


def libraries(tree: ast.Module) -> Iterator[Place]:
    """Yield NVIDIA's libraries that are opened by name: file names in strings, and arguments of `find_library`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            file = _LIBRARY.fullmatch(node.value)
            verdict = _judge_library(file["name"], node.value.rpartition("/")[2]) if file else None
        elif isinstance(node, ast.Call) and _called(node) == "find_library" and node.args:
            first = node.args[0]
            name = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
            verdict = _judge_library(name, f"find_library({name!r})")
        else:
            continue
        if verdict is not None:
            yield Place(node.lineno, node.col_offset + 1, verdict.message.partition(":")[0], verdict)


def devices_of_torch(tree: ast.Module) -> Iterator[Place]:
    """Yield the places where torch is asked for a GPU without torch.cuda: `"cuda:0"`, and the method `.cuda()`."""
    judged = judge_module("torch.cuda")
    if judged is None:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            named = isinstance(node.value, str) and _TORCH_DEVICE.fullmatch(node.value) is not None
        else:
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cuda"
        if named and isinstance(node, ast.expr):
            yield Place(node.lineno, node.col_offset + 1, *judged)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _judge_library(name: str, written: str) -> Verdict | None:
    """Return the verdict on a library by the name between `lib` and `.so`; None where it is not NVIDIA's."""
    if f"lib{name}.so" in _served_libraries():
        return Verdict("CS103", f"{written}: served by its name, unless CUDA_SHIM_DLOPEN=0")
    for library, text in load_text("packages")["libraries"].items():
        if name == library or (library.endswith("*") and name.startswith(library[:-1])):
            return Verdict("CS205", f"{written}: NVIDIA's own library, which is not served; {text}")
    return None


@cache
def _served_libraries() -> frozenset[str]:
    """Return the file names, without versions, that the shim's C interface answers to."""
    return frozenset(f"{name.partition('.so')[0]}.so" for layout in LAYOUTS for name in build.file_names(layout))
