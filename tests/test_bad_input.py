"""Bad input from a user: CUDA's own status, a Python error as cuda-python raises it, or one line that helps."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.environments import Python

PRELUDE = """
import ctypes
import numpy as np
from cuda.bindings import driver, nvrtc, runtime
from cuda.bindings.driver import CUresult
from cuda.bindings.runtime import cudaError_t

def check(result):
    assert result[0] == 0, result
    return result[1] if len(result) == 2 else result[1:]

def compiled(source, *options):
    program = check(nvrtc.nvrtcCreateProgram(source, b"user.cu", 0, [], []))
    status, = nvrtc.nvrtcCompileProgram(program, len(options), list(options))
    log = b" " * check(nvrtc.nvrtcGetProgramLogSize(program))
    check(nvrtc.nvrtcGetProgramLog(program, log))
    if status != 0:
        return status, log.rstrip(b"\\0 ").decode()
    image = b" " * check(nvrtc.nvrtcGetPTXSize(program))
    check(nvrtc.nvrtcGetPTX(program, image))
    return status, image

def kernel(source, name):
    check(driver.cuInit(0))
    check(driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(0))))
    status, image = compiled(source)
    assert status == 0, image
    return check(driver.cuModuleGetFunction(check(driver.cuModuleLoadData(image)), name))

def raised(action):
    try:
        return action()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
"""


@pytest.fixture
def said(shim_python: Python, tmp_path: Path) -> object:
    """A function that runs a program and gives its lines."""

    def run(body: str, **environment: str) -> list[str]:
        path = tmp_path / "program.py"
        path.write_text(PRELUDE + textwrap.dedent(body), encoding="utf-8")
        return shim_python.run("-m", "cuda_shim", "run", path, **environment).splitlines()

    return run


def test_a_kernel_that_does_not_compile(said):
    lines = said(
        """
        status, log = compiled(b'extern "C" __global__ void k(float *x)\\n{\\n    x[0] = undeclared + 1;\\n}\\n')
        print(status.name)
        print([line for line in log.splitlines() if line.startswith("user.cu(3): ") and "undeclared" in line])
        """
    )
    assert lines[0] == "NVRTC_ERROR_COMPILATION"
    assert "error: " in lines[1], lines


def test_wrong_argument_types(said):
    assert said(
        """
        print(raised(lambda: runtime.cudaMalloc("a")))
        print(raised(lambda: runtime.cudaMalloc(None)))
        print(raised(lambda: runtime.cudaMalloc(-1)))
        print(raised(lambda: runtime.cudaMemcpy("a", 1, 2, 3)))
        print(raised(lambda: runtime.cudaStreamSynchronize("a")))
        print(raised(lambda: driver.cuModuleGetFunction(0, "name")))
        print(raised(lambda: driver.cuMemAlloc(size=1)))
        print(raised(lambda: runtime.cudaMemcpy(0, np.zeros((4, 4))[:, 1], 0, 1)))
        """
    ) == [
        "TypeError: an integer is required",
        "TypeError: an integer is required",
        "OverflowError: can't convert negative value to size_t",
        "TypeError: Provided argument is of type <class 'str'> but expected Type None, int or object with Buffer Protocol",
        "TypeError: an integer is required",
        "TypeError: expected bytes, str found",
        "TypeError: cuMemAlloc() got an unexpected keyword argument 'size'",
        "ValueError: ndarray is not contiguous",
    ]


def test_freed_and_foreign_pointers_and_sizes(said):
    assert said(
        """
        pointer = check(runtime.cudaMalloc(64))
        print(runtime.cudaFree(pointer)[0].name)
        print(runtime.cudaFree(pointer)[0].name)
        print(runtime.cudaMemset(pointer, 0, 64)[0].name)
        print(runtime.cudaFree(12345)[0].name)
        print(driver.cuMemAlloc(0))
        print(runtime.cudaMalloc(0))
        print(runtime.cudaMalloc(1 << 62)[0].name)
        held = check(runtime.cudaMalloc(64))
        print(runtime.cudaMemcpy(held, np.zeros(128, np.uint8), 128, runtime.cudaMemcpyKind.cudaMemcpyHostToDevice)[0].name)
        print(runtime.cudaMemcpy(held, held, 8, 77)[0].name)
        print(runtime.cudaSetDevice(99)[0].name, driver.cuDeviceGet(-1)[0].name)
        """
    ) == [
        "cudaSuccess",
        "cudaErrorInvalidValue",
        "cudaErrorInvalidValue",
        "cudaErrorInvalidValue",
        "(<CUresult.CUDA_ERROR_INVALID_VALUE: 1>, None)",
        "(<cudaError_t.cudaSuccess: 0>, 0)",
        "cudaErrorMemoryAllocation",
        "cudaErrorInvalidValue",
        "cudaErrorInvalidMemcpyDirection",
        "cudaErrorInvalidDevice CUDA_ERROR_INVALID_DEVICE",
    ]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("p[(size_t)1 << 40] = 1;", "CUDA_ERROR_ILLEGAL_ADDRESS"),
        ("__trap();", "CUDA_ERROR_LAUNCH_FAILED"),
    ],
)
def test_a_launch_that_faults_leaves_the_interpreter_alive(shim_python, tmp_path, body, status):
    path = tmp_path / "fault.py"
    path.write_text(
        PRELUDE
        + textwrap.dedent(
            f"""
            function = kernel(b'extern "C" __global__ void faulty(volatile int *p) {{ {body} }}', b"faulty")
            memory = check(driver.cuMemAlloc(64))
            check(driver.cuMemsetD8(memory, 0, 64))
            launched = driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, ((memory,), (None,)), 0)[0]
            waited = driver.cuCtxSynchronize()[0]
            print({{launched.name, waited.name}} - {{"CUDA_SUCCESS"}})
            print("alive")
            """
        ),
        encoding="utf-8",
    )
    done = shim_python.start("-m", "cuda_shim", "run", path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{{'{status}'}}", "alive"]
    assert "faulty" in done.stderr  # the name of the kernel


def test_too_few_kernel_parameters_are_an_error_before_the_launch(shim_python, tmp_path):
    path = tmp_path / "few.py"
    path.write_text(
        PRELUDE
        + textwrap.dedent(
            """
            function = kernel(b'extern "C" __global__ void two(float *a, float *b) { a[0] = b[0]; }', b"two")
            memory = check(driver.cuMemAlloc(64))
            for given in (((memory,), (None,)), ((), ()), 0):
                print(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, given, 0)[0].name)
            print(driver.cuCtxSynchronize()[0].name)
            """
        ),
        encoding="utf-8",
    )
    done = shim_python.start("-m", "cuda_shim", "run", path)
    assert (done.returncode, done.stdout.split()) == (0, ["CUDA_ERROR_INVALID_VALUE"] * 3 + ["CUDA_SUCCESS"]), (
        done.stderr
    )


def test_a_script_that_does_not_exist(any_shim_python):
    done = any_shim_python.start("-m", "cuda_shim", "run", "/no/such/script.py")
    assert done.returncode == 2
    assert "can't open file '/no/such/script.py'" in done.stderr


@pytest.mark.parametrize(
    ("variable", "value"), [("CUDA_SHIM_BACKEND", "metal"), ("CUDA_SHIM_CUDA", "9.0"), ("CUDA_SHIM_STRICT", "perhaps")]
)
def test_a_setting_with_a_value_that_is_not_allowed(any_shim_python, variable, value):
    done = any_shim_python.start(
        "-m", "cuda_shim", "run", "-c", "from cuda.bindings import driver", **{variable: value}
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"cuda_shim: run: {variable}={value} is not allowed; use ")
    assert done.stderr.count("\n") == 1


def test_no_compiler_for_a_kernel(any_shim_python, tmp_path):
    """The libraries are there; the kernel's compiler is not."""
    program = tmp_path / "program.py"
    program.write_text(PRELUDE + "print(compiled(b'extern \"C\" __global__ void k() {}'))\n", encoding="utf-8")
    any_shim_python.run("-c", "from cuda.bindings import runtime; print(runtime.cudaGetDeviceCount())", CUDA_SHIM="1")
    done = any_shim_python.start(
        "-m", "cuda_shim", "run", program, CUDA_SHIM_CPU_CXX=str(tmp_path / "no-such-compiler")
    )
    assert "NVRTC_ERROR_COMPILATION" in done.stdout
    assert "no-such-compiler" in done.stdout


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--cpu-cxx=/no/cxx",), "--cpu-cxx names a compiler that does not exist: /no/cxx"),
        (("--cpu-cxx=g++", "--cpu-clang=/no/clang"), "--cpu-clang names a compiler that does not exist: /no/clang"),
        (
            ("--cpu-device-headers=/no",),
            "the headers for kernels are not in /no: install cuda-shim anew, or set --cpu-device-headers",
        ),
    ],
    ids=["compiler", "reader", "headers"],
)
def test_what_a_kernel_lacks_is_named_as_it_was_given(any_shim_python, tmp_path, flags, said):
    program = tmp_path / "program.py"
    program.write_text(PRELUDE + "print(compiled(b'extern \"C\" __global__ void k() {}')[1])\n", encoding="utf-8")
    done = any_shim_python.start("-m", "cuda_shim", "run", "--backend=cpu", *flags, program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(said)


def test_no_hip_python(any_shim_python, tmp_path):
    """As in an environment without it: a package of that name that has nothing stands in front."""
    for name in ("rocm", "hip"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ModuleNotFoundError(name=__name__)\n", encoding="utf-8")
    code = "from cuda.bindings import driver; driver.cuInit(0)"
    done = any_shim_python.start("-c", code, CUDA_SHIM="1", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert "BackendNotFound: hip-python" in done.stderr.splitlines()[-1]
    assert "pip install" in done.stderr.splitlines()[-1]
    # The program's own line is among the last few: the frames between are of no use to its user.
    frames = [line for line in done.stderr.splitlines() if line.startswith("  File ")]
    assert frames[0] == '  File "<string>", line 1, in <module>'
    assert len(frames) <= 4


def test_an_unsupported_call_answers_and_is_refused_under_strict(any_shim_python):
    code = "from cuda.bindings import driver; driver.cuInit(0); print(driver.cuCheckpointProcessGetRestoreThreadId(1))"
    printed = any_shim_python.run("-m", "cuda_shim", "run", "-c", code)
    assert printed == "(<CUresult.CUDA_ERROR_NOT_SUPPORTED: 801>, None)\n"
    done = any_shim_python.start("-m", "cuda_shim", "run", "--strict", "-c", code)
    assert done.returncode == 1
    assert "UnsupportedAPI: cuCheckpointProcessGetRestoreThreadId: process checkpointing" in done.stderr
