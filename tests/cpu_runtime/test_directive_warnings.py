"""What a log says though the program compiles: `#warning` as NVRTC says it, and nothing of our own."""

from __future__ import annotations

import pytest

from tests.cpu_runtime.hiprtc_program import Kernels, find_compiler
from tests.kernels import world_worker

CUDA = ("--cuda-shim-cuda=13050", "-D__CUDA_ARCH__=800")
KERNEL = '\nextern "C" __global__ void k(float* x) { x[threadIdx.x] += 1; }\n'
SAID = "probe.cu(2): warning #1105-D: #warning directive: hello there\n"


@pytest.mark.parametrize("compiler", ["clang++-19", "g++", "zig"])
def test_a_warning_of_the_program_is_in_the_log(compiler: str) -> None:
    if not find_compiler(compiler):
        pytest.skip(f"{compiler} is not installed")
    text = f"\n#warning hello there\n#if 0\n#warning unseen\n#endif{KERNEL}"
    (loud, quiet) = world_worker.run(compiler, [([*CUDA, "-O0"], text), ([*CUDA, "-O0", "-w"], text)])
    assert loud == (0, SAID)
    assert quiet == (0, "")


def test_name_expressions_bring_no_warnings(programs: Kernels) -> None:
    source = "template <class T> __global__ void k(T* x) {} __global__ void f(int) {} __global__ void f(float) {}"
    names = ("k<int>", "k<float>", "static_cast<void (*)(int)>(f)", "(void (*)(float))f")
    compiled = programs.compile(source, *CUDA, names=names)
    assert compiled.log == ""
    assert list(compiled.lowered.values()) == ["_Z1kIiEvPT_", "_Z1kIfEvPT_", "_Z1fi", "_Z1ff"]
