"""Every setting is an argument of `enable()`: it wins, reaches children, and is refused where it comes too late."""

from __future__ import annotations

import json
import textwrap

import pytest

import cuda_shim
from cuda_shim.errors import SettingError
from tests.environments import Python
from tests.interpreters import NO_FALLBACKS, run_json

CHILD = "import json, os; print(json.dumps({n: v for n, v in os.environ.items() if n.startswith('CUDA_SHIM')}))"


def test_they_win_over_the_environment_and_reach_children() -> None:
    code = f"""
        import cuda_shim, subprocess, sys, os
        from cuda_shim import settings
        with cuda_shim.enable(cpu_devices=4, cpu_split=False, quiet=True, cxx="clang++ -O1"):
            chosen = settings.current()
            assert (chosen.cpu_devices, chosen.sources["cpu_devices"]) == (4, "argument"), chosen
            subprocess.run([sys.executable, "-c", {CHILD!r}], check=True)
        assert os.environ["CUDA_SHIM_CPU_DEVICES"] == "2" and "CUDA_SHIM_CPU_SPLIT" not in os.environ
        assert settings.current().cpu_devices == 2
    """
    assert run_json(textwrap.dedent(code), CUDA_SHIM_CPU_DEVICES="2") == {
        "CUDA_SHIM": "1", "CUDA_SHIM_CPU_DEVICES": "4", "CUDA_SHIM_CPU_SPLIT": "0", "CUDA_SHIM_QUIET": "1",
        "CUDA_SHIM_CXX": "clang++ -O1", **NO_FALLBACKS,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["mode", "colour", "HIP_PYTHON"])
def test_unknown_ones_are_refused_with_the_known(name: str) -> None:
    with pytest.raises(
        SettingError, match=f"takes no setting '{name}'; the settings are backend, cuda, driver, strict"
    ):
        cuda_shim.enable(**{name: "1"})  # type: ignore[arg-type]
    assert not cuda_shim.is_enabled()


def test_bad_values_are_refused_before_anything_happens() -> None:
    with pytest.raises(SettingError, match="cpu_devices=0 is not allowed; use an integer from 1 to 64"):
        cuda_shim.enable(cpu_devices=0)
    assert not cuda_shim.is_enabled()


def test_a_bad_environment_is_refused() -> None:
    code = """
        import json, cuda_shim
        try: cuda_shim.enable()
        except cuda_shim.SettingError as error: print(json.dumps([str(error), cuda_shim.is_enabled()]))
    """
    message, enabled = run_json(textwrap.dedent(code), CUDA_SHIM_CPU_WARP_SIZE="16")
    assert (message, enabled) == ("CUDA_SHIM_CPU_WARP_SIZE=16 is not allowed; use 32, 64", False)


def test_devices_of_the_cpu_backend(any_shim_python: Python) -> None:
    """The argument arrives in the C++ runtime; a second value comes too late, the same one does not."""
    code = """
        import json, cuda_shim
        with cuda_shim.enable(backend="cpu", cpu_devices=3, propagate=False):
            from cuda.bindings import runtime
            count = runtime.cudaGetDeviceCount()[1]
        cuda_shim.enable(cpu_devices=3).disable()
        try: cuda_shim.enable(cpu_devices=2)
        except cuda_shim.SettingError as error: print(json.dumps([count, str(error), cuda_shim.is_enabled()]))
    """
    count, message, enabled = json.loads(any_shim_python.run("-c", textwrap.dedent(code)))
    assert (count, enabled) == (3, False)
    assert message.startswith("cpu_devices=2 comes too late: the CPU runtime of this process has been loaded with 3")


def test_a_backend_that_auto_came_to_is_agreed(any_shim_python: Python) -> None:
    code = """
        import cuda_shim
        cuda_shim.enable()
        from cuda.bindings import runtime
        runtime.cudaGetDeviceCount()
        cuda_shim.enable(backend="cpu")
        try: cuda_shim.enable(backend="rocm")
        except cuda_shim.SettingError as error: print(error)
    """
    message = any_shim_python.run("-c", textwrap.dedent(code))
    assert message.startswith("backend=rocm contradicts the session that is enabled with backend=cpu")


def test_a_reason_is_one_line_on_stderr(any_shim_python: Python) -> None:
    code = "from cuda.bindings import driver; driver.cuInit(0); driver.cuCtxAttach(0); driver.cuCtxAttach(0)"
    done = any_shim_python.start("-c", code, CUDA_SHIM="1")
    assert done.returncode == 0
    assert done.stderr.startswith("cuda_shim: cuCtxAttach is not supported: ")
    assert done.stderr.count("\n") == 1
    assert any_shim_python.start("-c", code, CUDA_SHIM="1", CUDA_SHIM_LOG="off").stderr == ""
    # A program that sets up logging controls our log itself.
    done = any_shim_python.start("-c", "import logging; logging.basicConfig(); " + code, CUDA_SHIM="1")
    assert done.stderr.startswith("WARNING:cuda_shim:cuCtxAttach is not supported: ")
    assert done.stderr.count("\n") == 1


def test_more_is_reported_where_it_is_asked_for(any_shim_python: Python) -> None:
    code = """
from cuda.bindings import nvrtc
program = nvrtc.nvrtcCreateProgram(b'__global__ void k() {}', b'k.cu', 0, [], [])[1]
nvrtc.nvrtcCompileProgram(program, 1, [b'--std=c++11'])
"""
    words = ["-m", "cuda_shim", "run", "--backend", "cpu"]
    assert any_shim_python.start(*words, "-c", code).stderr == ""
    assert "cuda_shim: nvrtcCompileProgram: " in any_shim_python.start(*words, "--log=debug", "-c", code).stderr


def test_a_refused_image_says_why_and_raises_under_strict(any_shim_python: Python) -> None:
    code = """
from cuda.bindings import runtime, driver
runtime.cudaFree(0)
for _ in range(2): print(driver.cuModuleLoadData(bytes.fromhex('7f454c46') + bytes(14) + (190).to_bytes(2, 'little') + bytes(64))[0].name)
"""
    words = ["-m", "cuda_shim", "run", "--backend", "cpu"]
    done = any_shim_python.start(*words, "-c", code)
    assert done.stdout == "CUDA_ERROR_NO_BINARY_FOR_GPU\n" * 2
    assert done.stderr.startswith("cuda_shim: cuModuleLoadData: the image is a cubin, machine code for NVIDIA GPUs: ")
    assert done.stderr.count("\n") == 1
    done = any_shim_python.start(*words, "--strict", "-c", code)
    assert done.returncode == 1
    assert "UnsupportedAPI: cuModuleLoadData: the image is a cubin" in done.stderr
