"""Facts about kernels in the cache's modules, as doctor --kernels reports them."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.cache.folder import cache_of
from hip_on_host.kernel_list import SECTION, SEPARATOR, Kernel, read_module
from tests.hip_on_host import hip_program, hiprtc_program
from tests.program_files import read_program

COMPILERS = [name for name in ("clang++-19", "clang++", "g++") if shutil.which(name)]
LOOP, SPLIT = "a loop over the threads", "loops, split at the barriers"
BLOCKS, ALONE = "loops over the threads of many blocks", "one thread after the other"
WATCHED = "one thread after the other, fibres where one waits"

SOURCE = read_program(__file__, "cached_kernels.cu")

PROGRAM = """
import hiprtc_program
compiled = hiprtc_program.compile_program(hiprtc_program.load({folder!r}), {source!r}, {options!r}, names=["sized<3>", "&slots<4>"])
open({path!r}, "wb").write(compiled.code)
"""


@pytest.fixture
def compiled(runtime_folder: Path, tmp_path: Path):
    """Compile SOURCE in a fresh interpreter that has a cache of its own; returns the module and the cache's folder."""

    def compile_source(*options: str, **environment: str) -> tuple[bytes, Path]:
        path, folder = tmp_path / "module", tmp_path / "cache"
        code = PROGRAM.format(folder=str(runtime_folder), source=SOURCE, options=options, path=str(path))
        done = hip_program.run(runtime_folder, code, CUDA_SHIM_CACHE_DIR=str(folder), **environment)
        assert done.returncode == 0, done.stderr
        return path.read_bytes(), folder

    return compile_source


@hiprtc_program.needs_reader
@pytest.mark.parametrize("compiler", COMPILERS)
def test_forms_and_reasons_are_the_tables(compiled, compiler):
    """The list in the file has the same kernels, forms and reasons as the table of the loaded module."""
    code, _ = compiled(CUDA_SHIM_CPU_CXX=compiler)
    kernels = {kernel.name: kernel for kernel in read_module(code)}
    rows = hiprtc_program.rows(hiprtc_program.Compiled(code, {}, ""))
    assert {kernel.name: (kernel.form, kernel.reason) for kernel in kernels.values()} == {
        row.source_name.decode(): (row.form.decode(), (row.reason or b"").decode()) for row in rows.values()
    }
    assert {name for name, kernel in kernels.items() if kernel.is_loop} == {
        row.source_name.decode() for row in rows.values() if row.form.startswith((b"a loop", b"loops"))
    }
    forms = {name: kernel.form for name, kernel in kernels.items()}
    assert forms == {
        "plain": LOOP, "deep::meeting": SPLIT, "sized<3>": SPLIT, "jumping": "fibres", "hopping": LOOP,
        "striding": BLOCKS, "waiting": WATCHED, "special<9>": ALONE,
    }  # fmt: skip
    assert {name for name, kernel in kernels.items() if not kernel.is_loop} == {
        "jumping", "waiting", "special<9>",
    }  # fmt: skip
    reasons = {name: kernel.reason for name, kernel in kernels.items() if kernel.reason}
    assert reasons == {
        "jumping": "goto, a label or try",
        "hopping": "its own loops are left as they are: goto, a label or try",
        "waiting": "its threads may wait for each other without a barrier",
        "special<9>": "a full specialisation",
    }


def test_the_section_is_the_headers():
    header = (hiprtc_program.RUNTIME / "abi/kernel_module.h").read_text(encoding="utf-8")
    assert re.findall(r'LIST_SECTION "(\w+)"', header) == [SECTION]
    assert re.findall(r'LIST_SEPARATOR "(\\\d+)"', header) == [f"\\{ord(SEPARATOR):03o}"]


@hiprtc_program.needs_reader
def test_the_log_has_the_forms_and_why(runtime_folder, tmp_path):
    code = PROGRAM.format(folder=str(runtime_folder), source=SOURCE, options=(), path=str(tmp_path / "module"))
    done = hip_program.run(runtime_folder, code, CUDA_SHIM_CACHE_DIR=str(tmp_path / "cache"), CUDA_SHIM_CPU_LOG="info")
    assert "kernel deep::meeting: loops, split at the barriers\n" in done.stderr
    assert "kernel jumping: fibres: goto, a label or try\n" in done.stderr
    assert "kernel striding: loops over the threads of many blocks\n" in done.stderr


def test_modes_that_need_each_thread_by_itself(compiled):
    code, _ = compiled(CUDA_SHIM_CPU_CHECK="1")
    assert {kernel.form for kernel in read_module(code)} == {"each thread by itself, checked"}
    code, _ = compiled(CUDA_SHIM_CPU_DEBUG="1")
    assert {kernel.form for kernel in read_module(code)} == {"each thread by itself"}


@hiprtc_program.needs_reader
def test_programs_that_may_be_linked(compiled):
    code, _ = compiled("-fgpu-rdc")
    assert Kernel("plain", LOOP, True, "") in read_module(code)


@hiprtc_program.needs_reader
def test_doctor_reports_the_cache(compiled):
    _, folder = compiled()
    (folder / "kernels" / "damaged.so").write_bytes(b"\x7fELF")
    (folder / "runtime").symlink_to(cache_of(settings.read()).path("runtime"))  # doctor tries it: it is to be there
    arguments = [sys.executable, "-m", "cuda_shim", "doctor", "--json", "--kernels"]
    environment = {**os.environ, "CUDA_SHIM_CACHE_DIR": str(folder)}
    done = subprocess.run(
        arguments, env=environment, capture_output=True, encoding="utf-8", timeout=hip_program.HANG, check=False
    )
    kernels = json.loads(done.stdout)["kernels"]
    assert kernels["deep::meeting"] == {"value": SPLIT, "state": "ok"}
    assert kernels["jumping"]["state"] == "note"
    assert kernels["jumping"]["value"].startswith("fibres: ")
    assert len(kernels) == 8


@pytest.mark.parametrize("image", [b"", b"no module", b"no module" * 8, b"\x7fELF"])
def test_what_is_no_module(image):
    with pytest.raises((ValueError, struct.error)):
        read_module(image)
