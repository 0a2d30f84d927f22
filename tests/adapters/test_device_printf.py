"""Values that printf returns in kernels, and that the address 0 is no memory."""

from __future__ import annotations

import ast

import pytest

from tests.adapters.processes import run

#: Formats, the arguments in C++, and the value that vprintf returned on an H100 with the driver of CUDA 13.0 (580.159).
RETURNED = [
    ("x\n", "", 0),
    ("%d\n", "7", 1),
    ("%d %d\n", "7, 8", 2),
    ("%%\n", "", 0),
    ("%d%d%s\n", '7, 8, "text"', 3),
    ("", "", 0),
    ("%d %", "7", 1),
    ("%*d\n", "7, 8", 2),
    ("%q\n", "", 0),
    ("%d%%%d\n", "7, 8", 2),
]
SET_UP = """
from cuda.bindings import nvrtc
def ok(answer):
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None
ok(cu.cuInit(0)); ok(cu.cuCtxSetCurrent(ok(cu.cuDevicePrimaryCtxRetain(0))))
source = sys.stdin.buffer.read()
def kernel(image, name):
    return ok(cu.cuModuleGetFunction(ok(cu.cuModuleLoadData(image)), name))
def compiled():
    program = ok(nvrtc.nvrtcCreateProgram(source, b"k.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, 0, []))
    image = bytearray(ok(nvrtc.nvrtcGetCUBINSize(program)))
    ok(nvrtc.nvrtcGetCUBIN(program, image))
    return bytes(image)
out = ok(cu.cuMemAlloc(400))
def launch(function):
    value = ctypes.c_void_p(int(out))
    pointers = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    ok(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, ctypes.addressof(pointers), 0))
    return cu.cuCtxSynchronize()[0].name
"""
READ = """
values = (ctypes.c_int * 100)()
ok(cu.cuMemcpyDtoH(ctypes.addressof(values), out, 400))
print("\\n", values[:100], sep="")
"""


def returned(program: str, given: str) -> list[int]:
    # The C library may write the kernels' output before or behind Python's.
    lines = run(SET_UP + program + READ, given.encode()).decode().splitlines()
    (values,) = (line for line in lines if line.startswith("["))
    return list(ast.literal_eval(values)[: len(RETURNED)])


def test_printf_counts_arguments():
    calls = "".join(
        f"out[{place}] = printf({', '.join(filter(None, [quoted(form), arguments])) or quoted(form)});\n"
        for place, (form, arguments, _) in enumerate(RETURNED)
    )
    source = f'extern "C" __global__ void k(int* out) {{ {calls} }}'
    assert returned('assert launch(kernel(compiled(), b"k")) == "CUDA_SUCCESS"', source) == [row[2] for row in RETURNED]


def quoted(text: str) -> str:
    return '"' + text.replace("\n", "\\n") + '"'


PTX = """.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
%s
.visible .entry k(.param .u64 o) {
.local .align 8 .b8 d[32]; .reg .b64 a, b, g; .reg .b32 r;
ld.param.u64 a, [o]; mov.u64 b, d; cvta.local.u64 b, b;
st.local.u32 [d], 7; st.local.u32 [d+4], 8;
%s
ret;
}
"""
PTX_CALL = """mov.u64 g, F%d; cvta.global.u64 g, g; st.local.u64 [d+8], g;
{ .param .b64 p; st.param.b64 [p], g; .param .b64 q; st.param.b64 [q], b; .param .b32 v;
call.uni (v), vprintf, (p, q); ld.param.b32 r, [v]; }
st.global.u32 [a+%d], r;
"""


def test_vprintf_counts_arguments():
    formats = "\n".join(
        f".global .align 1 .b8 F{place}[16] = {{{', '.join(map(str, form.encode().ljust(16, bytes(1))))}}};"
        for place, (form, *_) in enumerate(RETURNED)
    )
    text = PTX % (formats, "".join(PTX_CALL % (place, 4 * place) for place in range(len(RETURNED))))
    assert returned('assert launch(kernel(source, b"k")) == "CUDA_SUCCESS"', text) == [row[2] for row in RETURNED]


@pytest.mark.parametrize("body", ["*(int*)0 = 1;", "int* p = nullptr; *p = *out;", "*out = *(int*)0;"])
def test_the_address_0_is_no_memory(body: str):
    source = f'extern "C" __global__ void k(int* out) {{ {body} }}'
    assert run(SET_UP + 'print(launch(kernel(compiled(), b"k")))', source.encode()).split() == [
        b"CUDA_ERROR_ILLEGAL_ADDRESS"
    ]
