"""Every program of the corpus becomes machine code of AMD's targets with the built-in header of today.

With the header of tomorrow the compiler goes as far as names and types, for one target: the header only adds names, and
its declarations for each target stay.
"""

from __future__ import annotations

import re

import pytest

from tests.amd import refusals
from tests.amd.toolchain import MACHINE_CODE, NAMES_AND_TYPES, TARGETS
from tests.kernels.corpus import programs

PROGRAMS = programs()


def compiled(compiler, program, target, folder, depth):
    """Return the outcome of a program, its name expressions included."""
    return compiler.compile(
        program.source.encode(), program.file.encode(), target, folder=folder, depth=depth,
        headers={name.encode(): text.encode() for name, text in program.headers.items()},
        options=[option.encode() for option in program.options], kernels=[kernel.encode() for kernel in program.kernels],
    )  # fmt: skip


def check(done, reason):
    """Compare with the expected outcome: success, or a refusal for this very reason."""
    errors = [line for line in done.log.splitlines() if re.search(r" error *: ", line)]
    if reason is None:
        assert done.status == 0, done.log
        assert not [line for line in done.log.splitlines() if "cuda_shim/" in line], (
            done.log
        )  # our headers give no warnings
    else:
        assert done.status != 0, f"it compiles, though it is listed as refused: {reason}"
        assert any(reason in line for line in errors), done.log


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_becomes_machine_code(name, target, compiler, tmp_path):
    done = compiled(compiler, PROGRAMS[name], target, tmp_path, MACHINE_CODE)
    check(done, refusals.CORPUS.get(name, {}).get(target))


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_right_with_the_next_header_too(name, next_compiler, tmp_path):
    done = compiled(next_compiler, PROGRAMS[name], "gfx1100", tmp_path, NAMES_AND_TYPES)
    check(done, refusals.CORPUS.get(name, {}).get("gfx1100"))


def test_refusals_are_of_programs_that_there_are():
    assert refusals.CORPUS.keys() <= PROGRAMS.keys()
