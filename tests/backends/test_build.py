"""Building the CPU runtime: once, whole or not at all, and with one line that names the error."""

from __future__ import annotations

import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cuda_shim.backends import compilers
from tests.backends.scripts import USE_STAND_IN, Run, last_line

ENSURE = USE_STAND_IN + "print(host_libraries.ensure_libraries(settings.current()))"
FIND = USE_STAND_IN + "print(host_libraries.find_libraries(settings.current()))"
CALL = (
    ENSURE
    + """
import ctypes
folder = Path(host_libraries.ensure_libraries(settings.current()), "lib")
count, version, major, minor = (ctypes.c_int() for _ in range(4))
hip, hiprtc = ctypes.CDLL(folder / "libamdhip64.so"), ctypes.CDLL(folder / "libhiprtc.so")
print(hip.hipGetDeviceCount(ctypes.byref(count)), count.value)
print(hip.hipRuntimeGetVersion(ctypes.byref(version)), version.value)
print(hiprtc.hiprtcVersion(ctypes.byref(major), ctypes.byref(minor)), major.value)
"""
)


def entries(cache: Path) -> list[Path]:
    return sorted(path.parent.parent for path in cache.glob("runtime/*/*/lib/libhiprtc.so"))


def drafts(cache: Path) -> list[Path]:
    return [path for path in cache.glob("runtime/*/.*") if path.is_dir()]


def test_first_use_builds_both_libraries_and_the_second_finds_them(run: Run, stand_in: Path, tmp_path: Path) -> None:
    first = run(CALL)
    assert first.returncode == 0, first.stderr
    assert first.stdout.splitlines()[1:] == ["0 1", "0 42", "0 42"]
    assert first.stderr.count("\n") == 1
    assert first.stderr.startswith("cuda_shim: building the CPU-hosted HIP runtime")
    again = run(CALL)
    assert (again.stdout, again.stderr) == (first.stdout, "")
    assert drafts(tmp_path / "cache") == []


def test_a_terminal_sees_the_build_move(environment: dict[str, str], stand_in: Path) -> None:
    terminal, end = os.openpty()
    try:
        subprocess.run([sys.executable, "-c", ENSURE], env=environment, stdout=subprocess.PIPE, stderr=end, check=True)
        shown = os.read(terminal, 100_000).decode()
    finally:
        os.close(terminal)
        os.close(end)
    units = len(list(stand_in.rglob("*.cpp")))
    counts = [int(count) for count in re.findall(rf"(\d+) of {units} files", shown)]
    assert counts == sorted(set(counts))
    assert (len(counts) > 1, counts[-1]) == (True, units)
    assert shown.endswith("\r\033[K")


def test_a_changed_compiler_builds_anew(
    run: Run, stand_in: Path, tmp_path: Path, program: Callable[[str, str], Path], compiler: list[str]
) -> None:  # fmt: skip
    changing = program("changing-cxx", f'exec {shlex.join(compiler)} "$@"')
    assert run(ENSURE, CUDA_SHIM_CXX=str(changing)).returncode == 0
    program("changing-cxx", f'# another release\nexec {shlex.join(compiler)} "$@"')
    assert "building" in run(ENSURE, CUDA_SHIM_CXX=str(changing)).stderr
    assert len(entries(tmp_path / "cache")) == 2


def test_the_cache_is_private(run: Run, stand_in: Path, tmp_path: Path) -> None:
    assert run(ENSURE).returncode == 0
    (entry,) = entries(tmp_path / "cache")
    for path in [tmp_path / "cache", *list((tmp_path / "cache").rglob("*"))]:
        if path.is_dir() or path.is_relative_to(entry):
            assert path.stat().st_mode & 0o022 == 0, path


def test_a_careless_umask_does_not_open_it(run: Run, stand_in: Path, tmp_path: Path) -> None:
    careless = "import os\nos.umask(0)\n"
    assert run(careless + ENSURE).returncode == 0
    again = run(careless + ENSURE)
    assert (again.returncode, again.stderr) == (0, "")
    for path in (tmp_path / "cache").glob("*"):
        assert path.stat().st_mode & 0o022 == 0, path


def test_a_compiler_asked_for_is_used_even_if_another_has_built(run: Run, stand_in: Path) -> None:
    assert run(ENSURE).returncode == 0
    result = run(ENSURE, CUDA_SHIM_CXX="/nonexistent/cxx")
    assert "CUDA_SHIM_CXX='/nonexistent/cxx' is no working C++17 compiler" in last_line(result.stderr)


def test_only_the_interface_is_exported(run: Run, stand_in: Path) -> None:
    folder = Path(run(ENSURE).stdout.strip()) / "lib"
    listing = subprocess.run(
        [sys.executable, "-c", f"import ctypes; ctypes.CDLL({str(folder / 'libamdhip64.so')!r})._Z13shared_answerv"],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert "AttributeError" in listing.stderr


def test_fifty_cold_processes_build_once(start: Callable[..., subprocess.Popen[str]], stand_in: Path) -> None:
    processes = [start(CALL) for _ in range(50)]
    results = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0] * 50, results
    assert len({out for out, _ in results}) == 1
    assert sum("building" in err for _, err in results) == 1


@pytest.fixture
def slow_compiler(program: Callable[[str, str], Path], compiler: list[str], tmp_path: Path) -> str:
    """A compiler that reports its start on the runtime and waits until the test lets it go on."""
    path = program(
        "slow-cxx",
        f'case "$*" in */hip-*.cpp*) echo $$ > "{tmp_path}/pid"; mv "{tmp_path}/pid" "{tmp_path}/started"; '
        f'while [ ! -e "{tmp_path}/go" ]; do sleep 0.05; done;; esac; exec {shlex.join(compiler)} "$@"',
    )
    return str(path)


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while not path.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert path.exists(), process.communicate()


@pytest.mark.parametrize("death", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_build_that_is_killed_leaves_no_entry_and_no_lock(
    start: Callable[..., subprocess.Popen[str]], run: Run, stand_in: Path, tmp_path: Path,
    slow_compiler: str, death: signal.Signals,
) -> None:  # fmt: skip
    doomed = start(CALL, CUDA_SHIM_CXX=slow_compiler)
    wait_for(tmp_path / "started", doomed)
    doomed.send_signal(death)
    if death == signal.SIGINT:
        # Ctrl-C reaches the compilers too, as members of the terminal's process group.
        os.kill(int((tmp_path / "started").read_text(encoding="utf-8")), signal.SIGKILL)
    assert doomed.wait(timeout=60) != 0
    doomed.communicate()
    assert entries(tmp_path / "cache") == []
    (tmp_path / "go").touch()
    after = run(CALL, CUDA_SHIM_CXX=slow_compiler)
    assert after.returncode == 0, after.stderr
    assert len(entries(tmp_path / "cache")) == 1
    # A compiler that outlived its build may have gone on writing: the next build takes that away as well.
    (stand_in / "engine" / "engine.cpp").write_text("int engine_answer() { return 2; }\n")
    soon = CALL.replace("print(build", "build._OLD_DRAFT_SECONDS = -1\nprint(build", 1)
    assert run(soon, CUDA_SHIM_CXX=slow_compiler).returncode == 0
    assert drafts(tmp_path / "cache") == []


@pytest.mark.parametrize("moments", [5, pytest.param(50, marks=pytest.mark.long)])
def test_builds_that_are_killed_at_random_moments(
    start: Callable[..., subprocess.Popen[str]], run: Run, stand_in: Path, tmp_path: Path, moments: int
) -> None:
    """Each goes on from the files that the one before it left."""
    began = time.monotonic()
    assert run(CALL, CUDA_SHIM_CACHE_DIR=str(tmp_path / "whole")).returncode == 0
    whole = time.monotonic() - began
    numbers = random.Random(moments)  # noqa: S311 (the sequence must be reproducible)
    for _ in range(moments):
        for done in entries(tmp_path / "cache"):
            shutil.rmtree(done)  # this one was faster
        doomed = start(CALL)
        time.sleep(numbers.uniform(0, whole))
        doomed.kill()
        doomed.communicate()
    after = run(CALL)
    assert after.returncode == 0, after.stderr
    assert len(entries(tmp_path / "cache")) == 1


def test_waiting_for_another_process_is_reported(
    start: Callable[..., subprocess.Popen[str]], stand_in: Path, tmp_path: Path, slow_compiler: str
) -> None:  # fmt: skip
    builder = start(CALL, CUDA_SHIM_CXX=slow_compiler)
    wait_for(tmp_path / "started", builder)
    waiting = start(CALL, CUDA_SHIM_CXX=slow_compiler)
    assert waiting.stderr is not None
    assert waiting.stderr.readline().startswith("cuda_shim: waiting for another process")
    (tmp_path / "go").touch()
    assert builder.communicate()[0] == waiting.communicate()[0]


def test_a_source_that_does_not_compile_shows_the_compilers_words(run: Run, stand_in: Path, tmp_path: Path) -> None:
    (stand_in / "engine" / "engine.cpp").write_text("int engine_answer() { return no_such_name; }\n")
    result = run(ENSURE)
    assert result.returncode != 0
    assert "BackendNotFound: backend cpu: " in result.stderr
    assert "CUDA_SHIM_CXX" in result.stderr
    assert "no_such_name" in result.stderr
    assert "engine.cpp" in result.stderr
    assert entries(tmp_path / "cache") == drafts(tmp_path / "cache") == []


def test_a_missing_function_fails_the_build_and_not_the_program(run: Run, stand_in: Path, tmp_path: Path) -> None:
    (stand_in / "engine" / "engine.cpp").write_text("int another() { return 1; }\n")
    result = run(ENSURE)
    assert "engine_answer" in result.stderr
    assert entries(tmp_path / "cache") == drafts(tmp_path / "cache") == []


def test_a_changed_source_is_built_anew_and_a_touched_one_is_not(run: Run, stand_in: Path, tmp_path: Path) -> None:
    first = run(CALL)
    os.utime(stand_in / "hip" / "device.cpp", (1, 1))
    assert run(CALL).stderr == ""
    (stand_in / "engine" / "engine.cpp").write_text("int engine_answer() { return 7; }\n")
    changed = run(CALL)
    assert changed.stdout.splitlines()[1] == "0 7"
    assert changed.stdout.splitlines()[0] != first.stdout.splitlines()[0]
    assert len(entries(tmp_path / "cache")) == 2


def test_an_entry_that_is_damaged_is_built_again(run: Run, stand_in: Path, tmp_path: Path) -> None:
    """One bit of a library is enough to end the process that loads it."""
    run(ENSURE)
    (entry,) = entries(tmp_path / "cache")
    for name in ("libamdhip64.so", "libhiprtc.so"):
        library = entry / "lib" / name
        contents = bytearray(library.read_bytes())
        contents[len(contents) // 2] ^= 1
        library.write_bytes(contents)
        assert run(FIND).stdout == "None\n"
        assert run(CALL).returncode == 0
        assert run(FIND).stdout == f"{entry}\n"
    (entry / "checksums").write_text("")
    assert run(CALL).returncode == 0
    assert run(FIND).stdout == f"{entry}\n"


def test_an_entry_that_lost_a_file_is_built_again(run: Run, stand_in: Path, tmp_path: Path) -> None:
    run(ENSURE)
    (entry,) = entries(tmp_path / "cache")
    (entry / "lib" / "libamdhip64.so").unlink()
    assert run(FIND).stdout == "None\n"
    assert run(CALL).returncode == 0


def test_the_stamp_of_a_wheel_stands_for_its_sources(run: Run, stand_in: Path, tmp_path: Path) -> None:
    (stand_in / "sources.id").write_text("0123456789abcdef\n")
    assert run(ENSURE).returncode == 0
    (stand_in / "engine" / "engine.cpp").write_text("not looked at any more")
    assert run(ENSURE).stderr == ""
    (entry,) = entries(tmp_path / "cache")
    assert entry.parent.name.startswith("0123456789abcdef")


def test_shipped_libraries_win_and_need_neither_compiler_nor_cache(run: Run, stand_in: Path, tmp_path: Path) -> None:
    built = Path(run(ENSURE).stdout.strip())
    script = (
        USE_STAND_IN
        + f"host.shipped = lambda: {str(built)!r}\nprint(host_libraries.ensure_libraries(settings.current()))"
    )
    result = run(script, CUDA_SHIM_CACHE_DIR="/proc/none", PATH=str(tmp_path / "empty"))
    assert result.stdout.strip() == str(built), result.stderr


def test_libraries_outlive_their_compiler(run: Run, stand_in: Path, tmp_path: Path) -> None:
    built = run(ENSURE)
    hidden = "import sys; sys.modules['ziglang'] = None\n" + ENSURE
    assert run(hidden, PATH=str(tmp_path / "empty")).stdout == built.stdout


def test_without_a_compiler_one_line_names_the_package(run: Run, stand_in: Path, tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['ziglang'] = None\n" + ENSURE
    result = run(hidden, PATH=str(tmp_path / "empty"))
    assert "BackendNotFound: " in last_line(result.stderr)
    assert last_line(result.stderr).endswith("pip install ziglang==0.14.1 brings one")


def test_a_cache_that_cannot_be_written(run: Run, stand_in: Path) -> None:
    result = run(ENSURE, CUDA_SHIM_CACHE_DIR="/proc/cuda-shim")
    assert "cannot write the cache folder /proc/cuda-shim" in last_line(result.stderr)
    assert "CUDA_SHIM_CACHE_DIR" in last_line(result.stderr)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_home(run: Run, stand_in: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o500)
    result = run(ENSURE, CUDA_SHIM_CACHE_DIR=None, XDG_CACHE_HOME=None, HOME=str(tmp_path / "home"))
    assert "cannot write the cache folder" in last_line(result.stderr)


@pytest.mark.parametrize("limit", [0, 600, 4096])
def test_a_full_disk_leaves_no_broken_entry(run: Run, stand_in: Path, tmp_path: Path, limit: int) -> None:
    # A limit on the size of files stands for the full disk: writes fail in the compiler, or in Python.
    limited = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))\n"
    result = run(limited + ENSURE)
    assert result.returncode != 0
    assert "BackendNotFound: " in result.stderr
    assert entries(tmp_path / "cache") == []
    assert run(CALL).returncode == 0


def test_the_cache_does_not_grow_for_ever(run: Run, stand_in: Path, tmp_path: Path) -> None:
    script = USE_STAND_IN + (
        "host_libraries._MAX_ENTRIES = 2\n"
        "for turn in range(5):\n"
        "    Path(sources.source_folder(), 'engine', 'turn.cpp').write_text(f'int turn_{turn}() {{ return 0; }}')\n"
        "    newest = host_libraries.ensure_libraries(settings.current())\n"
        "print(newest)"
    )
    result = run(script)
    assert Path(result.stdout.strip()) in entries(tmp_path / "cache"), result.stderr
    assert len(entries(tmp_path / "cache")) == 3


def test_quiet_never_hides_that_something_is_built(run: Run, stand_in: Path) -> None:
    assert run(ENSURE, CUDA_SHIM_QUIET="1").stderr.startswith("cuda_shim: building the CPU-hosted HIP runtime with ")


def built_by_zig(run: Run, tmp_path: Path, script: str) -> str:
    """Return the output of a script that builds with zig alone; zig's C++ library must not have been built after it."""
    zig = compilers.find_ziglang()
    own = tmp_path / "zig-cache"
    result = run(script, CUDA_SHIM_CXX=f"{zig} c++", ZIG_GLOBAL_CACHE_DIR=str(own), PATH=str(tmp_path / "none"))
    assert result.returncode == 0, result.stderr
    made = {path.name for path in own.rglob("*.a")}
    assert "libcompiler_rt.a" in made
    assert "libc++.a" not in made
    return result.stdout


@pytest.mark.skipif(not compilers.find_ziglang(), reason="ziglang is not installed")
def test_zig_builds_without_building_its_c_plus_plus_library(run: Run, stand_in: Path, tmp_path: Path) -> None:
    assert built_by_zig(run, tmp_path, CALL).splitlines()[-3:] == ["0 1", "0 42", "0 42"]


@pytest.mark.long
@pytest.mark.skipif(not compilers.find_ziglang(), reason="ziglang is not installed")
def test_zig_has_in_zig_library_all_that_the_runtime_uses(run: Run, tmp_path: Path) -> None:
    real = "from cuda_shim import settings\nfrom cuda_shim.backends import host_libraries\n"
    built_by_zig(run, tmp_path, f"{real}print(host_libraries.ensure_libraries(settings.current()))")
