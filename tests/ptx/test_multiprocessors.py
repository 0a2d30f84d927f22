"""`%smid` and `%nsmid` on host cores: blocks have numbers of cores."""

from __future__ import annotations

from pathlib import Path

PROGRAM = Path(__file__).with_name("multiprocessors_program.py")


def test_a_block_has_the_number_of_a_core(any_shim_python) -> None:
    assert any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM) == "True True\n"
