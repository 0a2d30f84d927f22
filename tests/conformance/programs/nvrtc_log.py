"""Logs of programs that do not compile: the line of the error."""

import re
from typing import Any

from _device import architecture
from _show import call, show
from cuda.bindings import nvrtc


def log(program: Any) -> str:
    size = call(nvrtc.nvrtcGetProgramLogSize, program)
    text = b" " * size
    call(nvrtc.nvrtcGetProgramLog, program, text)
    show("ends in NUL", text[-1:] == b"\0")
    return text.rstrip(b"\0").decode()


source = b'extern "C" __global__ void one(int *to) {\n  int a = 1;\n  *to = missing + a;\n}\n'
program = call(nvrtc.nvrtcCreateProgram, source, b"broken.cu", 0, [], [])
call(nvrtc.nvrtcGetProgramLogSize, program, note="before compiling")
call(nvrtc.nvrtcCompileProgram, program, 1, [architecture()])
text = log(program)
show("names the file and the line", bool(re.search(r"broken\.cu[(:]3", text)))
show("names what is missing", "missing" in text)
show("says error", "error" in text)
call(nvrtc.nvrtcGetCUBINSize, program, note="after a failure")
call(nvrtc.nvrtcGetProgramLog, program, bytearray(8), note="bytearray")
good = call(nvrtc.nvrtcCreateProgram, b"__global__ void one() {}", b"good.cu", 0, [], [])
call(nvrtc.nvrtcCompileProgram, good, 1, [architecture()], note="good")
show("log of a success", log(good))
