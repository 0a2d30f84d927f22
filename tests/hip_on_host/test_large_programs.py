"""Clang's output for a large program is read while it is printed, and never held as a whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.hip_on_host.hip_program import run
from tests.hip_on_host.hiprtc_program import find_compiler

ROOT = Path(__file__).resolve().parents[2]
#: In namespaces, so that the printed tree is far to the right: more than 200 MB of 3,000 functions.
LEVELS, FUNCTIONS = 24, 3000

PROGRAM = """
import json, resource
sys.path.insert(0, {root!r})
from tests.hip_on_host import hiprtc_program
hiprtc = hiprtc_program.load({folder!r})
quoted = '"' + 'a\\\\\\\\b\\\\"c\\\\n' * 9 + '"'
functions = "".join(
    f"inline __device__ int f{{i}}(int a, int b) {{{{ const char* text = {{quoted}}; return a * {{i}} + (b ^ a) - text[b % 9]; }}}}\\n"
    for i in range({functions})
)
levels = range({levels})
source = (
    "".join(f"namespace level{{i}} {{{{ " for i in levels) + functions + "}} " * {levels} + "\\nusing namespace "
    + "::".join(f"level{{i}}" for i in levels) + ";\\n"
    + 'extern "C" __global__ void last(int* x) {{ x[threadIdx.x] = f7(x[threadIdx.x], 1); __syncthreads(); x[threadIdx.x] += f{last}(2, 0); }}'
)
def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
before = megabytes()
compiled = hiprtc_program.compile_program(hiprtc, source)
print(json.dumps([megabytes() - before, hiprtc_program.forms(compiled)]))
"""


@pytest.mark.skipif(not find_compiler("clang++-19"), reason="programs are read by Clang")
def test_memory_is_for_the_program_and_not_for_what_is_printed_of_it(runtime_folder: Path, tmp_path: Path) -> None:
    code = PROGRAM.format(
        root=str(ROOT), folder=str(runtime_folder), functions=FUNCTIONS, levels=LEVELS, last=FUNCTIONS - 1
    )
    done = run(runtime_folder, code, CUDA_SHIM_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    grown, forms = json.loads(done.stdout)
    assert forms == {"last": [True, True]}  # the output was read and understood
    assert grown < 120


def chains() -> dict[str, str]:
    """Return kernels by name whose values are each made of earlier ones, used more than once: 2^60 ways through them."""
    values = range(60)
    straight = "".join(f"float a{i + 1} = a{i} * a{i} + a{i};" for i in values)
    carried = "".join(f"int a{i + 1} = 0;" for i in values)
    rounds = "".join(f"a{i + 1} = a{i} * a{i} + a{i + 1};" for i in values)
    chosen = "".join(
        f"int a{i + 1} = a{i} > 3 ? a{i} + 1 : a{i} - 1; if (a{i + 1} > 5) a{i + 1} = a{i};" for i in values
    )
    bounds = "".join(f"int a{i + 1} = a{i} * a{i} + a{i};" for i in values)
    return {
        "straight": f"float a0 = x[0]; {straight} int q[8] = {{n}}; q[int(a60) & 7] = n; x[1] = q[n & 7];",
        "carried": f"int a0 = n; {carried} for (int j = 0; j < n; ++j) {{ {rounds} a0 = a60 + a59; }}"
        "int q[8] = {n}; q[a60 & 7] = n; x[1] = q[a0 & 7];",
        "chosen": f"int a0 = n; {chosen} int q[8] = {{n}}; q[a60 & 7] = n; x[1] = q[a60 & 3];",
        "bounds": f"int a0 = 3; {bounds} int q[8] = {{n}}; for (int i = 0; i < a60; ++i) q[i & 7] = a60; x[1] = q[n];",
    }


@pytest.mark.skipif(not find_compiler("clang++-19"), reason="programs are read by Clang")
def test_values_made_of_earlier_values_are_followed_once(runtime_folder: Path, tmp_path: Path) -> None:
    kernels = chains()
    source = "".join(
        f'extern "C" __global__ void {name}(float* x, int n) {{ {body} }}\n' for name, body in kernels.items()
    )
    code = (
        f"import json\nsys.path.insert(0, {str(ROOT)!r})\nfrom tests.hip_on_host import hiprtc_program\n"
        f"hiprtc = hiprtc_program.load({str(runtime_folder)!r})\n"
        f"print(json.dumps(sorted(hiprtc_program.forms(hiprtc_program.compile_program(hiprtc, {source!r})))))"
    )
    done = run(runtime_folder, code, CUDA_SHIM_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout) == sorted(kernels)
