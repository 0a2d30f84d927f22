"""The cache folder is found and trusted by one rule, whether Python or the C++ runtime looks for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.backends import cpu
from tests.interpreters import PACKAGE_ROOT

pytest.importorskip("hip", reason="hip-python is not installed")

# The C++ side, without Python's help: hiprtc is loaded as any C program would, and compiles a program with an error.
CPP = """
import ctypes, sys
hiprtc = ctypes.CDLL(sys.argv[1])
program = ctypes.c_void_p()
hiprtc.hiprtcCreateProgram(ctypes.byref(program), b'extern "C" __global__ void k() {}', b"k.cu", 0, None, None)
print(hiprtc.hiprtcCompileProgram(program, 0, None))
"""
PYTHON = """
from cuda_shim import settings
from cuda_shim.cache import entries
from cuda_shim.cache.folder import cache_of
cache = cache_of(settings.read())
try:
    entries.make(cache, cache.path("python"))
except ImportError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def libhiprtc() -> str:
    """The runtime of the person who runs the tests."""
    return cpu.libraries(settings.current())[1]


def run(code: str, *words: str, cwd: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "CUDA_SHIM_CPU_CXX")}
    headers = str(PACKAGE_ROOT / "hip_on_host/device")
    environment = {**kept, "CUDA_SHIM_CPU_DEVICE_HEADERS": headers, "PYTHONPATH": str(PACKAGE_ROOT), **environment}
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=False)


def caches(folder: Path, name: str) -> set[str]:
    """The folders that hold a part of a cache of this name."""
    return {str(path.parent.relative_to(folder)) for path in folder.rglob(name)}


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"CUDA_SHIM_CACHE_DIR": "{0}/given"}, {"given"}),
        ({"CUDA_SHIM_CACHE_DIR": " {0}/a/../given/./ "}, {"given"}),
        ({"CUDA_SHIM_CACHE_DIR": "given"}, {"work/given"}),
        ({"CUDA_SHIM_CACHE_DIR": "../given"}, {"given"}),
        ({"CUDA_SHIM_CACHE_DIR": "~/given", "HOME": "{0}/home"}, {"home/given"}),
        ({"XDG_CACHE_HOME": "{0}/xdg", "HOME": "{0}/home"}, {"xdg/cuda-shim"}),
        ({"XDG_CACHE_HOME": "relative", "HOME": "{0}/home"}, {"home/.cache/cuda-shim"}),
        ({"HOME": "{0}/home"}, {"home/.cache/cuda-shim"}),
        ({"CUDA_SHIM_CACHE_DIR": "{0}/link"}, {"real"}),
        ({"CUDA_SHIM_CACHE_DIR": "{0}/link-of-another"}, set()),
        ({"CUDA_SHIM_CACHE_DIR": "{0}/open"}, set()),
        ({"CUDA_SHIM_CACHE_DIR": "{0}/file"}, set()),
    ],
)
def test_both_sides_agree(libhiprtc: str, tmp_path: Path, variables: dict[str, str], expected: set[str]) -> None:
    for side, part in (("python", "python"), ("cpp", "kernels")):
        folder = tmp_path / side
        for name, mode in (("work", 0o700), ("home", 0o700), ("real", 0o700), ("open", 0o777)):
            (folder / name).mkdir(parents=True)
            (folder / name).chmod(mode)
        (folder / "file").touch()
        (folder / "link").symlink_to(folder / "real")
        (folder / "link-of-another").symlink_to(folder / "real")
        if os.geteuid() != 0 and "another" in str(variables):
            pytest.skip("only root can give a link away")
        if os.geteuid() == 0:
            os.chown(folder / "link-of-another", 12345, -1, follow_symlinks=False)
        environment = {name: value.format(folder) for name, value in variables.items()}
        code, words = (PYTHON, ()) if side == "python" else (CPP, (libhiprtc,))
        done = run(code, *words, cwd=folder / "work", environment=environment)
        assert done.returncode == 0, done.stderr
        assert caches(folder, part) == expected, (side, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("above", "cache", "part_mode", "owner", "trusted"),
    [
        (0o755, 0o700, 0o700, None, True),
        (0o755, 0o755, 0o755, None, True),
        (0o777, 0o700, 0o700, None, False),
        (0o1777, 0o700, 0o700, None, True),
        (0o755, 0o720, 0o700, None, False),
        (0o755, 0o700, 0o702, None, False),
        (0o755, 0o700, 0o700, "above", False),
        (0o755, 0o700, 0o700, "cache", False),
        (0o755, 0o700, 0o700, "part", False),
    ],
)
def test_both_sides_trust_the_same_folders(
    libhiprtc: str, tmp_path: Path, above: int, cache: int, part_mode: int, owner: str | None, trusted: bool
) -> None:
    """Each of the folders on the way has an owner and a mode; a part that is trusted is written into."""
    if owner and os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    for side, part in (("python", "python"), ("cpp", "kernels")):
        folders = {"above": tmp_path / side}
        folders["cache"] = folders["above"] / "cache"
        folders["part"] = folders["cache"] / part
        for folder, mode in zip(folders.values(), (above, cache, part_mode), strict=True):
            folder.mkdir()
            folder.chmod(mode)
        if owner:
            os.chown(folders[owner], 12345, -1)
        environment = {"CUDA_SHIM_CACHE_DIR": str(folders["cache"])}
        code, words = (PYTHON, ()) if side == "python" else (CPP, (libhiprtc,))
        done = run(code, *words, cwd=tmp_path, environment=environment)
        assert done.returncode == 0, done.stderr
        refused = bool(done.stdout) if side == "python" else "kernels are not cached" in done.stderr
        assert refused is not trusted, (side, done.stdout, done.stderr)


NO_HOME = "import pwd\npwd.getpwuid = lambda number: {}[number]\n"


def test_without_any_folder_nothing_is_written(tmp_path: Path) -> None:
    done = run(NO_HOME + PYTHON, cwd=tmp_path, environment={})
    assert done.stdout.startswith("there is no folder for the cache: "), done.stderr
    assert done.stdout.rstrip().endswith("set CUDA_SHIM_CACHE_DIR")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("word", ["on", "YES", "true", "off", "No", " 0 "])
def test_booleans_of_the_runtime_are_those_of_python(libhiprtc: str, tmp_path: Path, word: str) -> None:
    environment = {"CUDA_SHIM_CACHE_DIR": str(tmp_path / "cache"), "CUDA_SHIM_CPU_KEEP": word}
    done = run(CPP, libhiprtc, cwd=tmp_path, environment=environment)
    assert "is not allowed" not in done.stderr
    kept = list((tmp_path / "cache" / "kernels").glob("*/*.cpp"))
    assert bool(kept) == bool(settings.boolean(word.strip())), done.stderr


def test_a_word_that_is_none_is_reported_and_the_default_used(libhiprtc: str, tmp_path: Path) -> None:
    environment = {"CUDA_SHIM_CACHE_DIR": str(tmp_path / "cache"), "CUDA_SHIM_CPU_KEEP": "perhaps"}
    done = run(CPP, libhiprtc, cwd=tmp_path, environment=environment)
    assert (
        "CUDA_SHIM_CPU_KEEP=perhaps is not allowed; use 1/on/yes/true or 0/off/no/false; the default is used"
        in done.stderr
    )


def test_a_compilation_that_takes_long_says_so_once(libhiprtc: str, tmp_path: Path) -> None:
    slow = tmp_path / "g++"
    slow.write_text("#!/bin/sh\nsleep 2.3\nexit 1\n")
    slow.chmod(0o755)
    environment = {"CUDA_SHIM_CACHE_DIR": str(tmp_path / "cache"), "CUDA_SHIM_CPU_CXX": str(slow)}
    done = run(CPP, libhiprtc, cwd=tmp_path, environment={**environment, "CUDA_SHIM_QUIET": "1"})
    assert done.stderr.count("compiling k.cu takes more than 2 s; later runs find it in the cache") == 1
