"""``doctor``: the same findings as a table and as JSON, and an exit status that machines can use."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cuda_shim import settings
from cuda_shim.backends import description
from cuda_shim.backends.description import Observation
from cuda_shim.binding.native_calls import build as native_calls
from cuda_shim.cli import doctor as doctor_module
from cuda_shim.cli import findings, trial
from cuda_shim.cli.doctor import doctor
from cuda_shim.cli.main import main
from tests.interpreters import PACKAGE_ROOT, Environment, start

DOCTOR = ("-m", "cuda_shim", "doctor")

HEALTHY = (
    Observation("hip-python", {"version": "10.0"}, "10.0 (rocm.bindings)"), Observation("backend", {"name": "cpu"}, "cpu"),
    Observation("rocm library", {}, "libamdhip64.so"), Observation("rocm devices", {"count": 0}, "none: no AMD GPU was found"),
    Observation("cpu compiler", {"kind": "clang"}, "clang 19"), Observation("cache", {"folder": "/c"}, "/c (0 MB)"),
)  # fmt: skip
RAN = {"backend": "cpu", "library": "/l", "device": "a CPU", "seconds": 0.5}


@pytest.fixture
def hip(monkeypatch: pytest.MonkeyPatch) -> dict[str, Observation]:
    """The backends' report, to be changed by the test, and a trial that works."""
    facts = {fact.name: fact for fact in HEALTHY}
    monkeypatch.setattr(description, "describe", lambda _: list(facts.values()))
    monkeypatch.setattr(trial, "run", lambda: RAN)
    for name in ("CUDA_SHIM", "CUDA_SHIM_BACKEND", "CUDA_SHIM_CUDA"):
        monkeypatch.delenv(name, raising=False)
    return facts


def report(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    status = doctor(["--json"])
    return status, json.loads(capsys.readouterr().out)


def test_healthy(hip: dict[str, Observation], capsys: pytest.CaptureFixture[str]) -> None:
    status, document = report(capsys)
    assert (status, document["usable"], document["problems"]) == (0, True, [])
    assert document["cuda"]["served"]["value"]["layout"] == "13.5"
    assert document["cuda"]["served"]["value"]["version"] == "13.5.0"
    assert document["hip"]["cpu compiler"] == {"value": {"kind": "clang"}, "state": "ok"}
    assert document["hip"]["trial"] == {"value": RAN, "state": "ok"}
    assert document["settings"]["CUDA_SHIM_BACKEND"]["value"] == {"value": "auto", "source": "default"}
    assert set(document["settings"]) == {item.variable for item in settings.SETTINGS}
    assert document["python"]["executable"]["value"] == sys.executable


@pytest.mark.parametrize("needed", [True, False])
def test_only_what_the_backend_needs_makes_it_unusable(
    hip: dict[str, Observation], capsys: pytest.CaptureFixture[str], needed: bool
) -> None:
    hip["cpu compiler"] = Observation("cpu compiler", {}, "", "it is not there: install it", needed)
    status, document = report(capsys)
    assert (status, document["usable"]) == (1 if needed else 0, not needed)
    assert document["hip"]["cpu compiler"] == {
        "value": {}, "state": "problem" if needed else "note", "message": "it is not there: install it"
    }  # fmt: skip
    assert document["problems"] == (["cpu compiler: it is not there: install it"] if needed else [])
    assert ("trial" in document["hip"]) is not needed  # a setup with a problem is not tried


def test_a_trial_that_fails_is_a_problem(
    hip: dict[str, Observation], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "run", lambda: {"problem": "a kernel computed 3, and 4 is expected"})
    status, document = report(capsys)
    assert (status, document["problems"]) == (1, ["trial: a kernel computed 3, and 4 is expected"])


def test_how_calls_are_made(
    hip: dict[str, Observation], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_SHIM_COMPILED_CALLS", "off")
    assert report(capsys)[1]["hip"]["compiled calls"]["value"] == "not used: calls go through Python"
    monkeypatch.setenv("CUDA_SHIM_COMPILED_CALLS", "auto")
    library = native_calls.ensure_library(settings.current())
    assert report(capsys)[1]["hip"]["compiled calls"] == {"value": library, "state": "ok"}
    monkeypatch.setenv("CUDA_SHIM_CXX", "/no/such/compiler")
    found = report(capsys)[1]["hip"]["compiled calls"]
    assert found["state"] == "note"
    assert "calls go through Python, which takes longer: " in found["message"]


def test_bad_settings(
    hip: dict[str, Observation], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_SHIM_CUDA", "9")
    monkeypatch.setenv("CUDA_SHIM_BAKEND", "cpu")
    status, document = report(capsys)
    assert status == 1
    assert document["settings"]["CUDA_SHIM_CUDA"]["state"] == "problem"
    assert document["settings"]["CUDA_SHIM_BAKEND"] == {
        "value": "is set and is no setting of cuda_shim; did you mean CUDA_SHIM_BACKEND?", "state": "note",
        "message": "is set and is no setting of cuda_shim; did you mean CUDA_SHIM_BACKEND?",
    }  # fmt: skip


def test_users_cuda_py(
    hip: dict[str, Observation],
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
        str(file): {
            "value": "hides the package cuda: rename this file",
            "state": "problem",
            "message": "hides the package cuda: rename this file",
        }
    }


LONG = "/a/path/that is longer/than any/terminal/" + "and-has/hyphens-and/slashes/" * 8


def test_lines_say_what_json_says(hip: dict[str, Observation], capsys: pytest.CaptureFixture[str]) -> None:
    """In a pipe every finding is one line, however long."""
    hip["cpu compiler"] = Observation("cpu compiler", {}, "", f"[none] was found: install {LONG}", True)
    assert doctor([]) == 1
    shown = capsys.readouterr().out
    for item in findings.find():
        assert [line for line in shown.splitlines() if item.name in line and item.value in line]
    assert shown.endswith("CUDA programs cannot run here; see what is marked problem (1).\n")
    del hip["cpu compiler"]
    assert doctor([]) == 0
    assert capsys.readouterr().out.endswith("CUDA programs can run here.\n")


def test_a_terminal_wraps_between_words(
    hip: dict[str, Observation], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hip["cache"] = Observation("cache", {}, f"{'x' * 70} words words {'a-' * 60}end")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    doctor([])
    shown = capsys.readouterr().out
    assert "x" * 70 in shown
    assert "a-" * 60 + "end" in shown
    assert "words words a-" not in shown


def test_unknown_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--jsn"]) == 2
    assert capsys.readouterr().err == "cuda_shim: doctor: unknown option --jsn; the options are --json, --kernels\n"
    assert doctor(["--help"]) == 0
    assert capsys.readouterr().out == doctor_module.USAGE


def report_of(*words: str, **environment: str) -> tuple[int, dict[str, Any]]:
    """doctor's own words about the machine at hand, with this environment."""
    done = start(*DOCTOR, "--json", cwd=PACKAGE_ROOT, **environment)
    return done.returncode, json.loads(done.stdout)


def test_for_real() -> None:
    """On the machine at hand, with any hardware: the status agrees with the report, and a kernel has run."""
    status, document = report_of()
    assert status == (0 if document["usable"] else 1)
    assert set(document["hip"]) >= {"hip-python", "backend"}
    if document["usable"]:
        assert document["hip"]["trial"]["value"]["device"]


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        ({"CUDA_SHIM_BACKEND": "rocm", "ROCM_PATH": "/nonexistent"}, "rocm library: "),
        ({"CUDA_SHIM_CACHE_DIR": "/proc/cuda-shim"}, "cache: cannot write the cache folder /proc/cuda-shim"),
        ({"CUDA_SHIM_CPU_CXX": "/nonexistent/cxx"}, "trial: a kernel does not compile: "),
        ({"CUDA_SHIM_CPU_DEVICE_HEADERS": "/nonexistent"}, "trial: a kernel does not compile: "),
        (
            {"CUDA_SHIM_CPU_CXX": "g++", "CUDA_SHIM_CPU_CLANG": "/nonexistent/clang"},
            "trial: a kernel does not compile: CUDA_SHIM_CPU_CLANG names a compiler that does not exist: ",
        ),
        ({"CUDA_SHIM_CXX": "'unbalanced"}, 'cpu compiler: CUDA_SHIM_CXX="\'unbalanced" is no working C++17 compiler'),
        ({"CUDA_SHIM_QUIET": "perhaps"}, "CUDA_SHIM_QUIET: "),
    ],
)
def test_what_does_not_work_is_not_said_to(variables: dict[str, str], problem: str) -> None:
    pytest.importorskip("hip")
    status, document = report_of(**{"CUDA_SHIM_BACKEND": "cpu", **variables})
    assert status == 1
    assert [said for said in document["problems"] if said.startswith(problem)], document["problems"]


def test_without_hip_python(installed: Environment) -> None:
    done = installed.start(*DOCTOR, "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 1
    assert "hip-python" in " ".join(document["problems"])
    assert document["cuda_shim"]["start-up file"]["value"].endswith("cuda_shim.pth")


def test_startup_file_and_activation(installed: Environment, uninstalled: Environment) -> None:
    on = json.loads(installed.start(*DOCTOR, "--json", CUDA_SHIM="1").stdout)["cuda_shim"]
    off = json.loads(uninstalled.start(*DOCTOR, "--json", CUDA_SHIM="1").stdout)["cuda_shim"]
    assert on["enabled"]["value"]["origin"] == "environment"
    assert off["enabled"]["value"] == {"enabled": False}
    assert off["start-up file"]["state"] == "note"
    assert off["start-up file"]["value"].startswith("not installed: CUDA_SHIM=1 alone has no effect")


def test_nvidias_packages_are_named_and_ours_are_not(installed: Environment, tmp_path: Path) -> None:
    assert "conflicts" not in json.loads(installed.start(*DOCTOR, "--json", CUDA_SHIM="1").stdout)
    environment = Environment(tmp_path / "venv")
    environment.pretend_installed("cuda-bindings", "12.9.1")
    document = json.loads(environment.start(*DOCTOR, "--json").stdout)
    found = document["conflicts"]["cuda-bindings"]
    assert found["value"] == {"version": "12.9.1"}
    assert found["message"].startswith("12.9.1 is installed: its modules are hidden")
    assert document["cuda"]["served"]["value"]["why"] == "cuda-bindings 12.9.1 is installed"
