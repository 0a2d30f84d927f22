"""Writes a Cython module that takes the address of every C function of a layout: `cy_all.py LAYOUT FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

from cuda_shim.c_level.interface import signatures

MODULES = {"driver": "cydriver", "runtime": "cyruntime", "nvrtc": "cynvrtc"}

layout, file = sys.argv[1:]
lines = [f"from cuda.bindings cimport {module}" for module in MODULES.values()] + ["cdef void *address"]
for table, module in MODULES.items():
    lines += [f"address = <void *>{module}.{name}" for name in signatures(table, layout)]
Path(file).write_text("\n".join([*lines, "print('all of them')", ""]), encoding="ascii")
