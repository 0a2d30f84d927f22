"""The type stub of `PyGPU`: its classes are the ones of cuda_shim.pygpu, its functions are written from the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cuda_shim.mapping import store
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.rows import FunctionRow
from cuda_shim.mapping.text_tables import load_text

__all__ = ["write_pygpu_stubs"]

_HEAD = '"""Types of PyGPU as cuda_shim serves it. Generated from its tables."""\n\nfrom typing import Any\n\n'
_TYPES = {"int": "int", "cudaError_t": "cudaError_t | int", "cudaEvent_t": "cudaEvent_t"}
_STREAM = "cudaStream_t | int | None"


def write_pygpu_stubs(target: Path) -> list[Path]:
    """Write the stub package into the folder `target`; returns its files."""
    rows = load_text("pygpu")
    imports, classes, functions = [], [], []
    for name, row in rows.items():
        if "calls" in row:
            functions.append(_function(name, row))
            continue
        module, _, class_name = row["code"].partition(".")
        if row["dtype"] is None:
            imports.append(f"from cuda_shim.pygpu.{module} import {class_name} as {name}\n")
        else:
            base = f"from cuda_shim.pygpu.{module} import {class_name} as _{class_name}\n"
            if base not in imports:
                imports.append(base)
            classes.append(f"class {name}(_{class_name}): ...\n")
    target.mkdir(parents=True, exist_ok=True)
    path = target / "__init__.pyi"
    path.write_text("".join([_HEAD, *imports, "\n", *classes, "\n", *functions]), encoding="utf-8")
    return [path]


def _function(name: str, row: dict[str, Any]) -> str:
    arguments = ", ".join(
        f"{parameter}: {_TYPES.get(kind, _STREAM)}" + ("" if default is None else " = ...")
        for parameter, kind, default in row["takes"]
    )
    return f"def {name}({arguments}) -> {_returned(row)}: ...\n"


def _returned(row: dict[str, Any]) -> str:
    if row["gives"] == "text":
        return "str"
    called = store.load("runtime").row(row["calls"], LAYOUTS[-1])
    values = len(called.outputs) if isinstance(called, FunctionRow) else 0
    # The value of a failed call is None; programs test the status first, so checkers need not insist.
    return f"tuple[{'Any, ' * values}cudaError_t]" if values else "cudaError_t"
