"""``doctor``: the same findings as a table and as JSON, and an exit status that machines can use."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cuda_shim import settings
from cuda_shim.cli import doctor as doctor_module
from cuda_shim.cli import findings
from cuda_shim.cli.doctor import doctor
from tests.interpreters import PACKAGE_ROOT, Environment, start

DOCTOR = ("-m", "cuda_shim", "doctor")

HEALTHY = {
    "hip-python": "10.0 (rocm.bindings)", "backend": "cpu (no AMD GPU was found), nothing loaded yet",
    "rocm library": "libamdhip64.so", "rocm devices": "none: no AMD GPU was found",
    "cpu": "x86_64, 4 cores", "cpu compiler": "clang", "cpu runtime": "not built yet", "cache": "/c (0 MB)",
}  # fmt: skip


@pytest.fixture
def hip(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The backends' report, to be changed by the test."""
    facts: dict[str, object] = dict(HEALTHY)
    monkeypatch.setattr(findings.backends, "describe", lambda: facts)
    for name in ("CUDA_SHIM", "CUDA_SHIM_BACKEND", "CUDA_SHIM_CUDA"):
        monkeypatch.delenv(name, raising=False)
    return facts


def report(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    status = doctor(["--json"])
    return status, json.loads(capsys.readouterr().out)


def test_healthy(hip: dict[str, object], capsys: pytest.CaptureFixture[str]) -> None:
    status, document = report(capsys)
    assert (status, document["usable"], document["problems"]) == (0, True, [])
    assert document["cuda"]["served"]["value"].startswith("13.5 (as cuda-bindings 13.5.0): ")
    assert document["hip"]["cpu compiler"] == {"value": "clang", "state": "ok"}
    assert document["settings"]["CUDA_SHIM_BACKEND"]["value"] == "auto (default)"
    assert set(document["settings"]) == {item.variable for item in settings.SETTINGS}
    assert document["python"]["executable"]["value"] == sys.executable


@pytest.mark.parametrize(
    ("backend", "broken", "usable"),
    [
        ("cpu (asked for)", "hip-python", False), ("cpu (asked for)", "cpu compiler", False),
        ("cpu (asked for)", "rocm library", True), ("rocm (asked for)", "rocm library", False),
        ("rocm (asked for)", "cpu compiler", True),
        ("rocm if a device answers, nothing loaded yet", "cpu compiler", False),
    ],
)  # fmt: skip
def test_only_what_the_backend_needs_makes_it_unusable(
    hip: dict[str, object], capsys: pytest.CaptureFixture[str], backend: str, broken: str, usable: bool
) -> None:
    hip |= {"backend": backend, broken: "problem: it is not there: install it"}
    status, document = report(capsys)
    assert (status, document["usable"]) == (0 if usable else 1, usable)
    assert document["hip"][broken] == {
        "value": "it is not there: install it", "state": "note" if usable else "problem"
    }  # fmt: skip
    assert document["problems"] == ([] if usable else [f"{broken}: it is not there: install it"])


def test_bad_settings(
    hip: dict[str, object], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_SHIM_CUDA", "9")
    monkeypatch.setenv("CUDA_SHIM_BAKEND", "cpu")
    status, document = report(capsys)
    assert status == 1
    assert document["settings"]["CUDA_SHIM_CUDA"]["state"] == "problem"
    assert document["settings"]["CUDA_SHIM_BAKEND"] == {
        "value": "is set and is no setting of cuda_shim; misspelt?", "state": "note"
    }  # fmt: skip


def test_users_cuda_py(
    hip: dict[str, object],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "cuda.py"
    file.write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    status, document = report(capsys)
    assert status == 1
    assert document["conflicts"] == {
        str(file): {"value": "hides the package cuda: rename this file", "state": "problem"}
    }


@pytest.mark.parametrize("with_rich", [True, False])
def test_table_says_what_json_says(
    hip: dict[str, object],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    with_rich: bool,
) -> None:
    if with_rich:
        pytest.importorskip("rich")
        monkeypatch.setenv("COLUMNS", "300")
    else:
        monkeypatch.setitem(sys.modules, "rich.console", None)
    hip["cpu compiler"] = "problem: [none] was found: install clang or g++"
    assert doctor([]) == 1
    shown = capsys.readouterr().out
    for item in findings.find():
        assert item.name in shown
        assert item.value in shown
    assert shown.endswith("CUDA programs cannot run here; see what is marked problem (1).\n")
    del hip["cpu compiler"]
    assert doctor([]) == 0
    assert capsys.readouterr().out.endswith("CUDA programs can run here.\n")


def test_unknown_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor(["--jsn"]) == 2
    assert (
        capsys.readouterr().err
        == "cuda_shim: doctor: unknown option --jsn; the options are --json, --build, --kernels\n"
    )
    assert doctor(["--help"]) == 0
    assert capsys.readouterr().out == doctor_module.USAGE


def test_for_real() -> None:
    """On the machine at hand, whatever it has: the status agrees with the report."""
    done = start(*DOCTOR, "--json", cwd=PACKAGE_ROOT)
    document = json.loads(done.stdout)
    assert done.returncode == (0 if document["usable"] else 1)
    assert set(document["hip"]) >= {"hip-python", "backend"}


def test_without_hip_python(installed: Environment) -> None:
    done = installed.start(*DOCTOR, "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 1
    assert "hip-python" in " ".join(document["problems"])
    assert document["cuda_shim"]["start-up file"]["value"].endswith("cuda_shim.pth")


def test_startup_file_and_activation(installed: Environment, uninstalled: Environment) -> None:
    on = json.loads(installed.start(*DOCTOR, "--json", CUDA_SHIM="1").stdout)["cuda_shim"]
    off = json.loads(uninstalled.start(*DOCTOR, "--json", CUDA_SHIM="1").stdout)["cuda_shim"]
    assert on["enabled"]["value"] == "yes, by environment"
    assert off["enabled"]["value"] == "no, not in this process"
    assert off["start-up file"]["state"] == "note"
    assert off["start-up file"]["value"].startswith("not installed: CUDA_SHIM=1 alone has no effect")


def test_nvidias_packages_are_named_and_ours_are_not(installed: Environment, tmp_path: Path) -> None:
    assert "conflicts" not in json.loads(installed.start(*DOCTOR, "--json", CUDA_SHIM="1").stdout)
    environment = Environment(tmp_path / "venv")
    environment.pretend_installed("cuda-bindings", "12.9.1")
    document = json.loads(environment.start(*DOCTOR, "--json").stdout)
    found = document["conflicts"]["cuda-bindings"]
    assert found["value"].startswith("12.9.1 is installed: its modules are hidden")
    assert document["cuda"]["served"]["value"].endswith("cuda-bindings 12.9.1 is installed")
