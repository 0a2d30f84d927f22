"""The verbs, and the messages about words that are none."""

from __future__ import annotations

import subprocess
import sys

import pytest

import cuda_shim
from cuda_shim.cli.main import main
from tests.interpreters import HANG, PACKAGE_ROOT, clean_environment


@pytest.mark.parametrize("words", [["--version"], ["-V"], ["version"]])
def test_version(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(words) == 0
    assert capsys.readouterr().out == f"cuda_shim {cuda_shim.__version__}\n"


def test_version_takes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version", "x"]) == 2
    assert capsys.readouterr().err == "cuda_shim: version takes no arguments, not x\n"


@pytest.mark.parametrize("verb", ["run", "doctor", "scan", "explain", "report", "cache", "tables", "version"])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_verb_explains_itself(capsys: pytest.CaptureFixture[str], verb: str, flag: str) -> None:
    assert main([verb, flag]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("usage: python ")
    assert verb in said.out.splitlines()[0]
    assert said.err == ""


def test_a_verb_of_two_words_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "check", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: python -m cuda_shim tables ")


def test_tables_check_of_what_is_no_python(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "check", "/nope"]) == 2
    assert capsys.readouterr().err == (
        "cuda_shim: tables: /nope cannot be started as Python: No such file or directory\n"
    )


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"]])
def test_help(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(words) == 0
    shown = capsys.readouterr().out
    for verb in ("run", "doctor", "version"):
        assert f"\n  {verb}" in shown


def test_nothing_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("usage: python -m cuda_shim")


def test_a_reader_that_leaves_early() -> None:
    """As with ``doctor | head -1``: no traceback."""
    with subprocess.Popen(
        [sys.executable, "-m", "cuda_shim", "doctor", "--json"], cwd=PACKAGE_ROOT, env=clean_environment(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read().splitlines()
        assert [line for line in said if "building the CPU-hosted HIP runtime" not in line] == []
        assert process.wait(HANG) == 1


def test_misspelt_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docter"]) == 2
    assert capsys.readouterr().err == "cuda_shim: no verb 'docter'; did you mean doctor?\n"


def test_a_program_where_a_verb_is_expected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["saxpy.py"]) == 2
    assert "to run a program: python -m cuda_shim run saxpy.py" in capsys.readouterr().err
