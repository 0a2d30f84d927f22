"""Triton as it is installed: its kernels run on host cores, with PyTorch's CPU build and with numpy alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.environments import Python

HERE = Path(__file__).parent
PARTS = {
    "elementwise_program.py": ["add", "softmax", "layer_norm", "dropout", "scan_and_sort"],
    "matmul_program.py": ["halves", "floats", "whole_numbers", "attention"],
}
#: Triton 3.9 warns where this is unset, and kernels may fuse products with sums or not.
FUSION = {"TRITON_DEFAULT_FP_FUSION": "1"}
#: Clang needs a minute for all kernels of a program where other tests keep the cores busy.
SECONDS = 800


def run(python: Python, folder: Path, program: str, *words: str, **environment: str) -> tuple[list[str], str]:
    """A program's lines, and its stderr; its kernels are compiled anew."""
    done = python.start_for(
        SECONDS, "-W", "error", *words, HERE / program, TRITON_CACHE_DIR=str(folder), **FUSION, **environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines(), done.stderr


@pytest.mark.long
def test_numpy_alone(triton_python: Python, tmp_path: Path) -> None:
    said, log = run(triton_python, tmp_path, "numpy_program.py")
    fault = "Triton Error [CUDA]: an illegal memory access was encountered"
    assert said == ["no torch", "sums", "norms", "benchmark", fault, "a_fault"]
    assert "norms_kernel was stopped" in log


@pytest.mark.long
def test_kernels_for_compute_capability_9_0(triton_python: Python, tmp_path: Path) -> None:
    said, _ = run(triton_python, tmp_path, "hopper_program.py")
    assert said == ["pointers", "descriptors", "made_descriptors"]


@pytest.mark.long
def test_a_program_that_is_run_under_the_shim(triton_python: Python, tmp_path: Path) -> None:
    said, _ = run(triton_python, tmp_path, "numpy_program.py", "-m", "cuda_shim", "run", "--backend", "cpu")
    assert said[-1] == "a_fault"


@pytest.mark.long
def test_a_gpu_of_amd_is_left_to_triton(triton_python: Python) -> None:
    done = triton_python.start("-c", "import cuda_shim.triton; cuda_shim.triton.enable(backend='rocm')")
    assert done.returncode != 0
    assert "BackendNotFound" in done.stderr  # there is none on this machine


def test_triton_is_missed_by_name(any_shim_python: Python) -> None:
    done = any_shim_python.start("-c", "import cuda_shim.triton; cuda_shim.triton.enable()")
    assert done.returncode != 0
    assert "BackendNotFound: Triton is not installed: pip install triton" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("program", PARTS)
def test_kernels_give_what_torch_gives(torch_python: Python, tmp_path: Path, program: str) -> None:
    said, _ = run(torch_python, tmp_path, program)
    assert said == PARTS[program]


@pytest.mark.long
def test_the_language(torch_python: Python, tmp_path: Path) -> None:
    said, log = run(torch_python, tmp_path, "language_program.py")
    printed = {f"pid (0, 0, 0) idx ({index}) value: {11 * index}" for index in range(4)}
    assert {line for line in said if line.startswith("pid")} == printed
    assert [line for line in said if not line.startswith("pid")] == [
        "atomics", "a_lock", "histogram", "printing", "autotuning", "functions", "descriptors", "benchmark",
        "Triton Error [CUDA]: device-side assert triggered", "a_failed_assertion",
    ]  # fmt: skip
    assert "Assertion `a value is not positive` failed" in log
