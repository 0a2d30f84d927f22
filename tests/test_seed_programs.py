"""The programs of HIP Python's and CUDA Python's own documentation, unmodified, end to end.

`tests/programs` holds them as printed. They import the legacy modules; the same programs are run with the
names of today put in.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.environments import Python

PROGRAMS = Path(__file__).parent / "programs"

MODERN = {
    "from cuda import cuda, nvrtc": "from cuda.bindings import driver as cuda, nvrtc",
    "from cuda.cudart import cudaError_t": "from cuda.bindings.runtime import cudaError_t",
    # HIP Python lets cuda.cuda answer for the runtime too; today that is a module of its own.
    "from cuda import cuda\n": "from cuda.bindings import runtime as cuda\n",
}
HALLUCINATE = "HIP_PYTHON_cudaError_t_HALLUCINATE"


@pytest.fixture(params=["legacy", "bindings"])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> object:
    """A function that gives the file of a program, as printed or with today's imports."""

    def find(name: str) -> Path:
        source = PROGRAMS / f"{name}.py"
        if request.param == "legacy":
            return source
        text = source.read_text(encoding="utf-8")
        for old, new in MODERN.items():
            if old in text:
                modern = tmp_path / source.name
                modern.write_text(text.replace(old, new), encoding="utf-8")
                return modern
        raise AssertionError(f"{name} imports nothing that has a name of today")

    return find


def run(python: Python, path: Path, **environment: str) -> str:
    return python.run("-m", "cuda_shim", "run", path, **environment)


def test_stream_example(shim_python, program):
    assert run(shim_python, program("stream_example")) == "ok\n"


def test_saxpy_of_the_overview(shim_python, program):
    """It prints nothing where the numbers are right, and raises where they are not."""
    assert run(shim_python, program("saxpy_overview")) == ""


def test_constants_without_a_hip_counterpart_are_refused_by_default(shim_python, program):
    done = shim_python.start("-m", "cuda_shim", "run", program("hallucination_example"))
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("AttributeError: cudaError_t.cudaErrorStartupFailure has no HIP counterpart")
    assert HALLUCINATE in last


@pytest.mark.parametrize("value", ["1", "yes", "y", "true", "YES", "True", "Y"])
def test_hallucination_by_the_environment(any_shim_python, value):
    assert run(any_shim_python, PROGRAMS / "hallucination_example.py", **{HALLUCINATE: value}) == "ok\n"


def test_hallucination_in_every_form_and_generation(shim_python, program):
    assert run(shim_python, program("hallucination_example"), **{HALLUCINATE: "1"}) == "ok\n"


@pytest.mark.parametrize("value", ["maybe", "2"])
def test_a_hallucination_setting_that_is_no_yes_or_no(any_shim_python, value):
    path = PROGRAMS / "hallucination_example.py"
    done = any_shim_python.start("-m", "cuda_shim", "run", path, **{HALLUCINATE: value})
    assert done.returncode == 2
    assert f"{HALLUCINATE}={value}" in done.stderr


@pytest.mark.parametrize("module", ["cuda.cudart", "cuda.bindings.runtime"])
@pytest.mark.parametrize("switch", [f"module.{HALLUCINATE} = True", "module.cudaError_t.hallucinate = True"])
def test_hallucination_from_the_program(shim_python, tmp_path, module, switch):
    example = (PROGRAMS / "hallucination_example.py").read_text(encoding="utf-8")
    path = tmp_path / "switched.py"
    path.write_text(f"import importlib\nmodule = importlib.import_module('{module}')\n{switch}\n{example}")
    assert run(shim_python, path) == "ok\n"


def test_every_way_of_detecting_hip_python(shim_python):
    assert run(shim_python, PROGRAMS / "detection_example.py") == "ok\n"


def test_all_names_of_an_enum_constant(shim_python):
    assert run(shim_python, PROGRAMS / "enum_names_example.py") == "ok\n"


@pytest.mark.parametrize("cuda", ["11.8", "12.9", "13.5"])
def test_the_programs_in_every_layout(any_shim_python, cuda):
    for name, printed in (("stream_example", "ok\n"), ("saxpy_overview", "")):
        assert run(any_shim_python, PROGRAMS / f"{name}.py", CUDA_SHIM_CUDA=cuda) == printed
