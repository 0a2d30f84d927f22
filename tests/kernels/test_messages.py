"""Logs of programs with mistakes, and with what NVRTC warns of: beside those of NVRTC itself."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.kernels import compilers
from tests.kernels.verdicts.compare import has_that_nvrtc

needs_nvrtc = pytest.mark.skipif(not has_that_nvrtc(), reason="the logs are those of one NVRTC")
NAME = "k.cu"
WORKER = Path(__file__).resolve().parent / "verdicts" / "logs.py"
ARCHITECTURE = "--gpu-architecture=sm_80"

#: Programs whose whole log is NVRTC's, but for notes and for the columns that carets point at.
SAME = [
    "__global__ void k(int*o){*o=x;}",
    "\n\n__global__ void k(int*o){\n\tflaot a; *o=1;\n}",
    "__device__ int f(int a,int b){return a;} __global__ void k(int*o){*o=f(1);}",
    "__device__ int f(int a){return a;} __global__ void k(int*o){*o=f(1,2);}",
    "__global__ void k(int*o){*o=threadIdx.w;}",
    "__global__ void k(const int*o){o[0]=1;}",
    "__global__ void k(int*o){const int a=1; a=2; *o=a;}",
    "__global__ void k(float*x){int*p=x;}",
    "__device__ void g(int*p){} __global__ void k(float*x){g(x);}",
    "struct S{int a;}; __global__ void k(S*o){o.a=1;}",
    "struct S{int a;}; __global__ void k(S o){o->a=1;}",
    "__global__ void k(int o){*o=1;}",
    'static_assert(sizeof(int)==8,"wide"); __global__ void k(int*o){}',
    "__global__ void k(int*o){break;}",
    "__global__ void k(int*o){goto l;}",
    "__global__ void k(int*o){*o=std::foo(1);}",
    "__global__ void k(int*o){(*o=1;}",
    "__global__ void k(int*o){*o=;}",
    "__global__ void k(int*o){5=*o;}",
    "#if 0\n#endif\n#error no, thanks\n__global__ void k(int*o){*o=x;}",
    "__global__ void k(int*o){int x; *o=1;}",
    "__global__ void k(int*o){*o=1<<40;}",
    "__device__ int f(){return;} __global__ void k(int*o){*o=f();}",
    "__global__ void k(int*o){int i=1; float2 p{i,i}; *o=p.x;}",
    "int f(int x){return x+1;} __global__ void k(int*o){*o=f(1);}",
    "__global__ int k(int*o){return 1;}",
    "__global__ void k(int*o){threadIdx.x=1; *o=1;}",
    "__constant__ int c; __global__ void k(int*o){c=1; *o=c;}",
    "__global__ void k(float*o){*o=1e50f;}",
]
#: Programs with options.
WITH_OPTIONS = {
    "suppressed": ("__global__ void k(int*o){int x; *o=1<<40;}", ["-diag-suppress=177"]),
    "both suppressed": ("__global__ void k(int*o){int x; *o=1<<40;}", ["--diag-suppress=177,63"]),
    "an error": ("__global__ void k(int*o){int x; *o=1;}", ["-diag-error=177"]),
    "all errors": ("__global__ void k(int*o){int x; *o=1;}", ["-Werror=all-warnings"]),
    "a group of errors": ("[[deprecated]] __device__ int f(){return 1;} __global__ void k(int*o){*o=f();}", ["-Werror=deprecated-declarations"]),
    "without warnings": ("__global__ void k(int*o){int x; *o=1;}", ["-w"]),
    "without numbers": ("__global__ void k(int*o){int x; *o=1;}", ["--no-display-error-number"]),
    "no number": ("__global__ void k(int*o){*o=1;}", ["-diag-error=x"]),
    "no group": ("__global__ void k(int*o){*o=1;}", ["-Werror=dp"]),
    "no tag": ("__global__ void k(int*o){*o=1;}", ["--optimization-info=unroll"]),
    "two that exclude each other": ("__global__ void k(int*o){*o=1;}", ["-dc", "-dw"]),
    "an older standard": ("__global__ void k(int*o){if constexpr(true)*o=1;}", ["-std=c++14"]),
    "a number out of range": ("__global__ void k(int*o){*o=1;}", ["--jump-table-density=102"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def cases() -> dict[str, tuple[str, list[str]]]:
    return {**{text: (text, []) for text in SAME}, **WITH_OPTIONS}


@pytest.fixture(scope="module")
def logs(any_shim_python, cases, tmp_path_factory) -> dict[str, tuple[bool, str]]:
    file: Path = tmp_path_factory.mktemp("logs") / "programs.json"
    file.write_text(json.dumps([[text, [ARCHITECTURE, *options]] for text, options in cases.values()]))
    printed = any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", WORKER, file)
    return dict(zip(cases, map(tuple, json.loads(printed)), strict=True))


def without_notes(log: str) -> str:
    """A log without notes, which each compiler has its own of, the lines that they show, and the carets' columns."""
    log = re.sub(r"^[^\n]*: note[^\n]*\n(?:  [^\n]*\n)*", "", log.replace("\0", ""), flags=re.MULTILINE)
    return re.sub(r"^\s+\^$", "^", log, flags=re.MULTILINE).strip("\n")


def nvrtc_log(text: str, options: list[str]) -> tuple[bool, str]:
    nvrtc = compilers.nvrtc()[max(compilers.WHEELS.values())]
    outcome = nvrtc.compile(text.encode(), NAME.encode(), [option.encode() for option in [ARCHITECTURE, *options]])
    return outcome.status == 0, outcome.log


@needs_nvrtc
@pytest.mark.parametrize("text", SAME)
def test_logs_are_nvrtc_s(logs, text: str) -> None:
    taken, log = nvrtc_log(text, [])
    assert (logs[text][0], without_notes(logs[text][1])) == (taken, without_notes(log))


@needs_nvrtc
@pytest.mark.parametrize("case", WITH_OPTIONS)
def test_options_have_their_effects(logs, case: str) -> None:
    taken, log = nvrtc_log(*WITH_OPTIONS[case])
    assert logs[case][0] == taken
    if case != "an older standard":  # whose words are the compiler's
        assert without_notes(logs[case][1]).split("\n")[0] == without_notes(log).split("\n")[0]


def test_every_log_ends_with_the_number_of_errors(logs) -> None:
    for text in SAME:
        taken, log = logs[text]
        assert taken or re.search(rf'error(?:s)? detected in the compilation of "{re.escape(NAME)}".\n', log), text


LENIENT = "int f(int x){return x+1;} __global__ void k(int*o){switch(*o){case 1 ... 3: *o=f(1);}}"


def test_a_lenient_run_takes_what_only_nvrtc_refuses(any_shim_python, tmp_path: Path) -> None:
    file = tmp_path / "programs.json"
    file.write_text(json.dumps([[f"{LENIENT} // {tmp_path}", [ARCHITECTURE]]]))  # not in the cache
    words = ("-m", "cuda_shim", "run", "--backend", "cpu", WORKER, file)
    strict = any_shim_python.start(*words)
    ((taken, log),) = json.loads(strict.stdout)
    assert not taken
    assert "is considered a host function" in log
    lenient = any_shim_python.start(*words, CUDA_SHIM_CPU_LENIENT="1")
    ((taken, log),) = json.loads(lenient.stdout)
    assert taken
    assert 'k.cu(1): warning: expected a ":"' in log
    assert "k.cu: NVRTC refuses this program, which runs here by the setting cpu_lenient" in lenient.stderr
