"""Type traits that NVRTC's compiler has without a header: NVIDIA's core libraries use them."""

from __future__ import annotations

import pytest

from tests.kernels import compilers
from tests.program_files import read_program

LAYOUT = "13.5"
SOURCE = read_program(__file__, "type_words.cu")
PROGRAM = """
import sys
from cuda.bindings import nvrtc
program = nvrtc.nvrtcCreateProgram(sys.argv[1].encode(), b"words.cu", 0, [], [])[1]
status = nvrtc.nvrtcCompileProgram(program, 1, [b"-default-device"])[0]
log = b" " * nvrtc.nvrtcGetProgramLogSize(program)[1]
nvrtc.nvrtcGetProgramLog(program, log)
print(status.name, log.decode())
"""


def test_nvrtc_answers_so():
    compiler = compilers.nvrtc().get(LAYOUT)
    if compiler is None:
        pytest.skip("NVRTC is not installed")
    done = compiler.compile(SOURCE.encode(), b"words.cu", [b"-default-device"])
    assert done.status == 0, done.log


def test_each_compiler_answers_so(run_on_cpu):
    done = run_on_cpu("-c", PROGRAM, SOURCE)
    assert done.stdout.split()[:1] == ["NVRTC_SUCCESS"], done.stdout + done.stderr
