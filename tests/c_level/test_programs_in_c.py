"""A program in C is compiled with our headers, linked with -lcuda, and runs in a process that did not start Python."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.c_level import build, embedding, headers
from cuda_shim.mapping.layouts import LAYOUTS
from tests.interpreters import PACKAGE_ROOT, clean_environment

HERE = Path(__file__).resolve().parent
WARNINGS = ("-Wall", "-Wextra", "-Werror")

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
needs_shared_python = pytest.mark.skipif(not embedding.shared_library(), reason="this Python has no shared library")


def compile_with(compiler: str, text: str, folder: Path, *options: str | Path) -> Path:
    """Compile a program; its path."""
    source, program = folder / "program.c", folder / "program"
    source.write_text(text)
    done = subprocess.run(
        [compiler, *WARNINGS, "-x", "c++" if compiler == "g++" else "c", source, "-x", "none", *map(str, options), "-o", program],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[:3000]
    return program


@pytest.fixture(params=LAYOUTS)
def library(request: pytest.FixtureRequest) -> Path:
    """The folder of a layout's libraries."""
    folder = build.ensure_library(request.param, settings.current())
    assert embedding.note_interpreter(folder)
    return Path(folder)


def run(program: Path, library: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {"LD_LIBRARY_PATH": str(library), "CUDA_SHIM_BACKEND": "cpu", "PYTHONPATH": str(PACKAGE_ROOT)}
    return subprocess.run(
        [program], env=clean_environment(**{**variables, **environment}), capture_output=True, encoding="utf-8", timeout=300,
        check=False,
    )  # fmt: skip


@needs_shared_python
def test_it_runs(library: Path, tmp_path: Path) -> None:
    text = (HERE / "program.c").read_text()
    options = (f"-I{library / build.INCLUDE}", f"-L{library}", "-lcuda", "-lcudart", "-lnvrtc", "-pthread")
    program = compile_with("gcc", text, tmp_path, *options)
    needed = subprocess.check_output(["readelf", "-d", program], encoding="utf-8")
    names = {both[0] for both in build.sonames(build.layout_of(str(library))).values()}
    assert names <= set(re.findall(r"\[(lib\S+)\]", needed))  # as a program that was linked with NVIDIA's
    done = run(program, library)
    assert done.stdout == "0 wrong; 8.0; CUDA_ERROR_INVALID_VALUE; cudaErrorInvalidValue\n", done.stderr
    assert done.returncode == 0


OPENS = """
import ctypes
library = ctypes.CDLL("libcuda.so.1")
count = ctypes.c_int()
print(library.cuInit(0), library.cuDeviceGetCount(ctypes.byref(count)), count.value)
"""


def test_a_python_that_has_not_enabled_the_shim_is_served(library: Path, tmp_path: Path) -> None:
    (tmp_path / "opens.py").write_text(OPENS)
    done = subprocess.run(
        [shutil.which("python3", path=sysconfig.get_path("scripts")) or "", tmp_path / "opens.py"],
        env=clean_environment(LD_LIBRARY_PATH=str(library), CUDA_SHIM_BACKEND="cpu", PYTHONPATH=str(PACKAGE_ROOT)),
        capture_output=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout == "0 0 1\n", done.stderr


def test_without_an_interpreter_one_line_says_what_is_missing(library: Path, tmp_path: Path) -> None:
    copied = tmp_path / "lib"
    shutil.copytree(library, copied, ignore=shutil.ignore_patterns(embedding.NOTE))
    text = "#include <cuda.h>\nint main(void) { int n; return cuInit(0) && cuDeviceGetCount(&n) ? 7 : 0; }\n"
    program = compile_with("gcc", text, tmp_path, f"-I{copied / build.INCLUDE}", f"-L{copied}", "-lcuda")
    done = run(program, copied, PATH=str(tmp_path))
    assert done.returncode == 7
    assert len(done.stderr.splitlines()) == 1
    assert "python3; run `python -m cuda_shim libraries`" in done.stderr


@pytest.mark.parametrize("compiler", ["gcc", "g++"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_headers_compile_without_a_warning(layout: str, compiler: str, tmp_path: Path) -> None:
    headers.write_headers(tmp_path / "include", layout)
    names = [*headers.FILES.values(), *(["cuda_runtime.h"] if compiler == "g++" else [])]
    text = "".join(f"#include <{name}>\n" for name in names) + "int main(void) { return 0; }\n"
    compile_with(compiler, text, tmp_path, f"-I{tmp_path / 'include'}", "-pedantic")


def nvidias_headers() -> Path:
    """The folder of CUDA 13's headers, from NVIDIA's wheels."""
    package = find_spec("nvidia")
    folders = (
        [Path(folder, "cu13", "include") for folder in (package.submodule_search_locations or [])] if package else []
    )
    found = [folder for folder in folders if (folder / "cuda.h").is_file()]
    if not found:
        pytest.skip("NVIDIA's headers are not installed")
    return found[0]


def expanded(include: Path, *names: str) -> str:
    """Return the text of headers, and of the files that they include, with the macros that they define."""
    text = "".join(f"#include <{name}>\n" for name in names)
    read = ["g++", "-E", "-P", "-dD", "-x", "c++", f"-I{include}", "-"]
    return subprocess.check_output(read, input=text, encoding="utf-8")


def test_functions_are_as_nvidia_declares_them(tmp_path: Path) -> None:
    """A compiler refuses a second declaration that differs."""
    theirs, ours = nvidias_headers(), tmp_path / "include"
    headers.write_headers(ours, "13.5")
    for name in headers.FILES.values():
        text = (ours / name).read_text()
        prototypes = [line for line in text.splitlines() if re.match(r"[\w ]+\*? ?\w+\(.*\);$", line)]
        known = set(re.findall(r"\w+", expanded(theirs, name)))
        kept = [line for line in prototypes if line.partition("(")[0].split()[-1].lstrip("*") in known]
        assert len(kept) > 0.8 * len(prototypes)  # the others are of OpenGL, EGL and VDPAU
        program = [f"#include <{name}>", 'extern "C" {', *kept, "}", "int main() { return 0; }"]
        compile_with("g++", "\n".join(program), tmp_path, f"-I{theirs}", "-Wno-deprecated-declarations")


def test_types_are_as_large_as_nvidias(tmp_path: Path) -> None:
    """And enum constants have NVIDIA's values."""
    theirs, ours = nvidias_headers(), tmp_path / "include"
    headers.write_headers(ours, "13.5")
    text = "".join((ours / name).read_text() for name in headers.FILES.values())
    text_of_theirs = expanded(theirs, *headers.FILES.values())
    known = set(re.findall(r"\w+", text_of_theirs))
    tags = set(re.findall(r"\b(?:struct|union) (?:__\w+__ ?\(.*?\)\) )?(\w+)", text_of_theirs))
    found = re.findall(r"^typedef (struct|union) (\w+) \2;", text, re.MULTILINE)
    found = [(kind if name in tags else "", name) for kind, name in found]
    types = [f"{kind} {name}".strip() for kind, name in found if name in known and name != "cudaGraphicsResource"]
    constants = [
        name for body in re.findall(r"^typedef enum \w+ \{(.*)\}", text, re.MULTILINE)
        for name in re.findall(r"(\w+) =", body) if name in known
    ]  # fmt: skip
    lines = [f'printf("{name} %zu\\n", sizeof({name}));' for name in types]
    lines += [f'printf("{name} %lld\\n", (long long){name});' for name in constants]
    program = "".join(f"#include <{name}>\n" for name in headers.FILES.values())
    program += "#include <stdio.h>\nint main(void) {" + "\n".join(lines) + "return 0; }\n"
    said = []
    for folder in (ours, theirs):
        path = compile_with("gcc", program, tmp_path, f"-I{folder}", "-Wno-deprecated-declarations")
        said.append(subprocess.check_output([path], encoding="utf-8").splitlines())
    assert len(types) > 150
    assert len(constants) > 1500
    assert said[0] == said[1]
