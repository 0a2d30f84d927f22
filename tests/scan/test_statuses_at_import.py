"""A module that reads a status which HIP never returns fails at import; its message and scan both name the setting."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.cli.main import main
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import EnumRow
from tests.interpreters import PACKAGE_ROOT, start

LAYOUT = "13.5"
STATUSES = {"driver": "CUresult", "runtime": "cudaError_t"}
# A package's module reads all of them when it is imported; the program prints the failure of each by itself.
PROGRAM = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
try:
    importlib.import_module("reads_statuses")
    print("imported")
except AttributeError as error:
    print(error)
"""


def unreadable(table: str) -> list[str]:
    """The statuses of an API without a counterpart in HIP."""
    row = store.load(table).row(STATUSES[table], LAYOUT)
    assert isinstance(row, EnumRow)
    return [member.name for member in row.members if member.hip is None]


def imported(folder: Path, **environment: str) -> str:
    done = start(
        "-m", "cuda_shim", "run", "--backend", "cpu", "--cuda", LAYOUT, "-c", PROGRAM, folder,
        PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_QUIET="1", **environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("table", STATUSES)
def test_the_setting_is_named(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    enum, names = STATUSES[table], unreadable(table)
    assert len(names) > 1
    setting = f"HIP_PYTHON_{enum}_HALLUCINATE"
    module = tmp_path / "reads_statuses.py"
    reads = [f"    {enum}.{name}," for name in names]
    module.write_text("\n".join([f"from cuda.bindings.{table} import {enum}", "RETRY = {", *reads, "}", ""]))

    assert imported(tmp_path).startswith(
        f"{enum}.{names[0]} has no HIP counterpart: no call returns it here; set {setting}=1"
    )
    assert imported(tmp_path, **{setting: "1"}) == "imported\n"

    assert main(["scan", "--cuda", LAYOUT, "--problems", str(module)]) == 1
    lines = capsys.readouterr().out.splitlines()
    expected = [
        (f"{module}:{line}:5: CS202 {enum}.{name}: ", f"{setting}=1") for line, name in enumerate(names, start=3)
    ]
    assert len(lines) >= len(expected)
    for line, (begin, end) in zip(lines, expected, strict=False):
        assert line.startswith(begin)
        assert end in line
