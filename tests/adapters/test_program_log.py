"""The log and the code of a program, which nvrtc writes into the caller's bytes."""

from tests.adapters.answers import ok


def compiled(nvrtc, source):
    program = ok(nvrtc.nvrtcCreateProgram(source, b"k.cu", 0, [], []))
    nvrtc.nvrtcCompileProgram(program, 0, [])
    return program


def test_an_empty_log_does_not_change_what_a_blank_is(cuda):
    """Its size is 1, and Python has one object for all bytes of one value."""
    program = compiled(cuda.nvrtc, b'extern "C" __global__ void k() {}')
    assert ok(cuda.nvrtc.nvrtcGetProgramLogSize(program)) == 1
    ok(cuda.nvrtc.nvrtcGetProgramLog(program, b" " * 1))
    ok(cuda.nvrtc.nvrtcGetPTX(program, b" " * 1))
    ok(cuda.nvrtc.nvrtcGetProgramLog(program, b""))
    assert bytes([32]) == " ".encode() == b"\x20"
    written = bytearray(b" ")
    ok(cuda.nvrtc.nvrtcGetProgramLog(program, written))
    assert written == b"\0"


def test_a_log_is_written_in_place(cuda):
    program = compiled(cuda.nvrtc, b'extern "C" __global__ void k() { nonsense; }')
    log = b" " * ok(cuda.nvrtc.nvrtcGetProgramLogSize(program))
    ok(cuda.nvrtc.nvrtcGetProgramLog(program, log))
    assert b"k.cu" in log
    assert b"nonsense" in log
    assert log.endswith(b"\0")
