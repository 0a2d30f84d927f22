"""The choice of the compiler, whose version is asked in a process only once."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.backends import compilers, cpu, host
from cuda_shim.cache.folder import Cache
from tests.backends.scripts import Run, last_line
from tests.interpreters import PACKAGE_ROOT

FIND = """
import sys
from importlib import machinery
if "HIDE_ZIGLANG" in __import__("os").environ:
    sys.modules["ziglang"] = None
from cuda_shim import settings
from cuda_shim.backends import compilers
found = compilers.find(settings.current())
print(found.kind, found.version, " ".join(found.command), "|", found.why)
"""

Program = Callable[[str, str], Path]


def pretend(version: str, works: bool = True) -> str:
    """A shell script that answers as a compiler and logs that it was asked."""
    return (
        f'echo "$0 $*" >> "$(dirname "$0")/log"; case "$*" in *--version) echo "{version}";; version) echo 0.17.0;; '
        f"*) echo 'trial.cpp:1: fatal error: string: No such file' >&2; exit {0 if works else 1};; esac"
    )


CLANG_14, CLANG_17, CLANG_19 = (f"Debian clang version {n}.1.7" for n in (14, 17, 19))
GCC_12 = "g++ (Debian 12.2.0-14+deb12u1) 12.2.0"


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        ({"clang++": CLANG_19, "g++": GCC_12}, "clang 19.1.7 {bin}/clang++ | found on PATH"),
        ({"clang++": CLANG_14, "g++": GCC_12}, "gcc 12.2.0 {bin}/g++ | found on PATH"),
        ({"clang++": CLANG_14, "clang++-17": CLANG_17, "clang++-19": CLANG_19}, "clang 19.1.7 {bin}/clang++-19 | found on PATH"),
        ({"zig": CLANG_19, "g++": GCC_12}, "zig 0.17.0 {bin}/zig c++ | found on PATH"),
        ({"c++": CLANG_19}, "clang 19.1.7 {bin}/c++ | found on PATH"),
    ],
)  # fmt: skip
def test_order_on_path(run: Run, program: Program, tmp_path: Path, present: dict[str, str], expected: str) -> None:
    for name, version in present.items():
        program(name, pretend(version))
    assert run_with(run, tmp_path) == expected.format(bin=tmp_path / "bin")


# The C++ side by itself: no setting names a compiler, so that compiling a program runs the one that it finds.
COMPILE = """
import ctypes, sys
hiprtc = ctypes.CDLL(sys.argv[1])
program = ctypes.c_void_p()
hiprtc.hiprtcCreateProgram(ctypes.byref(program), b'extern "C" __global__ void k() {}', b"k.cu", 0, None, None)
hiprtc.hiprtcCompileProgram(program, 0, None)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("present", "expected"),
    [
        ({"clang++": CLANG_19, "clang++-17": CLANG_17, "g++": GCC_12}, "clang++"),
        ({"clang++": CLANG_14, "clang++-17": CLANG_17, "g++": GCC_12}, "clang++-17"),
        ({"clang++-17": CLANG_17, "clang++-19": CLANG_19, "zig": CLANG_19}, "clang++-19"),
        ({"clang++-30": CLANG_19, "clang++-29": CLANG_19}, "clang++-30"),
        ({"clang++": CLANG_14, "zig": CLANG_19, "g++": GCC_12}, "zig"),
        ({"clang++": CLANG_14, "g++": GCC_12, "c++": GCC_12}, "g++"),
        ({"clang++": GCC_12, "g++": GCC_12}, "clang++"),
        ({"c++": CLANG_19}, "c++"),
        ({"c++": CLANG_14, "clang++": CLANG_14, "clang++-16": CLANG_19}, ""),
        ({"cc": GCC_12}, ""),
    ],
)
def test_both_languages_search_by_one_rule(
    run: Run, program: Program, tmp_path: Path, present: dict[str, str], expected: str
) -> None:
    libhiprtc = cpu.libraries(settings.current())[1]
    for name, version in present.items():
        program(name, pretend(version))
    in_python = run_with(run, tmp_path)
    assert re.findall(r"/bin/(\S+).*\| found on PATH$", in_python) == [expected] * bool(expected), in_python
    log = tmp_path / "bin" / "log"
    log.unlink(missing_ok=True)
    variables = {
        "PATH": str(tmp_path / "bin"),
        "CUDA_SHIM_CACHE_DIR": str(tmp_path / "kernels"),
        "CUDA_SHIM_CPU_DEVICE_HEADERS": host.device_headers(),
    }
    command = [sys.executable, "-c", COMPILE, libhiprtc]
    subprocess.run(command, env=variables, check=True, capture_output=True)
    lines = log.read_text().splitlines() if log.exists() else []
    compilations = [Path(line.split()[0]).name for line in lines if "--version" not in line]
    assert set(compilations[:1]) == {expected} - {""}


def test_the_names_are_the_tables() -> None:
    """The generator would write the files of both languages as they are."""
    command = [sys.executable, str(PACKAGE_ROOT / "tools/generate_compiler_names.py"), "--check"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


def run_with(run: Run, tmp_path: Path, more: str = "", before: str = "", **variables: str) -> str:
    """Run FIND where nothing but the pretended compilers and the shell's own tools can be found."""
    tools = tmp_path / "bin"
    for name in ("dirname", "sh"):
        with contextlib.suppress(FileExistsError):
            (tools / name).symlink_to(f"/bin/{name}" if Path(f"/bin/{name}").exists() else f"/usr/bin/{name}")
    result = run(before + FIND + more, PATH=str(tools), HIDE_ZIGLANG="1", **variables)
    return result.stdout.strip() or last_line(result.stderr)


def test_gcc_builds_the_runtime_where_zig_was_not_asked_for(run: Run, program: Program, tmp_path: Path) -> None:
    zig = program("zig", pretend(CLANG_19))
    program("g++", pretend(GCC_12))
    both = "\nprint(found.kind, compilers.find_builder(settings.current()).kind)"
    assert run_with(run, tmp_path, both).splitlines()[-1] == "zig gcc"
    assert run_with(run, tmp_path, both, CUDA_SHIM_CXX=f"{zig} c++").splitlines()[-1] == "zig zig"


@pytest.mark.parametrize("umask", ["0o000", "0o002"])
@pytest.mark.parametrize("present", [True, False], ids=["cache", "no-cache"])
def test_the_cache_is_private_whatever_zig_makes(
    run: Run, program: Program, tmp_path: Path, umask: str, present: bool
) -> None:
    """zig creates its cache folder, and all above it, with the permissions that the umask leaves."""
    program("zig", f'mkdir -p "$ZIG_GLOBAL_CACHE_DIR/o"\n{pretend(CLANG_19)}')
    (tmp_path / "bin" / "mkdir").symlink_to("/bin/mkdir")
    cache = tmp_path / "cache"
    if present:
        cache.mkdir(mode=0o700)
    again = "\nimport os\nfrom cuda_shim.cache.folder import cache_of\ncache_of(settings.current()).trusts(os.environ['CUDA_SHIM_CACHE_DIR'])"
    answer = run_with(run, tmp_path, again, before=f"import os\nos.umask({umask})\n")
    assert answer == f"zig 0.17.0 {tmp_path}/bin/zig c++ | found on PATH"
    for folder in (cache, cache / "zig"):
        assert folder.stat().st_mode & 0o777 == 0o700
    assert (cache / "zig" / "o").is_dir()


def test_processes_that_start_at_once_try_a_compiler_once(run: Run, program: Program, tmp_path: Path) -> None:
    program("clang++", pretend(CLANG_19))
    with ThreadPoolExecutor(4) as starts:
        answers = list(starts.map(lambda _: run_with(run, tmp_path), range(4)))
    assert set(answers) == {f"clang 19.1.7 {tmp_path}/bin/clang++ | found on PATH"}
    asked = (tmp_path / "bin" / "log").read_text().splitlines()
    assert sum("--version" in line for line in asked) == 1


def test_builds_at_once_share_no_local_cache_of_zigs(program: Program, tmp_path: Path) -> None:
    """zig cannot rename its output where another zig builds the same: a file of one relative name and one text."""
    zig = program("zig", f'[ -d "$ZIG_LOCAL_CACHE_DIR" ] && echo "$ZIG_LOCAL_CACHE_DIR" >> {tmp_path}/folders')
    compiler = compilers.Compiler((str(zig), "c++"), "zig", "0.17.1", "", "")
    for _ in range(2):
        compilers.build(compiler, Cache(str(tmp_path / "cache")), [], "a library")
    folders = (tmp_path / "folders").read_text().splitlines()
    assert len(set(folders)) == 2
    assert not any(Path(folder).exists() for folder in folders)


def test_what_gcc_compiles_has_a_reader(run: Run, program: Program, tmp_path: Path) -> None:
    """The C++ side searches PATH alone, and CUDA_SHIM_CPU_CXX may name gcc where another compiler was found."""
    program("zig", pretend(CLANG_19))
    program("g++", pretend(GCC_12))
    more = """
import os
from cuda_shim.backends import cpu
cpu.prepare_environment(settings.current())
print(os.environ["CUDA_SHIM_CPU_CXX"], "|", os.environ["CUDA_SHIM_CPU_CLANG"])
"""
    tools = tmp_path / "bin"
    assert run_with(run, tmp_path, more).splitlines()[-1] == f"{tools}/zig c++ | {tools}/zig c++"
    chosen = run_with(run, tmp_path, more, CUDA_SHIM_CPU_CXX="g++").splitlines()[-1]
    assert chosen == f"g++ | {tools}/zig c++"


def test_the_setting_wins_then_cxx(run: Run, program: Program, tmp_path: Path) -> None:
    program("clang++", pretend(CLANG_19))
    old = program("old-clang", pretend(CLANG_14))
    mine = program("my g++", pretend(GCC_12))
    assert run_with(run, tmp_path, CXX="old-clang -m64") == f"clang 14.1.7 {old} -m64 | CXX"
    assert (
        run_with(run, tmp_path, CXX="old-clang", CUDA_SHIM_CXX=f"'{mine}' -pipe")
        == f"gcc 12.2.0 {mine} -pipe | CUDA_SHIM_CXX"
    )


def test_a_cxx_that_does_not_run_is_passed_over(run: Run, program: Program, tmp_path: Path) -> None:
    program("g++", pretend(GCC_12))
    assert run_with(run, tmp_path, CXX="x86_64-conda-linux-gnu-c++").startswith("gcc 12.2.0")


@pytest.mark.parametrize(
    ("value", "reason"),
    [("no-such-compiler", "no such program"), ("broken -O2", "fatal error: string"), ("mute", "failed without a word")],
)
def test_a_setting_that_does_not_work_is_an_error(
    run: Run, program: Program, tmp_path: Path, value: str, reason: str
) -> None:
    program("g++", pretend(GCC_12))
    program("broken", pretend(GCC_12, works=False))
    program("mute", "exit 3")
    answer = run_with(run, tmp_path, CUDA_SHIM_CXX=value)
    assert "BackendNotFound" in answer
    assert f"CUDA_SHIM_CXX={value!r}" in answer
    assert reason in answer


def test_a_clang_without_its_headers_is_passed_over(run: Run, program: Program, tmp_path: Path) -> None:
    program("clang++", pretend(CLANG_19, works=False))
    program("g++", pretend(GCC_12))
    assert run_with(run, tmp_path).startswith("gcc 12.2.0")


def test_a_compiler_is_asked_once_until_it_changes(run: Run, program: Program, tmp_path: Path) -> None:
    compiler = program("clang++", pretend(CLANG_17))
    log = tmp_path / "bin" / "log"
    assert run_with(run, tmp_path).startswith("clang 17.1.7")
    asked = log.read_text(encoding="utf-8")
    assert "--version" in asked
    assert run_with(run, tmp_path).startswith("clang 17.1.7")
    assert log.read_text(encoding="utf-8") == asked
    compiler.write_text(compiler.read_text(encoding="utf-8").replace("17.1.7", "19.1.70"))
    assert run_with(run, tmp_path).startswith("clang 19.1.70")


def test_a_failure_is_forgotten_when_nothing_else_is_left(run: Run, program: Program, tmp_path: Path) -> None:
    program("clang++", pretend(CLANG_19, works=False))
    answer = run_with(run, tmp_path)
    assert "no C++ compiler works" in answer
    assert "clang++: trial.cpp:1: fatal error: string: No such file" in answer
    # The same file by path, time and size: only its dependencies were installed.
    failing = (tmp_path / "bin" / "clang++").stat()
    program("clang++", pretend(CLANG_19))
    os.utime(tmp_path / "bin" / "clang++", ns=(failing.st_atime_ns, failing.st_mtime_ns))
    assert (tmp_path / "bin" / "clang++").stat().st_size == failing.st_size
    assert run_with(run, tmp_path).startswith("clang 19.1.7")


def test_it_works_without_a_cache(run: Run, program: Program, tmp_path: Path) -> None:
    program("g++", pretend(GCC_12))
    assert run_with(run, tmp_path, CUDA_SHIM_CACHE_DIR="/proc/none").startswith("gcc 12.2.0")


def test_none_at_all(run: Run, program: Program, tmp_path: Path) -> None:
    program("unrelated", "exit 0")
    answer = run_with(run, tmp_path)
    assert "no C++ compiler was found" in answer
    assert "pip install ziglang" in answer


@pytest.mark.parametrize(
    ("kind", "version", "programs", "expected"),
    [
        ("clang", "19.1.7", {}, ""),
        ("clang", "20.1.0", {}, "are not vectorised"),
        ("clang", "22.1.8", {}, "are not vectorised"),
        ("clang", "23.1.0", {}, ""),
        ("zig", "0.14.1", {}, ""),
        ("zig", "0.17.1", {}, "are not vectorised"),
        ("gcc", "12.2.0", {}, "about 50 times slower"),
        ("gcc", "12.2.0", {"clang++-18": CLANG_14}, "about 50 times slower"),
        ("gcc", "12.2.0", {"clang++-19": CLANG_19}, ""),
    ],
)
def test_what_kernels_lose_is_named(
    kind: str, version: str, programs: dict[str, str], expected: str, program: Program, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for name, answer in (("c++", GCC_12), ("clang++-16", CLANG_14), *programs.items()):
        program(name, pretend(answer))
    for tool in ("dirname", "sh"):
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool) or "")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(compilers, "find_ziglang", lambda: "")
    weakness = compilers.weakness(compilers.Compiler(("c++",), kind, version, "found on PATH", "c++"), Cache(""))
    assert (expected in weakness) if expected else weakness == ""
    assert not weakness or "pip install ziglang==0.14.1" in weakness
