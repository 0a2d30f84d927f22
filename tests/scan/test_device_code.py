"""CUDA C++ in strings and in files of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.scan import device_code, scan, shipped_headers

KERNEL = """\
#include <cuda/barrier>
#include <cuda_fp16.h>
extern "C" __global__ void kernel(float *x) {
    // asm volatile("tcgen05.wait::ld.sync.aligned;") and cudaDeviceSynchronize() in a comment
    asm volatile("tcgen05.wait::ld.sync.aligned;");
    asm("mov.u32 %0, %laneid;" : "=r"(*(unsigned *)x));
  cudaDeviceSynchronize();
}
void host() { cudaDeviceSynchronize(); }
"""
EXPECTED = [(1, 1, "CS302", "cuda/barrier"), (5, 5, "CS301", "asm"), (7, 3, "CS303", "cudaDeviceSynchronize")]
HOST = (9, 15, "CS401", "cudaDeviceSynchronize")


def found(path: Path) -> list[tuple[int, int, str, str]]:
    return [(item.line, item.column, item.verdict.code, item.name) for item in scan([str(path)], "13.5").findings]


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text(KERNEL)
    assert found(path) == [*EXPECTED, HOST]


def test_literals_over_lines_have_exact_places(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    for prefix in ("", "b", "r", "f", "Rb"):
        text = KERNEL.replace("{", "{{").replace("}", "}}") if prefix == "f" else KERNEL
        path.write_text(f'import cuda\nsource = {prefix}"""{text}"""\n'.replace('"C"', "'C'"))
        shift = len('source = """') + len(prefix)
        assert found(path) == [
            (2, 1 + shift, "CS302", "cuda/barrier"),
            *((line + 1, *rest) for line, *rest in EXPECTED[1:]),
        ]


def test_literals_in_pieces_tell_the_line_of_the_source(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text('source = ("__global__ void k() {\\n"\n  "asm(\\"tcgen05.wait::ld.sync.aligned;\\");\\n}\\n")\n')
    (only,) = scan([str(path)], "13.5").findings
    assert (only.line, only.column) == (1, 11)
    assert only.verdict.message.endswith("(line 2 of the source)")


def test_other_strings_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text('cuda = """#include <cuda/barrier>"""\nother = "asm(\'tcgen05.wait::ld.sync.aligned;\')"\n')
    assert found(path) == []


def test_names_of_its_own_are_the_programs(tmp_path: Path) -> None:
    path = tmp_path / "own.cu"
    path.write_text(
        "__device__ int mma(int x) { return x; }\n__global__ void k() { mma(1); copy_async(2); mine::__f(3); }\n"
    )
    assert found(path) == [(2, 52, "CS401", "__f")]


def test_text_that_is_no_source_at_all(tmp_path: Path) -> None:
    for content in (b"", b"\0\xff__global__ (((", b'__global__ asm("', b"#include", b"__device__ asm volatile ("):
        path = tmp_path / "x.cuh"
        path.write_bytes(content)
        assert found(path) == []


def test_what_has_no_counterpart_without_a_header_that_says_so(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text(
        "__global__ void inner() {}\n"
        "__global__ void outer() {\n"
        "  inner<<<1, 1>>>();\n"
        "  __isConstant(p);\n"
        "  cudaDeviceSynchronize();\n"
        "}\n"
        "void host() { inner<<<1, 1>>>(); }\n"
    )
    assert found(path) == [
        (3, 8, "CS303", "<<<>>>"),
        (4, 3, "CS303", "__isConstant"),
        (5, 3, "CS303", "cudaDeviceSynchronize"),
    ]


@pytest.mark.parametrize("name", ["cuda" * 100 + ".h", "cuda\0.h"], ids=["long", "zero"])
def test_names_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    assert not shipped_headers.cpu_has_header(name)
    source = f'#include "{name}"\n#include <{name}>\n'
    assert [spot.name for spot in device_code.find(source.encode(), tmp_path)] == [name, name]
