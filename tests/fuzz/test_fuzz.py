"""The fuzzer, for some seconds; with sanitizers, and for as long as wanted: `python -m tests.fuzz --help`."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from cuda_shim.mapping import store
from cuda_shim.mapping.rows import FunctionRow
from tests.fuzz import campaign
from tests.fuzz.__main__ import sanitized
from tests.interpreters import run_json

#: Calls of one seed for each layout; the fuzzer by hand makes other calls in every run.
SHORT, LONG = 1200, 4000
LONG_SEEDS = 60

SIGNATURES = """
import importlib, inspect, json, sys, cuda_shim
with cuda_shim.enable(backend="cpu", cuda=sys.argv[1]):
    found = {}
    for name in ("driver", "runtime", "nvrtc"):
        module = importlib.import_module(f"cuda.bindings.{name}")
        for key in dir(module):
            if inspect.isfunction(getattr(module, key)) and not key.startswith("__"):
                found[f"{name}.{key}"] = list(inspect.signature(getattr(module, key)).parameters)
print(json.dumps(found))
"""


@pytest.mark.parametrize("layout", campaign.LAYOUTS)
def test_random_calls(layout: str) -> None:
    """The calls of one seed, always the same."""
    finding = campaign.run(layout, campaign.LAYOUTS.index(layout), 0, SHORT)
    assert finding is None, str(finding)


@pytest.mark.parametrize("layout", campaign.LAYOUTS)
def test_random_calls_in_c(layout: str) -> None:
    """The same calls through the C interface."""
    finding = campaign.run(layout, campaign.LAYOUTS.index(layout), 0, SHORT, FUZZ_LEVEL="c")
    assert finding is None, str(finding)


@pytest.mark.long
def test_many_random_calls() -> None:
    first = random.SystemRandom().randrange(1 << 40)
    found = campaign.campaign(campaign.LAYOUTS, iter(range(first, first + LONG_SEEDS)), LONG)
    assert [str(finding) for finding in found if finding] == []


@pytest.mark.long
@pytest.mark.skipif(not all(map(shutil.which, ("cmake", "ninja"))), reason="needs CMake and Ninja")
@pytest.mark.parametrize("level", ["python", "c"])
def test_random_calls_under_sanitizers(level: str) -> None:
    """Run a few of the calls of `--sanitize`: the runtime with sanitizers has to begin before it can find anything."""
    environment = {**sanitized("address,undefined"), "FUZZ_LEVEL": level}
    finding = campaign.run("13.5", 1, 0, SHORT, **environment)
    assert finding is None, str(finding)


@pytest.mark.parametrize("layout", campaign.LAYOUTS)
def test_every_function_is_called_with_what_its_row_says(layout: str) -> None:
    """The fuzzer knows every served function, and makes all of its arguments."""
    rows = {
        f"{table}.{name}": [parameter.name for parameter in row.inputs]
        for table in store.TABLES
        for name in store.load(table).names(layout)
        if isinstance(row := store.load(table).row(name, layout), FunctionRow)
    }
    served = run_json(SIGNATURES, layout, CUDA_SHIM_QUIET="1")
    assert len(served) > 600
    assert {name: len(arguments) for name, arguments in served.items()} == {
        name: len(arguments) for name, arguments in rows.items()
    }


def test_a_process_that_dies_is_reported() -> None:
    """The report has its seed, the number of its call, and the command that makes that call again."""
    finding = campaign.run("12.9", 7, 0, 3, FUZZ_SHOW="no number")
    assert finding is not None
    assert "exit status 1" in str(finding)
    assert "python -m tests.fuzz --layout 12.9 --seed 7" in str(finding)
    assert json.dumps(finding.said)


@pytest.mark.parametrize("how", ["time.sleep(100)", "while True: pass"])
def test_a_call_that_hangs_is_reported(how: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A call that waits is reported, and one that works."""
    monkeypatch.setattr(campaign, "SECONDS_PER_CALL", 1.0)
    monkeypatch.setattr(campaign, "SECONDS_IDLE", 1.0)
    worker = f"""
import struct, sys, time
with open(sys.argv[-1], "r+b") as board:
    board.write(struct.pack("q56s", 5, b"runtime.never"))
{how}
"""
    package = tmp_path / "tests" / "fuzz"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").touch()
    (package / "worker.py").write_text(worker)
    monkeypatch.setattr(campaign, "PACKAGE_ROOT", tmp_path)
    finding = campaign.run("12.9", 7, 0, 9)
    assert finding is not None
    assert "a hang in call 5, runtime.never" in str(finding)


@pytest.mark.parametrize("path", ["../outside/mine.h", "../home/.cache", "../beside"])
def test_a_file_outside_is_reported(path: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "tests" / "fuzz"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").touch()
    (package / "worker.py").write_text(f"open({path!r}, 'w').close()\n")
    monkeypatch.setattr(campaign, "PACKAGE_ROOT", tmp_path)
    finding = campaign.run("12.9", 7, 0, 9)
    assert finding is not None
    assert "wrote outside its folders" in finding.what
    assert Path(path).name in finding.what
