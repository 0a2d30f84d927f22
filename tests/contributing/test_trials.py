"""A CUDA function, a device function and a PTX instruction are added as CONTRIBUTING.md says.

Only the text's blocks are used: each names its file in its first line, and the commands follow. The names in them are in no
other file, so a list that had to know them would show. (`tests/session/test_setting_table.py` adds the setting.)
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environments import ROOT
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.interpreters import HANG, clean_environment
from tests.kernels.test_gpu_headers import DECLARED_BY_HIP
from tests.session.test_setting_table import copy_checkout

HERE = Path(__file__).parent
#: The first run may build the runtime.
SECONDS = 900
KERNEL = 'extern "C" __global__ void k(int* out) {{ for (int i = 0; i < 4; ++i) {{ {statement} }} }}'
DEVICE_FUNCTION = KERNEL.format(statement="out[i] = __example(i, 5);")
INSTRUCTION = KERNEL.format(statement='asm("example.s32 %0, %1, %2;" : "=r"(out[i]) : "r"(i), "r"(7));')
TRANSLATE = """
import sys
from cuda_shim.translate.source import to_hip
sys.stdout.write(to_hip(sys.argv[1].encode(), b"k.cu", [], architecture="gfx90a").source.decode())
"""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository, with the libraries that a developer has put beside their sources."""
    folder = copy_checkout(tmp_path_factory.mktemp("checkout"))
    built = Path("hip_on_host/prebuilt")
    if (ROOT / built).exists():
        shutil.copytree(ROOT / built, folder / built)
    return folder


@pytest.fixture
def checkout(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "checkout")


def blocks(title: str) -> list[tuple[str, str]]:
    """The language and the text of each block of a section of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return re.findall(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def follow(title: str, checkout: Path) -> None:
    """Put a section's blocks into the files that they name, and run its commands."""
    found = blocks(title)
    assert found, title
    for language, text in found:
        if language == "sh":
            python, *words = text.split()
            assert python == "python"
            done = run(checkout, *words)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
            continue
        first, _, body = text.partition("\n")
        path = checkout / first.split()[1]
        before = path.read_text(encoding="utf-8")
        path.write_text(inserted(before, body) if language == "yaml" else before + body, encoding="utf-8")


def inserted(table: str, rows: str) -> str:
    """Return a table with a row among the others below the same lines, at the place that its name has in their order."""
    lines, new = table.splitlines(), rows.splitlines()
    start = 0
    while new[0] in lines[start:]:
        start = lines.index(new.pop(0), start) + 1
    indent = new[0][: len(new[0]) - len(new[0].lstrip())]
    for place in range(start, len(lines)):
        line = lines[place]
        is_row = line.startswith(indent) and line[len(indent) : len(indent) + 1].strip(" #") != ""
        is_end = bool(line.strip()) and not line.startswith(indent)
        if is_end or (is_row and line > new[0]):
            return "\n".join([*lines[:place], *new, *lines[place:]]) + "\n"
    return "\n".join([*lines, *new]) + "\n"


def run(checkout: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", *map(str, words)]
    environment = clean_environment(PYTHONPATH=str(checkout), CUDA_SHIM_BACKEND="cpu", CUDA_SHIM_QUIET="1")
    return subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, encoding="utf-8", timeout=SECONDS, check=False
    )


def run_program(checkout: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    return run(checkout, "-m", "cuda_shim", "run", HERE / program, *words)


def test_a_cuda_function(checkout: Path) -> None:
    done = run_program(checkout, "function_program.py")
    assert "cuMemExample" in done.stderr
    assert "AttributeError" in done.stderr
    follow("To add a CUDA function", checkout)
    done = run_program(checkout, "function_program.py")
    assert done.stdout == "(<CUresult.CUDA_SUCCESS: 0>,) [7, 7, 7, 1]\n", done.stderr
    explained = run(checkout, "-m", "cuda_shim", "explain", "cuMemExample")
    assert "Fills a number of bytes with a value." in explained.stdout
    assert "hipMemsetD8" in explained.stdout


def test_a_device_function(checkout: Path, tmp_path: Path) -> None:
    assert "__example" in run_program(checkout, "kernel_program.py", DEVICE_FUNCTION).stderr
    follow("To add a device function", checkout)
    done = run_program(checkout, "kernel_program.py", DEVICE_FUNCTION)
    assert done.stdout == "[5, 7, 9, 11]\n", done.stderr
    assert run(checkout, "tools/generate_function_facts.py", "--check").returncode == 0

    assert for_amd(checkout, tmp_path).example(4, 5) == 13


def for_amd(checkout: Path, folder: Path) -> ctypes.CDLL:
    """The function as a program for an AMD GPU gets it, compiled for the host: plain C++ is the same there."""
    compiler = find_compiler("clang++-19") or find_compiler("g++")
    if not compiler:
        pytest.skip("no compiler is called directly")
    done = run(checkout, "-c", TRANSLATE, DEVICE_FUNCTION)
    prologue = re.findall(r"^#(?:include <cuda_shim/(?!base)|define __example ).*", done.stdout, re.MULTILINE)
    assert len(prologue) == 2, (done.stdout, done.stderr)
    source = "\n".join([DECLARED_BY_HIP, *prologue, 'extern "C" int example(int a, int b) { return __example(a, b); }'])
    folders = (checkout / "cuda_shim/translate/headers", checkout / "hip_on_host/device")
    command = [compiler, "-std=c++17", "-shared", "-fPIC", *(f"-I{each}" for each in folders), "-x", "c++", "-"]
    library = folder / "example.so"
    compiled = subprocess.run(
        [*command, "-o", library], input=source, capture_output=True, encoding="utf-8", timeout=HANG, check=False
    )
    assert compiled.returncode == 0, compiled.stderr
    return ctypes.CDLL(str(library))


def test_a_ptx_instruction(checkout: Path) -> None:
    assert "example" in run_program(checkout, "kernel_program.py", INSTRUCTION).stderr
    follow("To add a PTX instruction", checkout)
    done = run_program(checkout, "kernel_program.py", INSTRUCTION)
    assert done.stdout == "[7, 9, 11, 13]\n", done.stderr
