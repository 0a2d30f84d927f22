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
