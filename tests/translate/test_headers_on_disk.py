"""Headers in the program's own folders: their inline PTX is translated for the CPU runtime."""

from __future__ import annotations

import pytest

from cuda_shim.adapters import translated_headers
from cuda_shim.translate.headers_on_disk import translated, with_inline_ptx

LANE = b'inline __device__ unsigned lane() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }\n'


def write(folder, **files):
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_bytes(text)
    return bytes(folder)


def test_what_the_program_reaches_is_translated(tmp_path):
    inside = write(tmp_path / "a", first=b"#include <second>\n", second=LANE, unused=LANE)
    found = translated(with_inline_ptx([b"#include <first>\n"], [inside]))
    assert {name for name in found if not name.startswith(b"cuda_shim/")} == {b"second"}
    assert b"asm" not in found[b"second"]
    assert found[b"second"].startswith(b"#pragma once\n")
    assert b'#line 1 "second"' in found[b"second"]
    assert b"cuda_shim/ptx_threads.h" in found


def test_the_first_folder_wins_and_quoted_names_lie_beside(tmp_path):
    one = write(tmp_path / "one", a=b'#include "b"\n', b=b"int plain;\n")
    two = write(tmp_path / "two", a=LANE, b=LANE)
    assert with_inline_ptx([b"#include <a>\n"], [one, two]) == {}
    assert b"a" in with_inline_ptx([b"#include <a>\n"], [two, one])


def test_a_changed_file_is_read_again(tmp_path):
    folder = write(tmp_path / "a", a=b"int x;\n")
    assert with_inline_ptx([b"#include <a>\n"], [folder]) == {}
    write(tmp_path / "a", a=LANE)
    assert b"a" in with_inline_ptx([b"#include <a>\n"], [folder])


def test_what_has_no_counterpart_fails_only_where_it_is_called(tmp_path):
    text = b'inline __device__ void f() { asm volatile("tcgen05.wait::ld.sync.aligned;"); }\n'
    found = translated(with_inline_ptx([b"#include <t.h>\n"], [write(tmp_path / "a", **{"t.h": text})]))
    assert b'__attribute__((error("inline PTX' in found[b"t.h"]
    assert b"cuda_shim_refused_t_h_0()" in found[b"t.h"]
    assert b"#include <cuda_shim/" not in found[b"t.h"]  # it may be included inside a namespace


def test_hardware_barriers_give_way_to_atomic_operations(tmp_path):
    folder = tmp_path / "c/cuda/__barrier"
    folder.mkdir(parents=True)
    (folder / "barrier.h").write_bytes(b"NV_IF_TARGET(NV_PROVIDES_SM_90, (x;), (y;))\n")
    found = with_inline_ptx([b"#include <cuda/__barrier/barrier.h>\n"], [bytes(tmp_path / "c")])
    assert b"NV_NO_TARGET" in found[b"cuda/__barrier/barrier.h"]


def test_headers_of_the_runtime_are_left_to_it(tmp_path):
    folder = write(tmp_path / "toolkit", **{"cuda_fp16.h": LANE})
    assert with_inline_ptx([b"#include <cuda_fp16.h>\n"], [folder]) == {}


def test_a_translation_serves_the_next_process_too(tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_SHIM_CACHE_DIR", str(tmp_path / "cache"))
    folder = write(tmp_path / "a", a=LANE)
    first = translated_headers.options_for([b"#include <a>\n"], [folder])
    with monkeypatch.context() as patch:
        patch.setattr(translated_headers, "translated", lambda _: pytest.fail("translated again"))
        assert translated_headers.options_for([b"#include <a>\n"], [folder]) == first
    assert len(first) == 3
    write(tmp_path / "a", a=LANE + b"int more;\n")
    assert translated_headers.options_for([b"#include <a>\n"], [folder]) != first
