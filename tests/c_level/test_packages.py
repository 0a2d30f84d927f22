"""Wheels of others that are compiled against CUDA: each can be imported, and names the library that it lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import environments
from tests.environments import Python

HERE = Path(__file__).parent
#: Without their requirements: the shim serves cuda-bindings, and NVIDIA's mathematics need NVIDIA's GPUs.
WHEELS = (
    "rmm-cu13==26.10.0", "librmm-cu13==26.10.0", "rapids-logger==0.2.3", "nvmath-python==1.0.0", "nccl4py==0.6.0",
    "nvshmem4py-cu13==0.4.1", "cuda-tile==1.7.0", "cuda-bench==0.3.0", "cuda-core==1.2.2",
)  # fmt: skip
NEEDED = ("numpy", "packaging", "cuda-pathfinder", "typing-extensions")
SAID = {
    "rmm": "True",
    "rmm_memory": "64",
    "nccl4py": "None",
    "nccl4py_communicators": 'DynamicLibNotFoundError: Failure finding "libnccl.so.2"',
    "nvshmem4py": "init",
    "cuda_tile": "load",
    "cuda_bench": "ImportError: No cuda-bench extension found for CUDA 13.x.",
    "nvmath": "fft",
    "nvmath_products": 'DynamicLibNotFoundError: Failure finding "libcublasLt.so.13',
}


@pytest.fixture(scope="module")
def packages_python(shared_folder: Path) -> Python:
    """An interpreter with the shim and the wheels."""
    wheel = environments.build_wheel(shared_folder)
    folder = shared_folder / "compiled-packages"
    python = environments.make(folder, str(wheel), environments.HIP_PYTHON["10.0"], *NEEDED)
    environments.install(python, "--no-deps", *WHEELS)
    return python


def test_what_each_does(packages_python: Python) -> None:
    words = (
        "-W",
        "ignore",
        "-m",
        "cuda_shim",
        "run",
        "--backend",
        "cpu",
        "--cuda",
        "13.5",
        "--nvidia-runtime",
        HERE / "packages.py",
    )
    done = packages_python.start(*words)
    assert done.returncode == 0, done.stderr
    said = dict(line.partition(": ")[::2] for line in done.stdout.splitlines())
    assert {name: said[name].startswith(wanted) for name, wanted in SAID.items()} == dict.fromkeys(SAID, True), said
