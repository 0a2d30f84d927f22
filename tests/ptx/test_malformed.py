"""Texts that are no longer PTX, through the driver: an error with its place, whichever word was changed."""

from __future__ import annotations

from pathlib import Path

from tests.ptx.malformed import RICH, mutations

PROGRAM = Path(__file__).resolve().parent / "malformed_program.py"


def run(python, folder, texts):
    for number, text in enumerate(texts):
        (folder / f"{number:04}.ptx").write_text(text, encoding="utf-8")
    done = python.start_for(3600, "-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, folder)
    *wrong, taken = done.stdout.splitlines()
    assert (done.returncode, wrong) == (0, []), done.stderr
    return int(taken.split()[0])


def test_every_prefix(any_shim_python, tmp_path):
    """Prefixes without a kernel's end have no kernel; few are modules all the same."""
    assert run(any_shim_python, tmp_path, [RICH[:end] for end in range(1, len(RICH))]) < 60


def test_a_thousand_mutations(any_shim_python, tmp_path):
    assert 20 < run(any_shim_python, tmp_path, mutations(14, 1000)) < 200
