"""Every device function of numbers that NVIDIA's headers declare is there on AMD's targets.

One program holds a kernel for each. It becomes intermediate code, where a built-in function that a target lacks is refused,
and machine code for one target.
"""

from __future__ import annotations

import pytest

from tests.amd.toolchain import INTERMEDIATE_CODE, MACHINE_CODE, NAMES_AND_TYPES, TARGETS
from tests.kernels.values import functions, source

FUNCTIONS = [function for function in functions() if not function.name.startswith("(")]
DEPTH = {"gfx1100": MACHINE_CODE}


def missing(log, text):
    """The functions that the compiler reports an error for, each by its kernel's line."""
    lines = text.splitlines()
    numbers = {
        int(place.split(":")[1]) for place in log.splitlines() if place.startswith("values.cu:") and " error: " in place
    }
    return [lines[number - 1].strip() for number in sorted(numbers)]


@pytest.mark.parametrize("target", TARGETS)
def test_functions_of_numbers(target, compiler, tmp_path):
    assert len(FUNCTIONS) == 547
    text = source(FUNCTIONS)
    done = compiler.compile(
        text.encode(), b"values.cu", target, folder=tmp_path, depth=DEPTH.get(target, INTERMEDIATE_CODE)
    )
    assert missing(done.log, text) == []
    assert done.status == 0, done.log


def test_functions_of_numbers_with_the_next_header(next_compiler, tmp_path):
    text = source(FUNCTIONS)
    done = next_compiler.compile(text.encode(), b"values.cu", "gfx1100", folder=tmp_path, depth=NAMES_AND_TYPES)
    assert missing(done.log, text) == []
    assert done.status == 0, done.log


def test_a_function_that_is_not_there_is_named(compiler, tmp_path):
    text = source(FUNCTIONS[:3]).replace("__brev(", "__not_there(")
    done = compiler.compile(text.encode(), b"values.cu", "gfx1100", folder=tmp_path, depth=NAMES_AND_TYPES)
    assert done.status != 0
    assert ["__not_there" in line for line in missing(done.log, text)] == [True]
