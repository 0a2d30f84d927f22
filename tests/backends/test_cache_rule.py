"""The cache folder is found and trusted by one rule, whether Python or the C++ runtime looks for it."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from cuda_shim import settings
from cuda_shim.backends import cpu
from tests.backends.both_languages import answers, compile_program
from tests.interpreters import PACKAGE_ROOT

pytest.importorskip("hip", reason="hip-python is not installed")
pytestmark = pytest.mark.xdist_group("rules in both languages")

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


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program(tmp_path_factory.mktemp("rules") / "print_rules")


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"CUDA_SHIM_CACHE_DIR": "/a/given"}, "/a/given"),
        ({"CUDA_SHIM_CACHE_DIR": " /a//b/../given/./ "}, "/a/given"),
        ({"CUDA_SHIM_CACHE_DIR": "/../given/.."}, "/"),
        ({"CUDA_SHIM_CACHE_DIR": "given"}, "{0}/given"),
        ({"CUDA_SHIM_CACHE_DIR": "./given/"}, "{0}/given"),
        ({"CUDA_SHIM_CACHE_DIR": "in/../given"}, "{0}/given"),
        ({"CUDA_SHIM_CACHE_DIR": "~/given", "HOME": "/home/me"}, "/home/me/given"),
        ({"CUDA_SHIM_CACHE_DIR": "~", "HOME": "/home/me/"}, "/home/me"),
        ({"CUDA_SHIM_CACHE_DIR": "~/given", "HOME": "relative"}, ""),
        ({"CUDA_SHIM_CACHE_DIR": "~other/given", "HOME": "/home/me"}, "{0}/~other/given"),
        ({"CUDA_SHIM_CACHE_DIR": "", "XDG_CACHE_HOME": "/xdg/."}, "/xdg/cuda-shim"),
        ({"XDG_CACHE_HOME": "/xdg", "HOME": "/home/me"}, "/xdg/cuda-shim"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/home/me"}, "/home/me/.cache/cuda-shim"),
        ({"XDG_CACHE_HOME": "", "HOME": "/home/me"}, "/home/me/.cache/cuda-shim"),
        ({"HOME": "/home//me/../you"}, "/home/you/.cache/cuda-shim"),
        ({"HOME": "relative"}, ""),
        ({"HOME": ""}, "{1}/.cache/cuda-shim"),
        ({}, "{1}/.cache/cuda-shim"),
    ],
)
def test_both_sides_find_the_same_folder(rules: Path, tmp_path: Path, variables: dict[str, str], expected: str) -> None:
    path = expected.format(tmp_path, pwd.getpwuid(os.geteuid()).pw_dir)
    assert answers(rules, "cache", cwd=tmp_path, **variables) == [[path], [path]]


USER, OTHER, ROOT = 12345, 12346, 0


class Folder(NamedTuple):
    """The owner, the group and the mode of a folder."""

    owner: int = USER
    group: int = OTHER
    mode: int = 0o755


#: Folders as `above/home/cache`, and whether the user may load from the last.
FOLDERS = {
    "private": ((Folder(), Folder(), Folder(mode=0o700)), True),
    "readable by others": ((Folder(), Folder(), Folder()), True),
    "above: root's": ((Folder(ROOT, ROOT), Folder(), Folder()), True),
    "above: root's, for its group": ((Folder(ROOT, ROOT, 0o775), Folder(), Folder()), False),
    "above: of another user": ((Folder(OTHER), Folder(), Folder()), False),
    "above: of another user, sticky": ((Folder(OTHER, OTHER, 0o1777), Folder(), Folder()), False),
    "above: sticky": ((Folder(mode=0o1777), Folder(), Folder()), True),
    "above: root's, sticky": ((Folder(ROOT, ROOT, 0o1777), Folder(), Folder()), True),
    "above: for a group, sticky": ((Folder(mode=0o1775), Folder(), Folder()), True),
    "above: for all": ((Folder(mode=0o777), Folder(), Folder()), False),
    "above: for all but a group": ((Folder(mode=0o757), Folder(), Folder()), False),
    "above: for a group": ((Folder(mode=0o775), Folder(), Folder()), False),
    "above: for the user's own group": ((Folder(group=USER, mode=0o775), Folder(), Folder()), True),
    "above: only to pass through": ((Folder(mode=0o711), Folder(), Folder()), True),
    "directly above: for all": ((Folder(), Folder(mode=0o777), Folder()), False),
    "directly above: of another user": ((Folder(), Folder(OTHER), Folder()), False),
    "of another user": ((Folder(), Folder(), Folder(OTHER)), False),
    "root's": ((Folder(), Folder(), Folder(ROOT, ROOT)), False),
    "for all": ((Folder(), Folder(), Folder(mode=0o777)), False),
    "for all, sticky": ((Folder(), Folder(), Folder(mode=0o1777)), False),
    "for others": ((Folder(), Folder(), Folder(mode=0o702)), False),
    "for the user's own group": ((Folder(), Folder(), Folder(group=USER, mode=0o770)), False),
}
#: The owner of a link to the cache, of the folder above the cache, and whether the link may be used.
LINKS = {
    "the user's": (USER, USER, True),
    "root's": (ROOT, USER, True),
    "of another user": (OTHER, USER, False),
    "into a folder of another user": (USER, OTHER, False),
}


def lay(root: Path, folders: tuple[Folder, ...]) -> Path:
    """Make folders inside each other, with their owners and modes."""
    path = root
    for name, folder in zip(("above", "home", "cache"), folders, strict=True):
        path /= name
        path.mkdir(parents=True)
        os.chown(path, folder.owner, folder.group)
        path.chmod(folder.mode)
    return path


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that every user can pass through."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
def test_both_sides_trust_the_same_folders(rules: Path, public: Path) -> None:
    expected = {}
    for number, (name, (folders, trusted)) in enumerate(FOLDERS.items()):
        expected[name, str(lay(public / str(number), folders))] = trusted
    for name, (owner, above, trusted) in LINKS.items():
        link = public / f"link {name}"
        link.symlink_to(lay(public / name, (Folder(above), Folder(), Folder())))
        os.chown(link, owner, owner, follow_symlinks=False)
        expected[f"link: {name}", str(link)] = trusted
    (public / "file").touch()
    os.chown(public / "file", USER, USER)
    expected["a file", str(public / "file")] = False
    for side in answers(rules, "private", str(USER), *(path for _, path in expected)):
        said = [answer == "yes" for answer in side]
        assert {key[0]: answer for key, answer in zip(expected, said, strict=True) if answer != expected[key]} == {}


#: Runs a command as in a user's own container: all other users are one user without a name, root among them.
CONTAINER = ("/usr/bin/unshare", "--user", "--map-user=1000", "--map-group=1000")
NAMELESS = {
    "above: of a user without a name": ((Folder(OTHER), Folder(ROOT, ROOT), Folder(ROOT, ROOT)), True),
    "above: of a user without a name, for all": ((Folder(OTHER, mode=0o777), Folder(ROOT), Folder(ROOT)), False),
    "of a user without a name": ((Folder(ROOT), Folder(ROOT), Folder(OTHER)), False),
    "the user's own": ((Folder(ROOT), Folder(ROOT), Folder(ROOT)), True),
}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
def test_users_without_a_name_may_be_root(rules: Path, public: Path) -> None:
    if subprocess.run([*CONTAINER, "true"], capture_output=True, check=False).returncode:
        pytest.skip("there are no user namespaces here")
    paths = [str(lay(public / name, folders)) for name, (folders, _) in NAMELESS.items()]
    expected = ["yes" if trusted else "no" for _, trusted in NAMELESS.values()]
    assert answers(rules, "private", "1000", *paths, inside=CONTAINER) == [expected, expected]


@pytest.mark.parametrize("mode", [0o777, 0o757, 0o1777, 0o755])
def test_both_sides_trust_the_same_folders_of_ones_own(rules: Path, tmp_path: Path, mode: int) -> None:
    """These folders need no other user."""
    (tmp_path / "above" / "cache").mkdir(parents=True)
    (tmp_path / "above").chmod(mode)
    expected = ["no" if mode in (0o777, 0o757) else "yes"]
    folder = str(tmp_path / "above" / "cache")
    assert answers(rules, "private", str(os.geteuid()), folder) == [expected, expected]


@pytest.mark.parametrize("trusted", [True, False])
def test_the_kernel_compiler_follows_the_rule(libhiprtc: str, tmp_path: Path, trusted: bool) -> None:
    (tmp_path / "cache").mkdir(mode=0o700)
    (tmp_path / "cache").chmod(0o700 if trusted else 0o777)
    done = run(CPP, libhiprtc, cwd=tmp_path, environment={"CUDA_SHIM_CACHE_DIR": str(tmp_path / "cache")})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "cache" / "kernels").is_dir() is trusted
    assert ("kernels are not cached" in done.stderr) is not trusted


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
