"""Installed beside packages that put modules under `cuda` themselves: NVIDIA's family, and AMD's own interop."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from tests import environments
from tests.environments import Python

FAMILY = ("cuda-bindings==13.5.0", "cuda-core", "cuda-pathfinder")
INTEROP = ("hip-python-interop==10.0.0.0.1.2",)

HIDDEN_AND_BACK = """
    import cuda_shim, sys
    from cuda.bindings import driver as theirs
    kept = sys.modules["cuda.bindings.driver"]
    with cuda_shim.enable(force=True):
        from cuda.bindings import driver, runtime
        assert driver is not theirs and runtime.cudaGetDeviceCount()[1] == 1
        served = driver.__spec__.origin
    from cuda.bindings import driver
    assert driver is theirs is kept
    print(served, theirs.__file__.endswith(".so"))
"""


def environment(folder: Path, name: str, *requirements: str) -> Python:
    wheel = environments.build_wheel(folder)
    return environments.make(folder / name, str(wheel), environments.HIP_PYTHON["10.0"], *requirements)


@pytest.fixture(scope="module")
def family(shared_folder: Path) -> Python:
    return environment(shared_folder, "family", *FAMILY)


@pytest.fixture(scope="module")
def interop(shared_folder: Path) -> Python:
    return environment(shared_folder, "interop", *INTEROP)


@pytest.mark.parametrize("name", ["family", "interop"])
def test_theirs_are_hidden_and_come_back(request: pytest.FixtureRequest, name: str) -> None:
    python: Python = request.getfixturevalue(name)
    assert python.run("-c", textwrap.dedent(HIDDEN_AND_BACK)) == "cuda_shim:cuda.bindings.driver True\n"


@pytest.mark.parametrize("name", ["family", "interop"])
def test_doctor_names_them(request: pytest.FixtureRequest, name: str) -> None:
    python: Python = request.getfixturevalue(name)
    document = json.loads(python.start("-m", "cuda_shim", "doctor", "--json", CUDA_SHIM_BACKEND="cpu").stdout)
    expected = {"cuda-bindings", "cuda-core", "cuda-pathfinder"} if name == "family" else {"hip-python-interop"}
    assert set(document["conflicts"]) >= expected
    assert all(item["state"] == "note" for item in document["conflicts"].values())


def test_the_rest_of_nvidias_family(family: Python) -> None:
    """Neighbours work; cuda.core finds the C functions that it was compiled with, and NVIDIA's are not loaded."""
    code = """
        from importlib.metadata import version
        import cuda.pathfinder
        from cuda.bindings import runtime
        assert runtime.cudaGetDeviceCount()[1] == 1 and version("cuda-bindings") == "13.5.0"
        import cuda.core
        print(cuda.core.Device().properties.warp_size, "cydriver.cpython" in open("/proc/self/maps").read())
    """
    said = family.run("-m", "cuda_shim", "run", "-c", textwrap.dedent(code))
    assert said == "32 False\n"
