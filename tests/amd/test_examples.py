"""The CUDA programs within examples/ and tests/programs/ become machine code of AMD's targets."""

from __future__ import annotations

import ast
import re

import pytest

from tests.amd.toolchain import MACHINE_CODE, TARGETS
from tests.environments import ROOT

_KERNEL = re.compile(r"__global__\s+void\s+\w+\s*\(.*\{", re.DOTALL)


def programs():
    """Each literal that is CUDA C++, by its file and line."""
    for file in sorted([*(ROOT / "examples").rglob("*.py"), *(ROOT / "tests" / "programs").glob("*.py")]):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
                text = node.value.decode() if isinstance(node.value, bytes) else node.value
                # AMD's GPUs have no function that sets a graph's condition: `scan` reports it.
                if _KERNEL.search(text) and "cudaGraphSetConditional" not in text:
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", text


PROGRAMS = dict(programs())


def test_the_first_example_is_among_them():
    assert any(name.startswith("examples/saxpy.py:") for name in PROGRAMS)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_becomes_machine_code(name, target, compiler, tmp_path):
    done = compiler.compile(PROGRAMS[name].encode(), b"example.cu", target, folder=tmp_path, depth=MACHINE_CODE)
    assert done.status == 0, done.log
