"""The magics in a real Jupyter kernel, in notebooks that nbconvert runs, and in IPython's own shell."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.environments import ROOT, Python
from tests.interpreters import HANG, clean_environment
from tests.program_files import read_program

Cells = Callable[..., list[str]]
Convert = Callable[..., tuple[subprocess.CompletedProcess[str], list[str]]]
CALL = "from cuda.bindings import runtime\nruntime.cudaGetDeviceCount()"


def of_nobody(folder: Path, **variables: str) -> dict[str, str]:
    """The environment of a user who has set up nothing in Jupyter and IPython."""
    own = {"IPYTHONDIR": str(folder), "JUPYTER_CONFIG_DIR": str(folder), "JUPYTER_PLATFORM_DIRS": "1"}
    return clean_environment(CUDA_SHIM_QUIET="1", **own, **variables)


@pytest.fixture
def cells(full_python: Python, tmp_path: Path) -> Cells:
    """Run cells in one kernel; return the output of each."""

    def start(*texts: str, **variables: str) -> list[str]:
        done = subprocess.run(
            [full_python.executable, Path(__file__).with_name("notebook_client.py")],
            input=json.dumps(texts),
            env=of_nobody(tmp_path, **variables),
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            timeout=HANG,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answers: list[str] = json.loads(done.stdout)
        return answers

    return start


def test_a_notebook(cells: Cells) -> None:
    loaded, before, called, report, after = cells(
        "%load_ext cuda_shim", "%cuda_shim status", CALL, "%cuda_shim report", "%cuda_shim status"
    )
    assert loaded == ""
    assert before.splitlines()[:2] == ["cuda_shim is enabled, by enable()", "  backend  auto, nothing loaded yet"]
    assert called == "(<cudaError_t.cudaSuccess: 0>, 1)"
    assert report.startswith("cuda_shim: 1 CUDA calls, ")
    assert "cudaGetDeviceCount" in report
    assert after.splitlines()[1].startswith("  backend  cpu (")
    assert after.splitlines()[4] == "  served   cuda.bindings, cuda.bindings.runtime"


def test_disable_and_enable_with_settings(cells: Cells) -> None:
    answers = cells(
        "%load_ext cuda_shim",
        "%cuda_shim disable",
        "%cuda_shim status",
        "import cuda",
        "%cuda_shim enable cuda=12.9 strict",
        "from cuda.bindings import driver; driver.cuInit(0); driver.cuCtxAttach(0)",
        "%cuda_shim enable cuda=13",
    )
    assert answers[2] == "cuda_shim is disabled\n"
    assert answers[3].startswith("ModuleNotFoundError")
    assert "  CUDA     12.9: set by an argument\n  strict   yes\n" in answers[4]
    assert answers[5].startswith("UnsupportedAPI: cuCtxAttach: ")
    assert answers[6].startswith("SettingError: cuda=13.5 contradicts the session that is enabled with cuda=12.9")


def test_settings_right_after_loading(cells: Cells) -> None:
    """As the documentation has it: nothing was used yet, so the settings of the session may still be chosen."""
    answers = cells(
        "%load_ext cuda_shim",
        "%cuda_shim enable cuda=12.9 cpu_devices=3",
        CALL,
        "import cuda.bindings; cuda.bindings.__version__",
        "%cuda_shim enable cpu_devices=2",
        "%cuda_shim report",
    )
    assert "  CUDA     12.9: set by an argument\n" in answers[1]
    assert answers[2] == "(<cudaError_t.cudaSuccess: 0>, 3)"
    assert answers[3] == "'12.9.10'"
    assert answers[4].startswith(
        "SettingError: cpu_devices=2 contradicts the session that is enabled with cpu_devices=3"
    )
    assert answers[5].startswith("cuda_shim: 1 CUDA calls, ")


def test_errors_raise(cells: Cells) -> None:
    answers = cells(
        "%load_ext cuda_shim",
        "%cuda_shim enable backend=gpu",
        "%cuda_shim enable colour=1",
        "%cuda_shim",
        "%cuda_shim help",
        "%cuda_shim x",
        "%cuda_shim stats",
        "%%cuda_shim x\nprint('ran')",
    )
    assert answers[1] == "SettingError: backend=gpu is not allowed; use auto, rocm, cpu"
    assert answers[2].startswith("SettingError: enable() takes no setting 'colour'; ")
    assert answers[3] == answers[4]
    assert answers[3].startswith("%cuda_shim status ")
    assert answers[5] == "SettingError: %cuda_shim x: the line magics are status, report, enable, disable"
    assert answers[6] == "SettingError: %cuda_shim stats: did you mean status?"
    assert answers[7] == "SettingError: %%cuda_shim x: the cell magics are report, profile and check"


def test_a_cell_and_what_it_called(cells: Cells) -> None:
    answers = cells(
        "%load_ext cuda_shim",
        CALL,
        "%%cuda_shim report\nfrom cuda.bindings import driver\nfirst = driver.cuInit(0)\nprint('ran')",
        "first",
        "%%cuda_shim report\n1 / 0",
    )
    assert answers[2].startswith("ran\ncuda_shim: 1 CUDA calls, ")
    assert "cuInit" in answers[2]
    assert "cudaGetDeviceCount" not in answers[2]
    assert answers[3] == "(<CUresult.CUDA_SUCCESS: 0>,)"
    assert "ZeroDivisionError: division by zero" in answers[4]


def test_a_cell_and_what_took_its_time(cells: Cells) -> None:
    """Only the cell's own calls; calls before and after it are not measured."""
    answers = cells(
        "%load_ext cuda_shim",
        CALL,
        "%%cuda_shim profile\nmemory = runtime.cudaMalloc(64)[1]\nruntime.cudaMemset(memory, 1, 64)",
        "runtime.cudaMemset.__code__.co_names",
        "%%cuda_shim profile\n1 / 0",
    )
    assert "cuda_shim: profile of " in answers[2]
    assert "fill device memory" in answers[2]
    assert "cudaMalloc" in answers[2]
    assert "cudaGetDeviceCount" not in answers[2]
    assert "__before_" not in answers[3]  # the tracing has ended
    assert "ZeroDivisionError: division by zero" in answers[4]


CHECKED = read_program(__file__, "notebook_checked.cu")


def test_a_checked_cell(cells: Cells) -> None:
    answers = cells("%load_ext cuda_shim", CHECKED, "'x' in globals()")
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in answers[1]
    assert "right behind the 16 bytes of device memory" in answers[1]
    assert "CheckFailed: the checked cell ended with exit status 1; " in answers[1]
    assert answers[2] == "False"


def test_loading_after_cuda_was_imported_from_elsewhere(cells: Cells) -> None:
    fake = """
        import sys, types
        sys.modules["cuda"] = cuda = types.ModuleType("cuda")
        sys.modules["cuda.bindings"] = cuda.bindings = types.ModuleType("cuda.bindings")
    """
    answers = cells("\n".join(map(str.strip, fake.splitlines())), "%load_ext cuda_shim", "%cuda_shim status")
    assert answers[1].startswith("AlreadyImported: cuda.bindings imported before the shim was enabled by __main__; ")
    assert answers[2] == "cuda_shim is disabled\n"


def test_unloading_takes_everything_back(cells: Cells) -> None:
    answers = cells(
        "%load_ext cuda_shim", CALL, "%unload_ext cuda_shim", "%cuda_shim status",
        "import sys; [name for name in sys.modules if name.split('.')[0] == 'cuda']", "%load_ext cuda_shim", CALL,
    )  # fmt: skip
    assert "Line magic function `%cuda_shim` not found" in answers[3]
    assert answers[4] == "[]"
    assert answers[6] == answers[1]


def test_recording_can_be_left_off(cells: Cells) -> None:
    answers = cells("%load_ext cuda_shim", CALL, "%cuda_shim report", CUDA_SHIM_REPORT="0")
    assert answers[2].startswith("SettingError: no usage is recorded: ")


def test_a_kernel_that_the_environment_made_active(cells: Cells) -> None:
    answers = cells(CALL, "%load_ext cuda_shim", "runtime.cudaGetDeviceCount()", "%cuda_shim report", CUDA_SHIM="1")
    assert answers[0] == answers[2] == "(<cudaError_t.cudaSuccess: 0>, 1)"
    assert answers[3].startswith("cuda_shim: 1 CUDA calls, ")


def test_ipythons_own_shell(full_python: Python, tmp_path: Path) -> None:
    words = ("-m", "IPython", "--no-banner", "--colors=NoColor", "-c", "%load_ext cuda_shim\n%cuda_shim status")
    said = full_python.run(*words, IPYTHONDIR=str(tmp_path), HOME=str(tmp_path))
    assert said.startswith("cuda_shim is enabled, by enable()")


@pytest.fixture
def converted(full_python: Python, tmp_path: Path) -> Convert:
    """Run a notebook as `jupyter nbconvert --execute` does; return the process and the output of each cell."""

    def start(*texts: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
        cells: list[dict[str, Any]] = [
            {
                "cell_type": "code",
                "execution_count": None,
                "id": f"cell-{i}",
                "metadata": {},
                "outputs": [],
                "source": text,
            }
            for i, text in enumerate(texts)
        ]
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        document = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}
        (tmp_path / "given.ipynb").write_text(json.dumps(document), encoding="utf-8")
        words = ("nbconvert", "--execute", "--to", "notebook", "--output", "converted", "given.ipynb")
        done = subprocess.run(
            [full_python.executable.with_name("jupyter"), *words],
            env=of_nobody(tmp_path), cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=HANG, check=False,
        )  # fmt: skip
        made = tmp_path / "converted.ipynb"
        if not made.exists():
            return done, []
        return done, [said(cell) for cell in json.loads(made.read_text(encoding="utf-8"))["cells"]]

    return start


def said(cell: dict[str, Any]) -> str:
    """Return the output of a cell of a converted notebook, as plain text."""
    shown = [output.get("text") or output["data"]["text/plain"] for output in cell["outputs"]]
    return "".join("".join(text) for text in shown)


def test_the_notebook_among_the_examples(converted: Convert) -> None:
    document = json.loads((ROOT / "examples" / "notebook.ipynb").read_text(encoding="utf-8"))
    done, answers = converted(*(cell["source"] for cell in document["cells"] if cell["cell_type"] == "code"))
    assert done.returncode == 0, done.stderr
    assert "julia" in answers[3]  # the profile names the kernel
    assert answers[4].count("\n") == 16
    assert "@" in answers[4]


def test_nbconvert_runs_a_notebook(converted: Convert) -> None:
    done, answers = converted(
        "%load_ext cuda_shim",
        "%cuda_shim enable cuda=12.9 cpu_devices=2",
        CALL,
        "%%cuda_shim report\nmemory = runtime.cudaMalloc(64)[1]",
        CHECKED.replace("8, 1, 1, 0, 0", "4, 1, 1, 0, 0"),  # as many threads as there are elements
    )
    assert done.returncode == 0, done.stderr
    assert "  CUDA     12.9: set by an argument\n" in answers[1]
    assert answers[2] == "(<cudaError_t.cudaSuccess: 0>, 2)"
    assert answers[3].startswith("cuda_shim: 1 CUDA calls, ")
    assert "cudaMalloc" in answers[3]
    assert answers[4] == "CUDA_SUCCESS\n"


@pytest.mark.parametrize(
    ("cell", "error"),
    [
        ("%cuda_shim enable backend=gpu", "SettingError: backend=gpu is not allowed; use auto, rocm, cpu"),
        ("%%cuda_shim report\n1 / 0", "ZeroDivisionError: division by zero"),
        (CHECKED, "CheckFailed: the checked cell ended with exit status 1; "),
    ],
    ids=["line", "cell", "checked"],
)
def test_an_error_of_a_magic_stops_nbconvert(converted: Convert, tmp_path: Path, cell: str, error: str) -> None:
    done, answers = converted("%load_ext cuda_shim", cell, "open('went on', 'w').close()")
    assert done.returncode == 1
    assert answers == []
    assert error in re.sub(r"\x1b\[[\d;]*m", "", done.stderr)
    assert not (tmp_path / "went on").exists()
