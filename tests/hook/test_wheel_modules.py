"""Every module of NVIDIA's wheels is served, let through to an installed wheel, or refused by name with the reason."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests import environments
from tests.environments import Python
from tests.hook.record_wheel_modules import RECORDED, VERSIONS
from tests.interpreters import PACKAGE_ROOT, start

PROGRAM = Path(__file__).with_name("wheel_modules_program.py")
MODULES: dict[str, list[str]] = json.loads(RECORDED.read_text(encoding="utf-8"))["cuda-bindings"]
#: The layout of each release.
LAYOUTS = {version: ".".join(version.split(".")[:2]).replace("13.4", "13.5") for version in VERSIONS}

LEGACY = {f"cuda.{name}" for name in ("ccuda", "ccudart", "cnvrtc", "cuda", "cudart", "nvrtc")}
#: Served, whether a wheel is installed or not.
SERVED = LEGACY | {
    "cuda.bindings",
    *(f"cuda.bindings.{name}" for name in ("driver", "nvjitlink", "nvrtc", "runtime", "utils", "_internal.nvjitlink")),
    *(f"cuda.bindings.cy{name}" for name in ("driver", "nvjitlink", "nvrtc", "runtime")),
}
#: The wheel's own where it is installed, and served elsewhere.
EITHER = {
    f"cuda.bindings.{name}" for name in ("_internal", "_internal.nvvm", "_v2", "_v2.nvrtc", "cynvvm", "nvvm")
}  # fmt: skip
#: The wheel's own where it is installed, and refused elsewhere.
WHEELS_OWN = {
    f"cuda.bindings.{name}"
    for name in (
        "_example_helpers", "_example_helpers.common", "_example_helpers.helper_cuda", "_example_helpers.helper_string",
        "_internal._fast_enum", "_internal.utils", "_v2.driver", "path_finder", "_path_finder",
        "_path_finder.find_nvidia_dynamic_library", "_path_finder.find_sub_dirs", "_path_finder.load_dl_common",
        "_path_finder.load_dl_linux", "_path_finder.load_nvidia_dynamic_library", "_path_finder.supported_libs",
    )
}  # fmt: skip
#: Python of NVIDIA's that is for Windows alone.
WINDOWS = "cuda.bindings._path_finder.load_dl_windows"


def expected(name: str, installed: bool) -> str:
    """The answer to the import of a module: "served", "through", or the beginning of the error."""
    if name in SERVED or (name in EITHER and not installed):
        return "served"
    if installed and (name in EITHER or name in WHEELS_OWN):
        return "through"
    return "cuda_shim does not serve "


def different(answers: dict[str, str], installed: bool) -> dict[str, str]:
    """The answers that are not as expected; one that is refused names the module, or the package that it is in."""
    wrong = {}
    for name, answer in answers.items():
        begins = expected(name, installed)
        names_it = name.startswith(answer.removeprefix(begins).partition(":")[0])
        if not answer.startswith(begins) or (begins.endswith(" ") and not names_it):
            wrong[name] = answer
    return wrong


def names(version: str) -> list[str]:
    return [name for name in MODULES[version] if name not in ("cuda", WINDOWS)]


@pytest.mark.parametrize("version", VERSIONS)
def test_without_a_wheel(version: str) -> None:
    words = ("-m", "cuda_shim", "run", "--cuda", LAYOUTS[version], str(PROGRAM), *names(version))
    done = start(*words, PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_QUIET="1")
    assert done.returncode == 0, done.stderr
    assert different(json.loads(done.stdout), installed=False) == {}


#: The newest Python that a release has a wheel for, where that is not the newest at all.
LAST_PYTHON = {"11.8.7": (3, 13), "12.9.0": (3, 13)}


@pytest.fixture(scope="module", params=VERSIONS)
def wheel_python(request: pytest.FixtureRequest, shared_folder: Path) -> tuple[str, Python]:
    """A release, and an interpreter with it and the shim; without a wheel for this Python the tests are skipped."""
    if sys.version_info[:2] > LAST_PYTHON.get(request.param, sys.version_info[:2]):
        pytest.skip(
            f"cuda-bindings {request.param} has no wheel for Python {sys.version_info[0]}.{sys.version_info[1]}"
        )
    shim = environments.as_in_the_readme(environments.build_wheel(shared_folder))
    folder = shared_folder / f"wheel-modules-{request.param}"
    hip_python = environments.HIP_PYTHON["10.0"]
    return request.param, environments.make(folder, shim, hip_python, "numpy", f"cuda-bindings=={request.param}")


def test_beside_the_wheel(wheel_python: tuple[str, Python]) -> None:
    version, python = wheel_python
    said = python.run("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, *names(version))
    assert different(json.loads(said), installed=True) == {}


def test_enable_beside_the_wheel(wheel_python: tuple[str, Python]) -> None:
    """Start-up files of NVIDIA's have imported ``cuda``, and in one release ``cuda.bindings``, before a program begins."""
    _, python = wheel_python
    code = "import cuda_shim; cuda_shim.enable(); import cuda.bindings; print(cuda.bindings.HIP_PYTHON)"
    assert python.run("-c", code) == "True\n"


def test_newer_modules_where_an_older_cuda_is_served(wheel_python: tuple[str, Python]) -> None:
    """`_v2` of the wheel is compiled against functions that CUDA 12 does not have."""
    _, python = wheel_python
    name = "cuda.bindings._v2.nvrtc"
    said = python.run("-m", "cuda_shim", "run", "--backend", "cpu", "--cuda", "12.9", PROGRAM, name)
    assert json.loads(said)[name].endswith("CUDA_SHIM_CUDA=13 serves it")
