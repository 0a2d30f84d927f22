"""`cuda.bindings._v2.nvrtc` answers as NVIDIA's does with NVRTC itself: ours, and NVIDIA's own over the shim."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import environments
from tests.binding.record_nvrtc_v2 import PROGRAM, RECORDED
from tests.environments import Python
from tests.program_files import read_program

ANSWERS = json.loads(RECORDED.read_text(encoding="utf-8"))["answers"]
RUN = ("-m", "cuda_shim", "run", "--backend", "cpu", "--cuda", "13.5")
WHEELS = ["none", "13.4.4", "13.5.0"]
#: The parts of the program that cuda-bindings 13.4 answers as 13.5 does; names and structs changed.
IN_BOTH = ("programs", "compilation")


@pytest.fixture(scope="module", params=WHEELS)
def python(request: pytest.FixtureRequest, shared_folder: Path) -> Python:
    """An interpreter with the shim, and with NVIDIA's wheel of a release or none."""
    shim = environments.as_in_the_readme(environments.build_wheel(shared_folder))
    wheels = [] if request.param == "none" else [f"cuda-bindings=={request.param}"]
    folder = shared_folder / f"nvrtc-v2-{request.param}"
    return environments.make(folder, shim, environments.HIP_PYTHON["10.0"], "numpy", *wheels)


def test_as_nvidias(python: Python) -> None:
    older = "13.4.4" in str(python.executable)
    answers = json.loads(python.run(*RUN, PROGRAM, *IN_BOTH if older else ()))
    if "none" in str(python.executable):  # name expressions of 13.4 are bytes, and 13.5 refuses those
        taken = {name: answers.pop(name) for name in ("expression as bytes", "lowered as bytes")}
        assert taken == {"expression as bytes": None, "lowered as bytes": ANSWERS["lowered"]}
    assert answers == {name: ANSWERS[name] for name in answers}
    assert older or len(answers) >= len(ANSWERS) - 2


def test_a_kernel_and_an_unsupported_call(any_shim_python: Python) -> None:
    """A kernel that was compiled through the module runs, and an unsupported call says so."""
    code = read_program(__file__, "nvrtc_v2_unsupported_call.py")
    done = any_shim_python.start(*RUN, "-c", code)
    assert done.stdout.split() == ["7", "NVRTC_ERROR_INTERNAL_ERROR"], done.stderr
    assert "nvrtcGetPCHHeapSize is not supported" in done.stderr
    strict = any_shim_python.start(*RUN, "--strict", "-c", code)
    assert "UnsupportedAPI: nvrtcGetPCHHeapSize" in strict.stderr
