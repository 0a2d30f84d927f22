"""`python -m cuda_shim verify`, as a person runs it, on host cores."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.cache.folder import cache_of
from tests.environments import ROOT, Python
from tests.interpreters import clean_environment

FEW = ("--backend", "cpu", "--only", "*.warp.[mv]*")


@pytest.fixture
def verify(any_shim_python: Python, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the verb in an empty folder."""

    def run(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        return any_shim_python.start_for(600, "-m", "cuda_shim", "verify", *words, cwd=tmp_path, **environment)

    return run


def test_a_sample_is_right_and_reported(verify, tmp_path: Path) -> None:
    done = verify(*FEW)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = tmp_path.glob("cuda-shim-verify-*.json")
    assert f"the report is in {file.name}" in done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["kernels", "in", "CUDA", "C++", "3", "0", "0", "0", "0"] in rows
    report = json.loads(file.read_text(encoding="utf-8"))
    assert report["complete"]
    assert report["counts"]["kernels in PTX of nvcc"]["right"] == 3
    assert {case["state"] for case in report["cases"]} == {"right"}
    machine = report["machine"]
    assert machine["backend"] == "cpu"
    assert machine["settings"] == {"backend": "cpu", "cpu_fallbacks": "0"}  # which all tests have
    assert all(machine[name] for name in ("device", "hip-python", "python", "hip runtime", "kernel compiler"))
    assert report["recorded with"]["kernels"]["gpu"] == "NVIDIA H200"


def test_the_report_has_nothing_of_the_users(any_shim_python: Python, tmp_path: Path) -> None:
    """Not even where messages have it: the runtime's headers, in a folder of the user's, do not compile."""
    home = tmp_path / "jane.doe"
    headers = home / "private project" / "device"
    for name in ("device", "src/abi"):
        shutil.copytree(ROOT / "hip_on_host" / name, headers.parent / name)
    with (headers / "prelude/special_functions.h").open("a", encoding="utf-8") as file:
        file.write("\n#error jane.doe was here\n")
    done = any_shim_python.start_for(
        600, "-m", "cuda_shim", "verify", "--backend", "cpu", "--only", "function.float normcdff(float)", "--report", "r.json",
        cwd=home, HOME=str(home), USER="jane.doe", LOGNAME="jane.doe", PRIVATE_WORD="hunter2hunter2",
        CUDA_SHIM_CPU_DEVICE_HEADERS=str(headers), CUDA_SHIM_CACHE_DIR=cache_of(settings.current()).path(),
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    text = (home / "r.json").read_text(encoding="utf-8")
    assert "special_functions.h" in text
    for private in ("jane", "private project", "hunter2", str(tmp_path), os.uname().nodename, str(any_shim_python.executable.parent)):  # fmt: skip
        assert private not in text, private
    assert json.loads(text)["machine"]["settings"]["cpu_device_headers"] == "set"


def test_no_file_is_overwritten_and_no_link_followed(verify, tmp_path: Path) -> None:
    (tmp_path / "kept.json").write_text("mine")
    (tmp_path / "link.json").symlink_to(tmp_path / "elsewhere.json")
    for name in ("kept.json", "link.json"):
        done = verify(*FEW, "--report", name)
        assert done.returncode == 2
        assert f"--report {name}: this file exists" in done.stderr
    done = verify(*FEW, "--report", "no/such/folder/r.json")
    assert done.returncode == 2
    assert "is not a writable folder" in done.stderr
    assert (tmp_path / "kept.json").read_text() == "mine"
    assert not (tmp_path / "elsewhere.json").exists()


def test_cases_are_listed_and_chosen(verify, tmp_path: Path) -> None:
    everything = verify("--list").stdout.splitlines()
    assert len(everything) > 1000
    assert set(verify("--list", "--only", "saxpy").stdout.split()) == {
        "cuda.elementwise.saxpy",
        "ptx.elementwise.saxpy",
    }
    few = verify("--list", "--quick").stdout.splitlines()
    assert 150 < len(few) < len(everything) / 2
    assert {name.partition(".")[0] for name in few} == {name.partition(".")[0] for name in everything}
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--only", "no.such.case"), "no case is called no.such.case"),
        (("--cuda", "12.9"), "--cuda is not an option of verify"),
        (("--profile",), "--profile is not an option of verify"),
        (("--backnd", "cpu"), "did you mean --backend?"),
        (("--backend", "vulkan"), "auto, rocm, cpu"),
        (("--report",), "--report needs a value"),
    ],
)
def test_wrong_words_are_refused(verify, words: tuple[str, ...], message: str) -> None:
    done = verify(*words)
    assert done.returncode == 2
    assert message in done.stderr


def test_json_is_the_report_on_stdout(verify, tmp_path: Path) -> None:
    done = verify(*FEW, "--json")
    assert json.loads(done.stdout)["counts"]["kernels in CUDA C++"]["right"] == 3
    assert not list(tmp_path.iterdir())


def test_a_device_that_is_not_there_is_said(verify) -> None:
    done = verify("--backend", "rocm", "--only", "saxpy", "--report", "r.json", ROCM_PATH="/no/such/folder")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "cases could not run" in done.stderr


def test_an_interrupt_ends_it_with_a_report(any_shim_python: Python, tmp_path: Path) -> None:
    command = [str(any_shim_python.executable), "-m", "cuda_shim", "verify", "--backend", "cpu", "--report", "r.json"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )  # fmt: skip
    assert process.stderr is not None
    while " cases" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert not report["complete"]
    assert sum(counts["not run"] for counts in report["counts"].values()) > 900


def test_a_call_that_does_something_else_is_found(any_shim_python: Python, tmp_path: Path) -> None:
    """A copy of the package in whose table one row leads to another function of HIP."""
    copy = tmp_path / "checkout"
    for name in ("cuda_shim", "tables"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    table = copy / "tables/driver/copy.yaml"
    text = table.read_text(encoding="utf-8")
    assert text.count("hip: hipMemsetD16\n") == 1
    table.write_text(text.replace("hip: hipMemsetD16\n", "hip: hipMemsetD8\n"), encoding="utf-8")
    done = any_shim_python.start_for(
        600, "-m", "cuda_shim", "verify", "--backend", "cpu", "--only", "memset_driver", "--report", "r.json",
        cwd=tmp_path, PYTHONPATH=str(copy),
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    (case,) = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["cases"]
    assert (case["case"], case["state"]) == ("program.memset_driver", "differs")


@pytest.mark.long
def test_everything_is_right(verify) -> None:
    done = verify("--backend", "cpu", "--report", "r.json")
    assert done.returncode == 0, done.stdout + done.stderr
