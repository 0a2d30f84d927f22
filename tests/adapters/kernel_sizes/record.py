"""Print the local and shared memory of kernels, as JSON: attributes of the functions that NVRTC and the driver made.

    python tests/adapters/kernel_sizes/record.py > tests/adapters/kernel_sizes/recorded.json

with cuda-bindings and an NVIDIA GPU.
"""

from __future__ import annotations

import json
from typing import Any

from cuda.bindings import driver, nvrtc

LOCAL = """
#define ARRAY(name, type, n) extern "C" __global__ void name(type* p, int i) { \\
    type a[n]; for (int k = 0; k < n; k++) a[(k * 7 + i) % n] = p[k]; p[0] = a[i]; }
ARRAY(chars_5, char, 5)
ARRAY(ints_4, int, 4)
ARRAY(ints_5, int, 5)
ARRAY(doubles_3, double, 3)
ARRAY(ints_1000, int, 1000)
extern "C" __global__ void none(int* p) { int a = p[1]; p[0] = a; }
extern "C" __global__ void constant_indices(int* p) { int a[3]; a[0] = p[0]; a[1] = p[1]; a[2] = a[0] * a[1]; p[2] = a[2]; }
extern "C" __global__ void unrolled(int* p) {
    int a[4];
#pragma unroll
    for (int k = 0; k < 4; k++) a[k] = p[k];
#pragma unroll
    for (int k = 0; k < 4; k++) p[k] = a[3 - k];
}
extern "C" __global__ void two(char* p, int* q, int i) {
    char a[3]; int b[5];
    for (int k = 0; k < 3; k++) a[(k + i) % 3] = p[k];
    for (int k = 0; k < 5; k++) b[(k + i) % 5] = q[k];
    p[0] = a[i]; q[0] = b[i];
}
extern "C" __global__ void plane(int* p, int i, int j) {
    int a[3][7];
    for (int k = 0; k < 21; k++) a[(k + i) % 3][(k * 2 + j) % 7] = p[k];
    p[0] = a[i][j];
}
struct Pair { char tag; double value; };
extern "C" __global__ void structures(double* p, int i) {
    Pair a[3];
    for (int k = 0; k < 3; k++) { a[(k + i) % 3].value = p[k]; a[(k + i) % 3].tag = k; }
    p[0] = a[i].value + a[i].tag;
}
extern "C" __global__ void aligned(int* p, int i) {
    __align__(16) int a[5];
    for (int k = 0; k < 5; k++) a[(k + i) % 5] = p[k];
    p[0] = a[i];
}
template <int N> __global__ void of_template(int* p, int i) {
    int a[N];
    for (int k = 0; k < N; k++) a[(k * 3 + i) % N] = p[k];
    p[0] = a[i];
}
__device__ int inlined(int* p, int i) {
    int a[6];
    for (int k = 0; k < 6; k++) a[(k + i) % 6] = p[k];
    return a[i];
}
extern "C" __global__ void calls_inlined(int* p, int i) { p[0] = inlined(p, i); }
__device__ __noinline__ int called(int* p, int i) {
    int a[6];
    for (int k = 0; k < 6; k++) a[(k + i) % 6] = p[k];
    return a[i];
}
extern "C" __global__ void calls(int* p, int i) { p[0] = called(p, i); }
extern "C" __global__ void shared_array(int* p, int i) {
    __shared__ int a[9];
    for (int k = 0; k < 9; k++) a[(k + i) % 9] = p[k];
    p[0] = a[i];
}
"""
SHARED = """
__shared__ int table[50];
__shared__ char unused[7];
__device__ int from_table(int i) { return table[i]; }
__device__ int own(int i) { __shared__ double a[11]; a[i] = i; __syncthreads(); return (int)a[i + 1]; }
__device__ __noinline__ int through(int i) { return own(i + 1); }
extern "C" {
__global__ void none(int* p) { p[0] = 1; }
__global__ void body(int* p, int i) { __shared__ int a[8]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1]; }
__global__ void file(int* p, int i) { table[i] = p[i]; __syncthreads(); p[0] = table[i + 1]; }
__global__ void file_by_call(int* p, int i) { p[0] = from_table(i); }
__global__ void by_call(int* p, int i) { p[0] = own(i); }
__global__ void by_two_calls(int* p, int i) { p[0] = through(i); }
__global__ void both(int* p, int i) {
    __shared__ char a[3]; a[i] = p[i]; table[i] = 1; __syncthreads(); p[0] = a[i + 1] + table[i + 1] + own(i);
}
__global__ void dynamic(int* p, int i) {
    extern __shared__ int rest[]; __shared__ short a[5];
    rest[i] = p[i]; a[i] = p[i]; __syncthreads(); p[0] = rest[i + 1] + a[i + 1];
}
__global__ void unread(int* p) { __shared__ int a[8]; a[0] = 1; p[0] = 1; }
}
"""
PTX = """
.version 7.0
.target sm_80
.address_size 64
.shared .align 4 .b8 table[200];
.shared .align 8 .b8 unused[72];
.extern .shared .align 16 .b8 dynamic[];
.func (.param .b32 result) of_table(.param .b32 i) {
    .reg .b32 %r<5>;
    ld.param.u32 %r1, [i]; mov.u32 %r2, table; add.u32 %r3, %r2, %r1; ld.shared.u32 %r4, [%r3];
    st.param.b32 [result], %r4; ret;
}
.func (.param .b32 result) with_array(.param .b32 i) {
    .reg .b32 %r<5>; .shared .align 4 .b8 own[100];
    ld.param.u32 %r1, [i]; mov.u32 %r2, own; add.u32 %r3, %r2, %r1; ld.shared.u32 %r4, [%r3];
    st.param.b32 [result], %r4; ret;
}
.func (.param .b32 result) with_local(.param .b32 i) {
    .reg .b32 %r<5>; .reg .b64 %rd<4>; .local .align 4 .b8 a[44];
    ld.param.u32 %r1, [i]; mov.u64 %rd1, a; cvt.u64.u32 %rd2, %r1; add.u64 %rd3, %rd1, %rd2; st.local.u32 [a+8], %r1;
    ld.local.u32 %r4, [%rd3];
    st.param.b32 [result], %r4; ret;
}
""" + "".join(
    ".visible .entry %s(.param .u64 p, .param .u32 i) {\n    .reg .b32 %%r<6>; .reg .b64 %%rd<6>; %s\n"
    "    ld.param.u64 %%rd1, [p]; ld.param.u32 %%r1, [i]; %s\n    st.global.u32 [%%rd1], %%r2; ret;\n}\n" % entry
    for entry in (
        ("none", "", "mov.u32 %r2, %r1;"),
        ("body", ".shared .align 4 .b8 a[36];", "mov.u32 %r3, a; add.u32 %r3, %r3, %r1; ld.shared.u32 %r2, [%r3];"),
        ("file", "", "mov.u32 %r3, table; add.u32 %r3, %r3, %r1; ld.shared.u32 %r2, [%r3];"),
        ("dynamic_array", "", "mov.u32 %r3, dynamic; add.u32 %r3, %r3, %r1; ld.shared.u32 %r2, [%r3];"),
        ("both", ".shared .align 2 .b8 a[10];",
         ("mov.u32 %r3, table; add.u32 %r3, %r3, %r1; ld.shared.u32 %r2, [%r3]; mov.u32 %r4, a; add.u32 %r4, %r4, %r1; "
          "ld.shared.u16 %r5, [%r4]; add.u32 %r2, %r2, %r5;")),
        *((f"calls_{callee}", "",
           "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %%r1; call (b), %s, (a); ld.param.b32 %%r2, [b]; }" % callee)
          for callee in ("of_table", "with_array", "with_local")),
        ("local_20", ".local .align 4 .b8 a[20];",
         "cvt.u64.u32 %rd2, %r1; mov.u64 %rd3, a; add.u64 %rd3, %rd3, %rd2; st.local.u32 [a+4], %r1; ld.local.u32 %r2, [%rd3];"),
        ("local_24_of_8", ".local .align 8 .b8 a[24];",
         "cvt.u64.u32 %rd2, %r1; mov.u64 %rd3, a; add.u64 %rd3, %rd3, %rd2; st.local.u32 [a+4], %r1; ld.local.u32 %r2, [%rd3];"),
        ("local_two", ".local .align 1 .b8 a[3]; .local .align 4 .b8 b[20];",
         ("cvt.u64.u32 %rd2, %r1; mov.u64 %rd3, a; add.u64 %rd3, %rd3, %rd2; st.local.u8 [a+1], %r1; ld.local.u8 %r2, [%rd3]; "
          "mov.u64 %rd4, b; add.u64 %rd4, %rd4, %rd2; st.local.u32 [b+4], %r2; ld.local.u32 %r5, [%rd4]; "
          "add.u32 %r2, %r2, %r5;")),
    )
)  # fmt: skip
KERNELS = {
    "local": (
        "chars_5", "ints_4", "ints_5", "doubles_3", "ints_1000", "none", "constant_indices", "unrolled", "two", "plane",
        "structures", "aligned", "_Z11of_templateILi13EEvPii", "calls_inlined", "calls", "shared_array",
    ),
    "shared": ("none", "body", "file", "file_by_call", "by_call", "by_two_calls", "both", "dynamic", "unread"),
    "ptx": (
        "none", "body", "file", "dynamic_array", "both", "calls_of_table", "calls_with_array", "calls_with_local", "local_20",
        "local_24_of_8", "local_two",
    ),
}  # fmt: skip


def value(answer: tuple[Any, ...]) -> Any:
    """The output of a call that must succeed."""
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None


def compiled(source: str) -> bytes:
    """Code of a program in CUDA C++."""
    program = value(nvrtc.nvrtcCreateProgram(source.encode(), b"k.cu", 0, [], []))
    if source is LOCAL:
        value(nvrtc.nvrtcAddNameExpression(program, b"of_template<13>"))
    value(nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=sm_80"]))
    code = bytes(value(nvrtc.nvrtcGetPTXSize(program)))
    value(nvrtc.nvrtcGetPTX(program, code))
    return code


def main() -> None:
    """Print the two attributes of every kernel."""
    value(driver.cuInit(0))
    value(driver.cuCtxSetCurrent(value(driver.cuDevicePrimaryCtxRetain(value(driver.cuDeviceGet(0))))))
    codes = {"local": compiled(LOCAL), "shared": compiled(SHARED), "ptx": PTX.encode() + b"\0"}
    attribute = driver.CUfunction_attribute
    sizes: dict[str, dict[str, list[int]]] = {}
    for name, code in codes.items():
        module = value(driver.cuModuleLoadData(code))
        sizes[name] = {}
        for kernel in KERNELS[name]:
            function = value(driver.cuModuleGetFunction(module, kernel.encode()))
            sizes[name][kernel] = [
                value(driver.cuFuncGetAttribute(one, function))
                for one in (attribute.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
            ]
    print(json.dumps(sizes, indent=1))


if __name__ == "__main__":
    main()
