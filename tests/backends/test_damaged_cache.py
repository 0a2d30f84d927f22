"""Every file of the cache, cut short, changed by one bit, and emptied: programs work, or report the damage."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.backends import host_libraries
from cuda_shim.binding.native_calls.build import LIBRARY as CALLS
from cuda_shim.c_level.build import LIBRARY as C_LIBRARY
from cuda_shim.cache.folder import cache_of
from tests.interpreters import PACKAGE_ROOT, start
from tests.program_files import read_program

#: Everything that is kept: the runtime, a kernel and the headers that it includes, compiled calls, the C interface,
#: headers.
PROGRAM = read_program(__file__, "damaged_cache.py")


def cut(contents: bytes) -> bytes:
    return contents[: len(contents) // 2]


def flip(contents: bytes) -> bytes:
    at = len(contents) // 2
    return contents[:at] + bytes([contents[at] ^ 1]) + contents[at + 1 :] if contents else b"\0"


def empty(_: bytes) -> bytes:
    return b""


DAMAGES = (cut, flip, empty)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which the program finds everything."""
    folder = tmp_path_factory.mktemp("warm") / "cache"
    chosen = settings.current()
    entry = Path(host_libraries.ensure_libraries(chosen))
    own = Path(cache_of(chosen).root)
    folder.mkdir(mode=0o700)
    if entry.is_relative_to(own):
        shutil.copytree(entry, folder / entry.relative_to(own))
    for _ in range(2):
        assert run(folder) == "42 True\n"
    return folder


def run(folder: Path) -> str:
    """Return the program's output with a cache."""
    done = start(
        "-c", PROGRAM, PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_CACHE_DIR=str(folder), CUDA_SHIM_QUIET="1",
        CUDA_SHIM_CPU_LOG="off",
    )  # fmt: skip
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr[-2000:])
    return done.stdout


def check(warm: Path, chosen: Callable[[Path], bool], each: int) -> set[str]:
    """Damage one file after another of those chosen, in `each` of the ways; the names of the files without hashes."""
    names, turn = set(), 0
    for path in [path for path in sorted(warm.rglob("*")) if path.is_file() and chosen(path)]:
        contents = path.read_bytes()
        for _ in range(each):
            damage = DAMAGES[turn % len(DAMAGES)]
            path.write_bytes(damage(contents))
            assert run(warm) == "42 True\n", (path, damage.__name__)
            turn += 1
        names.add(path.name if path.parent.name != "kernels" else path.suffix or path.name)
    return names


def is_of_the_runtime(path: Path) -> bool:
    """Return whether a damage makes the runtime build again, which is slow, and tested with a small one as well."""
    return "runtime" in path.parts and path.suffix != ".lock"


def is_quick(path: Path) -> bool:
    """Return whether the file is of a kind of its own and quickly built again."""
    return not is_of_the_runtime(path) and (path.suffix != ".pxd" or path.name == "cydriver.pxd") and (
        "c_level" not in path.parts or path.name in (C_LIBRARY, "checksums", "cydriver.pxd")
    )  # fmt: skip


def test_every_kind_of_file_that_is_damaged_is_made_anew(warm: Path) -> None:
    found = check(warm, is_quick, 1)
    assert found >= {".so", ".pch", ".answer", CALLS, C_LIBRARY, "checksums", "cydriver.pxd", "compilers.note"}


@pytest.mark.parametrize("library", [CALLS, pytest.param(C_LIBRARY, marks=pytest.mark.long)])
def test_no_damaged_library_is_loaded(warm: Path, library: str) -> None:
    (path,) = warm.rglob(library)
    whole = path.read_bytes()
    for damage in DAMAGES:
        path.write_bytes(damage(whole))
        assert run(warm) == "42 True\n"
        assert len(path.read_bytes()) == len(whole), damage.__name__


@pytest.mark.long
def test_every_file_that_is_damaged_is_made_anew(warm: Path) -> None:
    """In each of the ways, those of the runtime included, which are built each time."""
    found = check(warm, lambda path: not is_of_the_runtime(path), 3) | check(warm, is_of_the_runtime, 1)
    assert found >= {"libamdhip64.so", "libhiprtc.so", "libcuda.so.1", CALLS, C_LIBRARY}
