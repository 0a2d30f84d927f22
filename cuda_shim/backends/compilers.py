"""The C++ compiler: which one builds the runtime and, at run time, kernels.

Compilers built on clang make far faster kernels than gcc, so they come first. Asking a compiler for its
version takes a process, so the answer is remembered in the cache by the file's path, time and size.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from collections.abc import Iterable, Iterator

from cuda_shim.backends.host import (
    COMPILER_ANSWERS,
    COMPILER_PACKAGE,
    COMPILER_SEARCH,
    DEFAULT_PATH,
    MISREADING,
    OLDEST_CLANG,
    compiler_environment,
)
from cuda_shim.cache.folder import Cache, cache_of
from cuda_shim.errors import BackendNotFound
from cuda_shim.frozen_record import Record
from cuda_shim.log import log_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.settings import Settings

__all__ = ["Compiler", "build", "find", "find_builder", "find_ziglang", "finds_reader", "weakness"]

_NOTE = "compilers"
_ASK_SECONDS = 120
_MISSING = "no such program"
_ASKED_FOR = ("CUDA_SHIM_CXX", "CXX")
# Enough of the standard library to notice a compiler without its headers, which clang packages allow.
_TRIAL = "#include <string>\n#include <thread>\nint main() { return std::string().empty() ? 0 : 1; }\n"

# A failure may pass (headers get installed, a disk gets space), so it is remembered for an hour at most.
_FAILURE_SECONDS = 3600

_NO_COMPILER = (
    "backend cpu: no C++ compiler {was_found} "
    "(looked for CUDA_SHIM_CXX, CXX, clang++, ziglang, zig, g++, c++{failed}): "
    f"pip install {COMPILER_PACKAGE} brings one"
)


class Compiler(Record):
    """A working C++17 compiler.

    `command` is ready for exec; `kind` is clang, gcc or zig; `why` names the place where it was found; `identity`
    changes when the compiler does.
    """

    command: tuple[str, ...]
    kind: str
    version: str
    why: str
    identity: str

    def __str__(self) -> str:
        return f"{self.kind} {self.version} ({shlex.join(self.command)})"


def find(chosen: Settings) -> Compiler:
    """Return the first compiler that works: CUDA_SHIM_CXX, $CXX, clang++ 17 or later, ziglang, zig, g++, c++.

    Raises BackendNotFound when there is none, or when the one set in CUDA_SHIM_CXX does not work.
    """
    cache = cache_of(chosen)
    if chosen.cxx:
        compiler, problem = examine(split_command(chosen.cxx), "CUDA_SHIM_CXX", cache, retry=True)
        if compiler is None:
            raise BackendNotFound(f"{chosen.assignment('cxx')} is no working C++17 compiler: {problem}")
        return compiler
    for retry in (False, True):
        failures = []
        for command, why in _candidates():
            compiler, problem = examine(command, why, cache, retry)
            if compiler is not None and not _too_old(compiler):
                return compiler
            if problem and problem != _MISSING:
                failures.append(f"{command[0]}: {problem}")
    failed = "".join(f"; {text}" for text in failures)
    raise BackendNotFound(_NO_COMPILER.format(was_found="works" if failures else "was found", failed=failed))


def find_builder(chosen: Settings) -> Compiler:
    """Return the compiler for the runtime's own libraries: as `find()`, but gcc rather than an unasked-for zig.

    zig makes the faster kernels, yet takes longer to build these libraries.
    """
    preferred = find(chosen)
    if preferred.kind == "zig" and preferred.why not in _ASKED_FOR:
        for name in ("g++", "c++"):
            compiler, _ = examine([name], "found on PATH", cache_of(chosen))
            if compiler is not None:
                return compiler
    return preferred


def weakness(compiler: Compiler, cache: Cache) -> str:
    """Return the losses of kernels with this compiler, and which one to install instead; "" for no losses."""
    advice = f"pip install {COMPILER_PACKAGE} brings one that makes faster kernels"
    release = tuple(int(part) for part in re.findall(r"\d+", compiler.version)[:2])
    if any(release[: len(bad)] == bad for bad in MISREADING.get(compiler.kind, ())):
        return f"kernels whose indices wrap (x & 3) are not vectorised, since LLVM 20 to 22 misreads them; {advice}"
    if compiler.kind == "gcc" and not finds_reader(cache):
        return f"kernels with barriers or loops run about 50 times slower, since no Clang reads them; {advice}"
    return ""


def finds_reader(cache: Cache) -> bool:
    """Return whether a Clang is there that can read kernels for another compiler."""
    examined = (examine(command, why, cache)[0] for command, why in _candidates())
    return any(found is not None and found.kind != "gcc" and not _too_old(found) for found in examined)


def _candidates() -> Iterator[tuple[list[str], str]]:
    if os.environ.get("CXX"):
        yield split_command(os.environ["CXX"]), "CXX"
    packaged = find_ziglang()
    for command in COMPILER_SEARCH:
        if command[0] == "zig" and packaged:
            yield [packaged, *command[1:]], "the ziglang package"
        yield list(command), "found on PATH"


def split_command(command: str) -> list[str]:
    """Return a command's words; one word that no program has where its quotes do not match."""
    try:
        return shlex.split(command)
    except ValueError:
        return [command]


def _too_old(compiler: Compiler) -> bool:
    # A compiler named in CXX is the user's choice; a clang that was merely found has to be good.
    if compiler.why in _ASKED_FOR or compiler.kind != "clang":
        return False
    release = compiler.version.split(".")[0]
    return release.isdigit() and int(release) < OLDEST_CLANG


def find_ziglang() -> str:
    """Return the zig program inside the ziglang wheel, "" when that is not installed.

    `python -m ziglang` would cost the start of an interpreter for every kernel.
    """
    from importlib.machinery import PathFinder  # clang comes first; importlib.util would import contextlib too

    hidden = "ziglang" in sys.modules and sys.modules["ziglang"] is None
    spec = None if hidden else PathFinder.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        program = os.path.join(folder, "zig")
        if os.access(program, os.X_OK):
            return program
    return ""


def examine(command: list[str], why: str, cache: Cache, retry: bool = False) -> tuple[Compiler | None, str]:
    """Return the compiler behind `command`, or None and why it cannot be used; `retry` forgets old failures."""
    program = which(command[0]) if command else ""
    if not program:
        return None, _MISSING
    command = [program, *command[1:]]
    status = os.stat(program)  # through links: a new compiler behind the old name is a new compiler
    identity = f"{shlex.join(command)} {os.path.realpath(program)} {status.st_mtime_ns} {status.st_size}"
    answer = _remembered(identity, cache, retry)
    if answer is None:
        answer = _ask_once(command, identity, cache, retry)
    kind, version, problem = answer
    return (None, problem) if problem else (Compiler(tuple(command), kind, version, why, identity), "")


def _remembered(identity: str, cache: Cache, retry: bool) -> tuple[str, str, str] | None:
    answer = dict(cache.read_note(_NOTE)).get(identity, "")
    if answer.count("|") < 3:
        return None
    kind, version, time_asked, problem = answer.split("|", 3)
    if problem and (retry or not time_asked.isdigit() or time.time() - int(time_asked) > _FAILURE_SECONDS):
        return None
    return kind, version, problem


def _ask_once(command: list[str], identity: str, cache: Cache, retry: bool) -> tuple[str, str, str]:
    """Ask a compiler, one process at a time: of many that start at once, the first asks, the others read its note."""
    from cuda_shim.cache import entries

    try:
        entries.make(cache, cache.path())
    except BackendNotFound:  # a cache that cannot be used has no note either
        return _ask(command, cache)
    with entries.lock(cache, cache.path(_NOTE), "waiting for another process that tries the C++ compiler …"):
        answer = _remembered(identity, cache, retry)
        if answer is None:
            answer = _ask(command, cache)
            kind, version, problem = answer
            entries.write_note(cache, _NOTE, [(identity, f"{kind}|{version}|{time.time():.0f}|{problem}")])
        return answer


def which(name: str) -> str:
    """Return the absolute path of a program, "" when it is not on PATH (shutil's costs 4 ms to import)."""
    folders = [""] if os.path.dirname(name) else filter(None, os.environ.get("PATH", DEFAULT_PATH).split(os.pathsep))
    for folder in folders:
        path = os.path.abspath(os.path.join(folder, name))
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return ""


def _ask(command: list[str], cache: Cache) -> tuple[str, str, str]:
    """(kind, version, problem) from the compiler itself: its version text, then a small program."""
    import tempfile

    # Set for every compiler: only the answer identifies zig, and zig does not answer without a home.
    variables = zig_environment("zig", cache)
    code, text = _run([*command, "--version"], variables)
    if code != 0:
        return "gcc", "", _shorten(text)
    kind, version = _identify(command, text)
    try:
        with tempfile.TemporaryDirectory(prefix="cuda_shim-") as folder:
            trial = os.path.join(folder, "trial.cpp")
            with open(trial, "w", encoding="utf-8") as file:
                file.write(_TRIAL)
            # Not -fsyntax-only: zig fails on it, after a minute.
            arguments = ["-std=c++17", "-c", trial, "-o", f"{trial}.o"]
            code, text = _run([*command, *arguments], variables)
    except OSError:
        return kind, version, ""  # nowhere to write a trial (a full disk): the build itself will report that
    return kind, version, _shorten(text) if code else ""


def _identify(command: list[str], text: str) -> tuple[str, str]:
    kind = kind_of(command, text)
    if kind == "gcc":
        numbers = re.findall(r"\d+\.\d+(?:\.\d+)*", text.splitlines()[0] if text else "")
        return kind, numbers[-1] if numbers else "unknown"
    clang = re.search(r"clang version (\d+(?:\.\d+)*)", text)
    version = _zig_version(command) if kind == "zig" else ""
    return kind, version or (clang[1] if clang else "unknown")


def kind_of(command: list[str], answer: str) -> str:
    """Return clang, gcc or zig by a command and its answer to --version. The C++ side has the same rule."""
    if "zig" in os.path.basename(command[0]) or "ziglang" in command:
        return "zig"
    return next((kind for kind, text in COMPILER_ANSWERS if text in answer), "gcc")


def _zig_version(command: list[str]) -> str:
    # `zig c++ --version` answers with the version of its clang.
    if "c++" not in command:
        return ""
    code, text = _run([*command[: command.index("c++")], "version"])
    return text.strip() if code == 0 and re.fullmatch(r"[\w.+-]+", text.strip()) else ""


def zig_environment(kind: str, cache: Cache) -> dict[str, str]:
    """Return variables that keep zig's own cache in ours: its default may be in a home that cannot be written.

    Without a folder that it can write zig does nothing at all: where ours is read-only or refused, it gets one of the
    user's own among the temporary files. Raises BackendNotFound where there is none either.
    """
    if kind != "zig" or os.environ.get("ZIG_GLOBAL_CACHE_DIR"):
        return {}
    return {"ZIG_GLOBAL_CACHE_DIR": _private_zig_folder(cache)}


def _private_zig_folder(cache: Cache) -> str:
    """Create the folder before zig does, which would make the whole cache as the umask has it, writable by a group."""
    if cache.can_be_written():
        try:
            return _make_zig_folder(cache)
        except BackendNotFound:  # loading from a refused cache reports the reason; zig itself can work elsewhere
            pass
    import tempfile

    return _make_zig_folder(Cache(os.path.join(tempfile.gettempdir(), f"cuda-shim-{os.geteuid()}"), cache.setting))


def _make_zig_folder(cache: Cache) -> str:
    folder = cache.path("zig")
    if not cache.trusts(folder):
        from cuda_shim.cache import entries  # only the first run needs the modules that it imports

        entries.make(cache, folder)
    return folder


def build(compiler: Compiler, cache: Cache, arguments: Iterable[str], what: str, folder: str | None = None) -> None:
    """Run a compiler that builds a library, in `folder`. Raises BackendNotFound with its output where it fails.

    The library gets none of C++: zig would first build its own, which takes minutes.
    """
    import subprocess
    import tempfile

    without = ["-nostdlib++"] if compiler.kind == "zig" else []
    command = [*compiler.command, *without, *arguments]
    with tempfile.TemporaryDirectory(prefix="cuda_shim-") as local:
        # Two zigs that compile a file of one name and text at once get into each other's way in a folder they share.
        own = {**zig_environment(compiler.kind, cache), "ZIG_LOCAL_CACHE_DIR": local}
        log_command(command)
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", env=compiler_environment(own), cwd=folder, check=False,
        )  # fmt: skip
    if done.returncode:
        raise BackendNotFound(f"{compiler} could not build {what}:\n{done.stdout[:4000]}")


def _run(command: list[str], variables: dict[str, str] | None = None) -> tuple[int, str]:
    import subprocess

    log_command(command)
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            env=compiler_environment(variables or {}),
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=_ASK_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return -1, f"did not answer within {_ASK_SECONDS} s"
    except OSError as error:
        return -1, str(error.strerror)
    return done.returncode, done.stdout + done.stderr


def _shorten(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line]
    return (errors or lines or ["it failed without a word"])[0].replace("\t", " ")
