"""The files that `#include` finds: NVIDIA's own compiler is asked the same, and nothing but the cache is written."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.adapters.answers import ok
from tests.kernels import compilers

#: The kernel's name identifies the file that was read.
PROGRAM = """
#define JOINED(a, b) a##b
#define KERNEL(name) JOINED(read_, name)
extern "C" __global__ void KERNEL(WHO)(int* out) { *out = 1; }
"""
ASM = '__device__ inline unsigned lane_of_%s() { unsigned r; asm("mov.u32 %%0, %%%%laneid;" : "=r"(r)); return r; }\n'


class Case(NamedTuple):
    """A program that is compiled in the folder `cwd` of a tree; `{tree}` in its texts is the tree's path."""

    source: str
    name: str = "program.cu"
    options: tuple[str, ...] = ()
    headers: dict[str, str] = {}  # noqa: RUF012


INC, OTHER = "-I{tree}/inc", "-I{tree}/other"
CASES = {
    "the working directory of a bare name": Case('#include "x.h"', options=(INC,)),
    "the working directory of no name": Case('#include "x.h"', "", (INC,)),
    "the folder of an absolute name": Case('#include "x.h"', "{tree}/src/program.cu", (INC,)),
    "the folder of a relative name": Case('#include "x.h"', "../src/program.cu", (INC,)),
    "a folder that is not there": Case('#include "x.h"', "/nowhere/program.cu", (INC,)),
    "a folder that is not there, no -I": Case('#include "x.h"', "/nowhere/program.cu"),
    "angle brackets": Case("#include <x.h>", "{tree}/src/program.cu", (INC,)),
    "angle brackets, no -I": Case("#include <x.h>", "{tree}/src/program.cu"),
    "no source include": Case('#include "x.h"', "{tree}/src/program.cu", (INC, "--no-source-include")),
    "no source include, no -I": Case('#include "x.h"', options=("-no-source-include",)),
    "a header that was given": Case('#include "x.h"', "{tree}/src/program.cu", (INC,), {"x.h": "#define WHO given\n"}),
    "a given header's own include": Case('#include "g.h"', "{tree}/src/p.cu", (INC,), {"g.h": '#include "x.h"\n'}),
    "a given header in a folder": Case('#include "s/g.h"', "p.cu", (INC,), {"s/g.h": '#include "x.h"\n'}),
    "nested, beside": Case('#include "beside.h"', "{tree}/src/program.cu", (INC,)),
    "nested, from -I": Case('#include "nested.h"', "{tree}/src/program.cu", (OTHER, INC)),
    "nested, from -I, angle brackets": Case("#include <nested.h>", "{tree}/src/program.cu", (OTHER, INC)),
    "nested, in the source folder alone": Case('#include "nested.h"', "{tree}/src/program.cu", (OTHER,)),
    "nested, below the source folder": Case('#include "sub/up.h"', "{tree}/src/program.cu", (INC,)),
    "nested, not beside": Case('#include "sub/down.h"', "{tree}/src/program.cu", (INC,)),
    "upwards": Case('#include "../src/x.h"', options=(INC,)),
    "upwards from -I": Case('#include "../src/x.h"', "/nowhere/p.cu", (INC,)),
    "absolute": Case('#include "{tree}/src/x.h"'),
    "absolute, angle brackets": Case("#include <{tree}/src/x.h>"),
    "absolute, no source include": Case('#include "{tree}/src/x.h"', options=("--no-source-include",)),
    "a question": Case('#if __has_include("x.h")\n#define WHO yes\n#else\n#define WHO no\n#endif'),
    "a question, no source include": Case(
        '#if __has_include("x.h")\n#define WHO yes\n#else\n#define WHO no\n#endif', options=("--no-source-include",)
    ),
    "a question and a file": Case('#if __has_include("x.h")\n#include "x.h"\n#endif', "{tree}/src/p.cu", (INC,)),
    "a condition": Case('#ifdef NEVER\n#include "missing.h"\n#else\n#include "x.h"\n#endif'),
    "an option": Case("", "{tree}/src/program.cu", (INC, "--pre-include=x.h")),
    "another file of that line": Case('#line 1 "{tree}/src/other.cu"\n#include "x.h"', options=(INC,)),
    "a comment in the line": Case('#  include /* which? */ "x.h" // this', "{tree}/src/program.cu"),
    "a link to a file": Case('#include "linked.h"', "{tree}/src/program.cu", (INC,)),
    "a link to a folder": Case('#include "x.h"', "{tree}/link/program.cu", (INC,)),
    "nested in a linked folder": Case('#include "sub/up.h"', "{tree}/link/program.cu", (INC,)),
}  # fmt: skip


def grow(tree: Path, asm: bool) -> None:
    """Make the tree of headers, each of which defines WHO; with inline PTX in them where `asm` says so."""

    def write(name: str, text: str) -> None:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)

    for folder in ("src", "inc", "cwd"):
        write(f"{folder}/x.h", f"#pragma once\n#define WHO {folder}\n" + (ASM % folder if asm else ""))
    write("inc/beside.h", '#include "x.h"\n')
    write("other/nested.h", '#include "x.h"\n')
    write("src/sub/up.h", '#include "../x.h"\n')
    write("src/sub/down.h", '#include "x.h"\n')
    (tree / "src/linked.h").symlink_to("../inc/x.h")
    (tree / "link").symlink_to("src")
    (tree / "cwd/s").mkdir()


def picture(tree: Path) -> dict[str, str]:
    """Return a tree's contents: a digest for each file, and the target of each link."""
    pictured = {}
    for path in sorted(tree.rglob("*")):
        name = str(path.relative_to(tree))
        if path.is_symlink():
            pictured[name] = os.readlink(path)
        else:
            pictured[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
    return pictured


def placed(case: Case, tree: Path) -> tuple[bytes, bytes, list[bytes], dict[bytes, bytes]]:
    def at(text: str) -> bytes:
        return text.replace("{tree}", str(tree)).encode()

    headers = {own.encode(): at(text) for own, text in case.headers.items()}
    return at(case.source + PROGRAM), at(case.name), [at(option) for option in case.options], headers


def file_in(ptx: bytes) -> str:
    """Return the file that the kernel's name identifies."""
    (name,) = set(re.findall(r"entry read_(\w+)", ptx.decode("latin-1")))
    return name


def read_by_nvrtc(case: Case, tree: Path) -> str | None:
    """Return the file that NVIDIA's compiler reads, None where it refuses the program."""
    source, name, options, headers = placed(case, tree)
    done = compilers.nvrtc()["13.5"].compile(source, name, [b"-arch=compute_80", *options], headers, with_image=True)
    return None if done.status else file_in(done.image)


def read_here(cuda, case: Case, tree: Path) -> tuple[str | None, str]:
    """Return the file that is read here, None where the program is refused, and the log."""
    source, name, options, headers = placed(case, tree)
    nvrtc = cuda.nvrtc
    program = ok(nvrtc.nvrtcCreateProgram(source, name, len(headers), list(headers.values()), list(headers)))
    try:
        status = nvrtc.nvrtcCompileProgram(program, len(options), options)[0]
        log = bytes(ok(nvrtc.nvrtcGetProgramLogSize(program)))
        ok(nvrtc.nvrtcGetProgramLog(program, log))
        if status:
            return None, log.decode()
        text = bytes(ok(nvrtc.nvrtcGetPTXSize(program)))
        ok(nvrtc.nvrtcGetPTX(program, text))
        return file_in(text), log.decode()
    finally:
        ok(nvrtc.nvrtcDestroyProgram(program))


@pytest.fixture(params=[False, True], ids=["plain headers", "headers with PTX"])
def tree(request, tmp_path, monkeypatch):
    """A tree of headers that cannot be written, and that is as it was when the test ends."""
    folder = tmp_path / "tree"
    grow(folder, request.param)
    before = picture(folder)
    monkeypatch.chdir(folder / "cwd")
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    yield folder
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
    assert picture(folder) == before


@pytest.mark.parametrize("name", CASES)
def test_it_leads_where_nvrtc_goes(cuda, tree, name):
    if "13.5" not in compilers.nvrtc():
        pytest.skip("NVRTC 13.5 is not installed")
    expected = read_by_nvrtc(CASES[name], tree)
    found, log = read_here(cuda, CASES[name], tree)
    assert found == expected, log
