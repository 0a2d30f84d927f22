"""Errors of nvrtc and their texts."""

from _device import architecture
from _show import call, show
from cuda.bindings import nvrtc

for member in nvrtc.nvrtcResult:
    if int(member) <= 12:
        call(nvrtc.nvrtcGetErrorString, member, note=str(int(member)), values=True)
call(nvrtc.nvrtcGetErrorString, 99, note="no such", values=True)
call(nvrtc.nvrtcGetErrorString, "1", note="str")
call(nvrtc.nvrtcCreateProgram, "text", b"one.cu", 0, [], [], note="str")
call(nvrtc.nvrtcCreateProgram, None, b"one.cu", 0, [], [], note="None")
call(nvrtc.nvrtcCreateProgram, b"", b"one.cu", 0, [], [], note="empty")
program = call(nvrtc.nvrtcCreateProgram, b"__global__ void one() {}", b"one.cu", 0, [], [])
call(nvrtc.nvrtcCompileProgram, program, 1, [b"--no-such-option"], note="no such option")
call(nvrtc.nvrtcCompileProgram, program, 1, ["-DX"], note="option str")
call(nvrtc.nvrtcCompileProgram, program, 2, [architecture()], note="list too short")
call(nvrtc.nvrtcCompileProgram, program, 1, b"-DX", note="no list")
call(nvrtc.nvrtcCompileProgram, program, 1, [b"--gpu-architecture=sm_1"], note="no such architecture")
call(nvrtc.nvrtcCompileProgram, None, 0, [], note="null")
call(nvrtc.nvrtcCompileProgram, "program", 0, [], note="program str")
call(nvrtc.nvrtcDestroyProgram, None, note="null")
call(nvrtc.nvrtcDestroyProgram, "program", note="str")
call(nvrtc.nvrtcGetProgramLogSize, None, note="null")
call(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcProgram(), note="null")
call(nvrtc.nvrtcGetNumSupportedArchs)
archs = call(nvrtc.nvrtcGetSupportedArchs, note="shape") and nvrtc.nvrtcGetSupportedArchs()[1]
show("numbers", all(isinstance(arch, int) for arch in archs))
show("in order", list(archs) == sorted(archs))
