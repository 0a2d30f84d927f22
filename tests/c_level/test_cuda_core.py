"""cuda.core as it is installed: its compiled modules find the functions that they were compiled with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import environments
from tests.c_level.record_core import RECORDED
from tests.environments import Python

HERE = Path(__file__).parent
PARTS = ["saxpy", "images", "linking", "errors", "streams_and_events", "graphs", "looking"]
VERSIONS = {"oldest compiled": "cuda-core==0.4.2", "newest": "cuda-core>=1.2.2"}


@pytest.fixture(scope="module", params=VERSIONS)
def core_python(request: pytest.FixtureRequest, shared_folder: Path) -> Python:
    """An interpreter with the shim, one release of cuda.core, and nothing else of NVIDIA's."""
    wheel = environments.build_wheel(shared_folder)
    folder = shared_folder / f"cuda-core-{request.param.replace(' ', '-')}"
    return environments.make(folder, str(wheel), environments.HIP_PYTHON["10.0"], "numpy", VERSIONS[request.param])


@pytest.mark.parametrize("layout", ["12.9", "13.5"])
def test_what_programs_do(core_python: Python, layout: str) -> None:
    words = ("-W", "error", "-m", "cuda_shim", "run", "--backend", "cpu", "--cuda", layout, HERE / "core_program.py")
    assert core_python.run(*words).split() == PARTS


def test_the_example(core_python: Python) -> None:
    if "newest" not in str(core_python.executable):
        return  # its classes were in cuda.core.experimental
    program = environments.ROOT / "examples" / "core_saxpy.py"
    said = core_python.run("-W", "error", "-m", "cuda_shim", "run", "--backend", "cpu", program)
    assert said == "1048576 values with cuda.core: ok\n"


@pytest.mark.parametrize("layout", ["12.9", "13.5"])
def test_pools_on_the_host_and_in_managed_memory(core_python: Python, layout: str) -> None:
    """Properties and memory of each pool are as with the newest CUDA; older ones lack some."""
    if "newest" not in str(core_python.executable):
        return  # its cuda.core has no such pools
    words = ("-W", "ignore", "-m", "cuda_shim", "run", "--backend", "cpu", "--cuda", layout, HERE / "core_pools.py")
    said = core_python.run(*words).splitlines()
    raised = [line for line in said if "raises" in line and not line.startswith("refused")]
    if layout == "13.5":
        assert raised == []
        assert sum(line.endswith(("added: True", "copied: True")) for line in said) == 16
        if RECORDED.exists():
            assert said == json.loads(RECORDED.read_text(encoding="utf-8"))["core_pools"]
    else:  # cuda.core asks CUDA 12 for pools on NUMA nodes alone
        assert {line.partition(":")[0] for line in raised} == {
            "pinned", "pinned of its own", "managed", "managed of its own", "managed for the device",
            "managed for the host", "advice",
        }  # fmt: skip


def test_their_compilers_are_said_to_be_missing(core_python: Python) -> None:
    """`nvvm` and `nvjitlink` can be imported, as cuda.core does; a call names the package to install."""
    code = """
from cuda.bindings import nvjitlink, nvvm
for call in (nvvm.version, nvjitlink.version):
    try: call()
    except ImportError as error: print(isinstance(error, RuntimeError), error)
"""
    said = core_python.run("-m", "cuda_shim", "run", "--backend", "cpu", "-c", code).splitlines()
    assert said[0].partition(" ")[2].startswith("cuda.bindings.nvvm.version: it is NVIDIA's compiler of NVVM IR")
    assert "link with cuLinkCreate" in said[1]
