"""What each pass of the kernel compiler leaves, beside golden files: passes/NAME.cu (pass_texts.py)."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environments import ROOT
from tests.hip_on_host import pass_texts
from tests.hip_on_host.hiprtc_program import needs_reader

pytestmark = needs_reader
PIPELINE = ROOT / "hip_on_host/src/kernel_compiler/pipeline.h"
FILES = sorted(pass_texts.FOLDER.glob("*.cu"))
KERNEL = 'extern "C" __global__ void k(float* x) { x[threadIdx.x] = 1; }\n'


def start(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, encoding="utf-8", check=False, timeout=300
    )


@functools.cache
def written(folder: Path) -> dict[str, str]:
    """What the golden files should have, by the pass."""
    done = start("tests.hip_on_host.pass_texts", folder, "--check")
    assert done.returncode == 0, done.stderr
    texts: dict[str, str] = json.loads(done.stdout)
    return texts


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_leaves_what_is_expected(path: Path, runtime_folder: Path) -> None:
    found, expected = written(runtime_folder)[path.stem], path.read_text(encoding="utf-8")
    assert found == expected, f"is the change meant? python -m tests.hip_on_host.pass_texts {runtime_folder}"


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "k.cu"
    path.write_text(KERNEL)
    return path


def compile_after(runtime_folder: Path, kernel: Path, name: str) -> subprocess.CompletedProcess[str]:
    return start("hip_on_host", "compile", kernel, "--runtime", runtime_folder, "--after", name)


def test_every_pass_has_its_file(runtime_folder: Path, kernel: Path) -> None:
    done = compile_after(runtime_folder, kernel, "none")
    assert done.returncode == 1
    listed = re.fullmatch(r"hip_on_host: no pass is called 'none'; the passes are ([\w, -]+)\n", done.stderr)
    assert listed, done.stderr
    assert sorted(listed[1].split(", ")) == [path.stem for path in FILES]
    assert [path.stem for path in FILES if len(pass_texts.inputs_of(path)) < 5] == []


def test_the_page_lists_the_passes() -> None:
    source = (ROOT / "hip_on_host/src/kernel_compiler/pipeline.cpp").read_text(encoding="utf-8")
    constants = dict(re.findall(r'char (k\w+Pass)\[\] = "([\w-]+)"', source + (PIPELINE.read_text(encoding="utf-8"))))
    rows = re.findall(r'^ +\{("?[\w-]+"?),\s+"([^"]+)"', source, re.MULTILINE)
    expected = [(constants.get(name, name.strip('"')), promise) for name, promise in rows]
    page = (ROOT / "hip_on_host/README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \| (.+) \|$", page[page.index("| pass |") :], re.MULTILINE) == expected
    assert len(expected) == len(FILES)


def test_the_command_prints_what_a_pass_left(runtime_folder: Path, kernel: Path) -> None:
    assert compile_after(runtime_folder, kernel, "macros").stdout == KERNEL
    assert compile_after(runtime_folder, kernel, "forms").stdout == "kernel k: a loop over the threads\n"


def test_a_pass_that_does_not_run(runtime_folder: Path, kernel: Path) -> None:
    done = compile_after(runtime_folder, kernel, "own-functions")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "hip_on_host: the pass own-functions does not run for this program\n"


def test_a_program_that_does_not_compile_so_far(runtime_folder: Path, kernel: Path) -> None:
    kernel.write_text("int f() { return 1; }\n__global__ void k(int* x) { *x = f(); }\n")
    done = compile_after(runtime_folder, kernel, "module")
    assert done.returncode == 1
    assert "hip_on_host: k.cu(1): error: A function without execution space annotations" in done.stderr
    kernel.unlink()
    assert "No such file" in compile_after(runtime_folder, kernel, "module").stderr
