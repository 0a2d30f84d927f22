"""The text that hiprtc is given."""

from __future__ import annotations

import pytest

from cuda_shim.translate import headers as provided
from cuda_shim.translate.constructs import concerns_the_cpu
from cuda_shim.translate.source import to_hip
from tests.interpreters import run_code

PLAIN = b'extern "C" __global__ void k(float* x) { x[threadIdx.x] *= 2.0f; }\n'


def on_amd(source, headers=(), name=b"k.cu"):
    return to_hip(source, name, list(headers), architecture="gfx90a")


def on_cpu(source, headers=(), name=b"k.cu"):
    return to_hip(source, name, list(headers), architecture=None)


def prologue(program):
    return program.source.partition(b'#line 1 "')[0].decode()


@pytest.mark.parametrize(
    "source",
    [
        PLAIN,
        b"",
        b"#include <cuda_fp16.h>\n" + PLAIN,
        b'const char* s = "asm(\\"mov\\")"; // asm("x")\n',
        b"__shfl_sync(); // no PTX",
    ],
)
def test_the_cpu_runtime_gets_the_very_same_text(source):
    program = on_cpu(source)
    assert program.source is source
    assert program.headers == []
    assert program.notes == []


@pytest.mark.parametrize(
    ("source", "looked_at"),
    [
        (PLAIN, False),
        (b"int assembled, includes; // a << b <<= c", False),
        (b"#include <mma.h>\n", False),
        (b'__device__ void f() { asm("mov"); }', True),
        (b'__device__ void f() { __asm__ volatile("mov"); }', True),
        (b'__device__ void f() { as\\\nm("mov"); }', True),
        (b'__device__ void f() { as\\\r\nm("mov"); }', True),
        (b"__global__ void k() { k<<<1, 1>>>(); }", True),
    ],
)
def test_who_finds_nothing_at_a_glance_needs_no_translator(source, looked_at):
    assert concerns_the_cpu(source) is looked_at
    assert (on_cpu(source).source != source) is looked_at


def test_plain_programs_do_not_load_the_translator():
    code = f"""
import sys, cuda_shim
cuda_shim.enable(backend="cpu", quiet=True)
from cuda.bindings import nvrtc
for source in ({PLAIN!r}, b"#include <cuda_fp16.h>", b'__device__ void f() {{ asm(""); }}'):
    assert nvrtc.nvrtcCreateProgram(source, b"k.cu", 0, [], [])[0] == 0
    print("cuda_shim.translate.source" in sys.modules)
"""
    assert run_code(code).split() == ["False", "False", "True"]


def test_text_that_needs_nothing_stays_as_it_is_on_amd():
    program = on_amd(PLAIN)
    assert PLAIN in program.source
    assert "#include" not in prologue(program)
    assert "#define" not in prologue(program)


def test_messages_name_the_user_s_file_from_its_first_line():
    assert b'#line 1 "dir\\\\odd \\"name\\".cu"\n' + PLAIN in on_amd(PLAIN, name=b'dir\\odd "name".cu').source
    assert b'#line 1 "default_program"\n' in to_hip(PLAIN, None, [], architecture="gfx90a").source


def test_names_become_macros_in_front_and_the_text_stays():
    source = b"int f(int v) { return __shfl_down_sync(~0u, v, 1) + warpSize; } // __ldg\n"
    program = on_amd(source)
    assert source in program.source
    assert "#define __shfl_down_sync cuda_on_hip_shfl_down_sync" in prologue(program)
    assert "#define warpSize cuda_on_hip_warp_size" in prologue(program)
    assert "__ldg" not in prologue(program)
    assert b"cuda_shim/warp.h" in dict(program.headers)


def test_qualified_names_are_distinguished_from_others():
    assert "std_move.h" in prologue(on_amd(b"auto y = std::move(x);"))
    assert "std_move.h" not in prologue(on_amd(b"auto y = own::move(x);"))


def test_headers_of_the_toolkit_come_along_with_what_they_include():
    """All of them, since headers on disk and the options may ask for any."""
    program = on_amd(PLAIN)
    names = [name for name, _ in program.headers]
    assert {b"cuda_fp16.h", b"cooperative_groups/reduce.h", b"cuda_shim/warp.h", b"vector_types.h", b"mma.h"} <= set(
        names
    )
    assert len(names) == len(set(names))
    assert all(text for _, text in program.headers), "hiprtc takes no empty header"


def test_a_program_s_own_header_of_that_name_wins():
    own = [(b"cuda_fp16.h", b"// my own\n")]
    program = on_amd(b"#include <cuda_fp16.h>\n", own)
    assert [pair for pair in program.headers if pair[0] == b"cuda_fp16.h"] == own
    assert on_cpu(b"#include <cub/cub.cuh>\n", [(b"cub/cub.cuh", b"int x;")]).notes == []


def test_headers_that_cannot_be_had_become_errors_in_their_line():
    program = on_amd(b"int a;\n  #include <cub/block/block_scan.cuh> // scans\nint b;\n")
    assert (
        program.source.split(b'#line 1 "k.cu"\n')[-1]
        .split(b"\n")[1]
        .startswith(b'  #error "cub/block/block_scan.cuh: CUB')
    )
    assert program.notes[0].startswith("k.cu:2: #include <cub/block/block_scan.cuh>: CUB")


def test_the_cpu_runtime_looks_for_headers_itself():
    source = b"#include <cub/block/block_scan.cuh>\n"
    assert on_cpu(source).source == source


def test_the_nearest_folder_s_row_decides():
    assert "annotated_ptr" in on_amd(b"#include <cuda/annotated_ptr>\n").notes[0]
    assert "this part of libcu++" in on_amd(b"#include <cuda/std/mdspan>\n").notes[0]


def test_headers_on_disk_may_use_any_name():
    assert "#define __match_any_sync" in prologue(on_amd(b'#include "on_disk.h"\n'))


@pytest.mark.parametrize("translate", [on_cpu, on_amd])
def test_headers_of_the_program_are_translated_too(translate):
    header = b'inline __device__ unsigned lane() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }\n'
    program = translate(b'#include "own.h"\n', [(b"own.h", header)])
    text = dict(program.headers)[b"own.h"]
    assert b"asm" not in text
    assert b"cuda_shim_ptx::put<'r'>(r" in text
    assert b"#include <cuda_shim/ptx_threads.h>" in program.source
    assert program.notes[0].startswith("own.h:1: inline PTX became")


def test_names_in_translated_assembly_count():
    program = on_amd(b'void f(int a, int b) { asm("shfl.sync.idx.b32 %0, %1, 0, 31, -1;" : "=r"(a) : "r"(b)); }')
    assert "#define __shfl_sync " in prologue(program)


def test_refused_assembly_is_an_error_only_where_it_is_compiled():
    program = on_cpu(b'#if 0\nvoid f() { asm("bra X;"); }\n#endif\nvoid g() { asm("mma.sync;"); }\n')
    assert program.source.count(b"unavailable") == 2
    assert b"void g() { cuda_shim_refused_1()" in program.source
    assert [note.split(":")[1] for note in program.notes] == ["2", "4"]


def test_types_that_a_program_brings_along():
    text = prologue(
        on_amd(
            b"typedef unsigned long uint64_t;\nusing uint8_t = unsigned char;\ntypedef float real;\nuint64_t x; int32_t y;\n"
        )
    )
    assert "#define uint64_t cuda_on_hip_own_uint64_t" in text
    assert "#define uint8_t cuda_on_hip_own_uint8_t" in text
    assert "int32_t cuda" not in text.replace("uint32_t", "")


def test_own_operators_give_way_to_hip_s_members():
    source = b"void operator+=(float4& a, float4 b) {}\nvoid operator+=(Own& a, Own b) {}\nvoid operator*=(float4& a, float b) {}\n"
    lines = on_amd(source).source.split(b'"k.cu"\n')[1].split(b"\n")
    assert lines[0] == b"void __own0__  (float4& a, float4 b) {}"
    assert lines[1:3] == source.split(b"\n")[1:3]


def test_macros_of_cuda_are_there():
    assert "cuda_shim/base.h" in prologue(on_amd(b"#if __CUDA_ARCH__ >= 700\n#endif\n"))


def test_every_header_of_the_table_has_a_text():
    from cuda_shim.mapping.text_tables import load_text

    for name, row in load_text("device")["headers"].items():
        if not name.endswith("/"):
            text = dict(provided.texts([name], set()))[name.encode()]
            assert text.startswith(b"#error") == ("refuse" in row)


def test_default_device_is_left_to_the_options():
    source = on_amd(PLAIN).source
    assert source.count(b"#ifdef __CUDA_SHIM_DEFAULT_DEVICE__") == 2
