"""The log of a program that compiles: `#warning` and `#pragma message` in NVRTC's words, and nothing of our own."""

from __future__ import annotations

import pytest

from tests.hip_on_host.hiprtc_program import CompileError, Kernels, find_compiler
from tests.kernels import compilers, world_worker
from tests.program_files import read_program

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


MESSAGES = read_program(__file__, "directive_warnings_messages.cu")
REMARKS = [
    'probe.cu(2): remark #20200-D: #pragma message: "hello there"',
    'probe.cu(3): remark #20200-D: #pragma message: "in two macro"',
    'probe.cu(4): remark #20200-D: #pragma message: "by operator"',
    'probe.cu(8): remark #20200-D: #pragma message: "a "quoted" AB\tword"',
    'probe.cu(10): remark #20200-D: #pragma message: ""',
]


@pytest.mark.parametrize("layout", sorted(compilers.WHEELS.values()))
def test_nvrtc_remarks_on_these_messages(layout: str) -> None:
    if layout not in compilers.nvrtc():
        pytest.skip(f"NVRTC {layout} is not installed")
    for options in ([], [b"-w"]):
        outcome = compilers.nvrtc()[layout].compile(MESSAGES.encode(), b"probe.cu", options)
        assert outcome.status == 0
        assert [line for line in outcome.log.splitlines() if line.startswith("probe.cu(")] == REMARKS


@pytest.mark.parametrize("compiler", ["clang++-19", "g++", "zig"])
def test_a_message_of_the_program_is_in_the_log(compiler: str) -> None:
    if not find_compiler(compiler):
        pytest.skip(f"{compiler} is not installed")
    options, lines = [*CUDA, "-O0"], "".join(f"{line}\n" for line in REMARKS)
    wrong = MESSAGES.replace("*x = 1", "*x = missing")
    run = world_worker.run(compiler, [(options, MESSAGES), ([*options, "-w"], MESSAGES), (options, wrong)])
    assert run[:2] == [(0, lines), (0, lines)]
    status, log = run[2]
    assert status == 6
    assert log.startswith(lines)
    assert log.count("#pragma message: ") == len(REMARKS)


def test_messages_before_an_error_directive_and_of_headers(programs: Kernels) -> None:
    source = '#include "inc/own.h"\n#pragma message "late"\n'
    headers = {"inc/own.h": '#pragma message "early"\n#warning careful\n'}
    expected = [
        "inc/own.h(2): warning #1105-D: #warning directive: careful",
        'inc/own.h(1): remark #20200-D: #pragma message: "early"',
        'kernel.cu(2): remark #20200-D: #pragma message: "late"',
    ]
    log = programs.compile(source + "__global__ void k() {}", *CUDA, headers=headers).log
    assert log.splitlines() == expected
    with pytest.raises(CompileError) as failed:
        programs.compile(source + "#error stop\n", *CUDA, headers=headers)
    assert failed.value.log.splitlines()[:3] == expected
