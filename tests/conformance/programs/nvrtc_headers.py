"""Headers and macros handed to nvrtc."""

from _device import architecture
from _show import call
from cuda.bindings import nvrtc

source = b'#include "sizes.h"\n#include <deep/more.h>\nextern "C" __global__ void one(int *to) { *to = SIZE + MORE + GIVEN; }'
headers = [b"#define SIZE 4\n", b"#define MORE 5\n"]
names = [b"sizes.h", b"deep/more.h"]
program = call(nvrtc.nvrtcCreateProgram, source, b"one.cu", 2, headers, names)
call(nvrtc.nvrtcCompileProgram, program, 2, [architecture(), b"-DGIVEN=6"])
call(nvrtc.nvrtcDestroyProgram, program)
program = call(nvrtc.nvrtcCreateProgram, source, b"one.cu", 2, tuple(headers), tuple(names), note="tuples")
call(nvrtc.nvrtcCompileProgram, program, 2, (architecture(), b"--define-macro=GIVEN=6"), note="tuples")
program = call(nvrtc.nvrtcCreateProgram, source, b"one.cu", 0, [], [], note="without")
call(nvrtc.nvrtcCompileProgram, program, 1, [architecture()], note="header missing")
call(nvrtc.nvrtcCreateProgram, source, b"one.cu", 3, headers, names, note="lists too short")
call(nvrtc.nvrtcCreateProgram, source, b"one.cu", 2, ["text", "text"], names, note="list of str")
call(nvrtc.nvrtcCreateProgram, source, b"one.cu", 2, b"text", names, note="no list")
call(nvrtc.nvrtcCreateProgram, source, b"one.cu", 1, headers, names, note="count below")
