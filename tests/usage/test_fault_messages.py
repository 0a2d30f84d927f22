"""Messages on stderr about a fault, and about calls that are not supported: CUDA's names, and a remedy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cuda_shim.backends import host
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import FunctionRow
from tests.environments import Python

PROGRAM = Path(__file__).with_name("faulting.py")
RESET = "the device refuses work until it is reset (cudaDeviceReset, cuDevicePrimaryCtxReset)"
CHECK = "; CUDA_SHIM_CPU_CHECK=1 (run --cpu-check) finds the line"


@pytest.mark.parametrize(
    ("kernel", "label"),
    [
        ("plain", "plain"),
        ("fill<float>", "fill<float>"),
        ("app::scale", "app::scale"),
        ("ptx", "void app::shift<int>(int*)"),
    ],
)
def test_a_fault_has_the_kernels_own_name(any_shim_python: Python, kernel: str, label: str) -> None:
    done = any_shim_python.start(PROGRAM, kernel, CUDA_SHIM="1", CUDA_SHIM_BACKEND="cpu")
    assert done.stdout == "CUDA_ERROR_ILLEGAL_ADDRESS\n", done.stderr
    message = re.escape(f"cuda_shim: kernel {label} was stopped in block (0,0,0): illegal memory access at address ")
    assert re.search(f"^{message}0x[0-9a-f]+; {re.escape(RESET + CHECK)}$", done.stderr, re.MULTILINE), done.stderr


def test_a_checked_run_finds_the_line_itself(any_shim_python: Python) -> None:
    words = ("-m", "cuda_shim", "run", "--backend", "cpu", "--cpu-check", PROGRAM, "fill<float>")
    stderr = any_shim_python.start(*words).stderr
    assert re.search(r"kernel fill<float> was stopped in .*, at faulting.cu:2: illegal write of 4 bytes", stderr)
    assert stderr.rstrip().endswith(RESET)


def test_calls_that_are_not_supported_have_cudas_name(any_shim_python: Python) -> None:
    code = "from cuda.bindings import runtime; print(runtime.cudaGraphicsMapResources(1, 0, 0)[0].name)"
    done = any_shim_python.start("-c", code, CUDA_SHIM="1", CUDA_SHIM_BACKEND="cpu")
    assert "cuda_shim: cuGraphicsMapResources (hipGraphicsMapResources) is not supported: " in done.stderr, done.stdout


def test_each_refused_function_of_hip_is_one_of_cudas() -> None:
    refused = host.unsupported()
    assert len(refused) > 20
    driver = store.load("driver")
    only_hip = {"hipExtStreamCreateWithCUMask", "hipExtStreamGetCUMask", "hipGetTextureReference"}
    rows = {name: driver.row("cu" + name.removeprefix("hip"), "13.5") for name in refused}
    assert {name for name, row in rows.items() if row is None} == only_hip
    assert {row.hip for row in rows.values() if isinstance(row, FunctionRow)} == set(rows) - only_hip


@pytest.mark.parametrize(
    ("image", "problem"),
    [
        (
            "b'no image at all'",
            "in no known format (no ELF header, fat binary or PTX); the CPU device runs code objects that NVRTC",
        ),
        (
            "open(sys.executable, 'rb').read()",
            "damaged or cut short; load the code object that nvrtcGetCUBIN or hiprtcGetCode",
        ),
    ],
)
def test_an_image_that_is_none(any_shim_python: Python, image: str, problem: str) -> None:
    context = "d.cuInit(0); d.cuCtxSetCurrent(d.cuDevicePrimaryCtxRetain(0)[1])"
    code = f"import sys; import cuda.bindings.driver as d; {context}; print(d.cuModuleLoadData({image})[0].name)"
    done = any_shim_python.start("-c", code, CUDA_SHIM="1", CUDA_SHIM_BACKEND="cpu")
    assert done.stdout == "CUDA_ERROR_INVALID_IMAGE\n", done.stderr
    assert f"the module image is {problem}" in done.stderr
