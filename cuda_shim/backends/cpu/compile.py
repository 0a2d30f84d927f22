"""Compiling the C++ runtime into one cache entry. Imported only when something is to be built."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cuda_shim import backends
from cuda_shim.backends.cpu import cache, cache_files, compilers, precompiled, sources
from cuda_shim.backends.cpu.compilers import Compiler
from cuda_shim.backends.cpu.progress import Progress
from cuda_shim.errors import BackendNotFound

__all__ = ["build_entry"]

_COMPILE = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra")
_SHOWN_LINES = 40
# What a build takes, for the line that says so: seconds once (zig builds its C++ library), and seconds of one
# core for each unit.
_SECONDS = {"clang": (0, 0.25), "gcc": (0, 0.35), "zig": (90, 0.6)}
# A program may have loaded an older libstdc++ than the compiler's (conda brings its own), so the libraries
# carry theirs; where the static library is not installed they are linked in the ordinary way.
_OWN_CXX_LIBRARY = ("-static-libstdc++", "-static-libgcc")
# Only HIP's functions are visible. Visibility flags alone leave the templates of std in sight, which the
# dynamic linker would then share with whatever other C++ library the program has.
_EXPORTS = "{ global: hip*; local: *; };\n"


def build_entry(folder: str, compiler: Compiler) -> None:
    """Build both libraries into `folder`, which appears complete or not at all. The caller holds its lock.

    Raises BackendNotFound with the compiler's own words when it fails.
    """
    entry = Path(folder)
    name = f"{compiler.kind} {compiler.version}"
    backends.tell(f"building the CPU-hosted HIP runtime with {name} (once, {_time(compiler)}) …")
    try:
        _remove_leftovers(entry)
        work = Path(tempfile.mkdtemp(prefix=_draft_prefix(entry), dir=entry.parent))
    except OSError as error:
        raise cache_files.cannot_write(error) from None
    try:
        seen = sources.signature(sources.runtime_folder())
        _Build(work, compiler).run()
        if sources.signature(sources.runtime_folder()) != seen:
            raise BackendNotFound("the HIP runtime's sources changed while they were compiled: run again")
        os.rename(work, entry)
    except OSError as error:
        raise cache_files.cannot_write(error) from None
    finally:
        shutil.rmtree(work, ignore_errors=True)  # gone already when all went well


def _time(compiler: Compiler) -> str:
    units = {unit for group in sources.library_sources(sources.runtime_folder()).values() for unit in group}
    once, each = _SECONDS[compiler.kind]
    seconds = once + each * len(units) / cores()
    return f"about {max(5, round(seconds / 5) * 5)} s"


def _draft_prefix(entry: Path) -> str:
    return f".{entry.name}."


def _remove_leftovers(entry: Path) -> None:
    """Remove what a killed build left; nobody else writes there, since the lock is ours."""
    for draft in entry.parent.glob(f"{_draft_prefix(entry)}*"):
        if draft.is_dir():
            shutil.rmtree(draft, ignore_errors=True)
    if entry.exists():
        shutil.rmtree(entry)  # somebody took a file out of it


class _Build:
    """One run of the compiler over all translation units, as many at once as there are cores."""

    def __init__(self, work: Path, compiler: Compiler) -> None:
        self.work = work
        self.compiler = compiler
        self.folder = Path(sources.runtime_folder())
        self.objects = work / "objects"
        self.exports = self.objects / "exports"
        self.running: set[subprocess.Popen[str]] = set()
        self.guard = threading.Lock()
        self.stopped = False
        # The compiler's own temporary files go into the draft too: they are removed with it after a kill.
        own = {"LC_ALL": "C", "TMPDIR": str(work), **compilers.zig_environment(compiler.kind)}
        self.environment = {**os.environ, **own}

    def run(self) -> None:
        libraries = sources.library_sources(str(self.folder))
        for folder in (self.objects, self.work / "lib"):
            folder.mkdir(mode=0o700)
        self.exports.write_text(_EXPORTS, encoding="ascii")
        units = {unit for group in libraries.values() for unit in group}
        progress = Progress(len(units))
        ordered = sorted(units, key=_size, reverse=True)
        by_folder: dict[Path, list[Path]] = {}
        for unit in ordered:
            by_folder.setdefault(unit.parent, []).append(unit)
        with ThreadPoolExecutor(max_workers=cores()) as pool:
            try:
                # Headers are submitted first, so that a unit only ever waits for one that is being made.
                headers = {at: pool.submit(self._precompile, group) for at, group in by_folder.items()}
                for _ in pool.map(lambda unit: self._compile(unit, headers[unit.parent].result()), ordered):
                    progress.step()
                list(pool.map(self._link, libraries, libraries.values()))
            except BaseException:
                self._stop()
                raise
            finally:
                progress.end()
        shutil.rmtree(self.objects)

    def _precompile(self, units: list[Path]) -> list[str]:
        """Arguments with which these units use shared headers; none where that does not work."""
        text = precompiled.header_text(units, self.compiler.kind)
        if not text:
            return []
        header = self.objects / f"{units[0].parent.name}.h"
        header.write_text(text, encoding="utf-8")
        made = self._try([*self._flags(units[0].parent), *precompiled.compile_arguments(header, self.compiler.kind)])
        return precompiled.use_arguments(header) if made[0] == 0 else []

    def _compile(self, unit: Path, shared: list[str]) -> None:
        arguments = ["-c", str(unit), "-o", str(self._object(unit))]
        if not shared or self._try([*self._flags(unit), *shared, *arguments])[0] != 0:
            self._must([*self._flags(unit), *arguments])

    def _flags(self, path: Path) -> list[str]:
        return ["-O2" if sources.is_hot(path) else "-O1", *_COMPILE, f"-I{self.folder}"]

    def _object(self, unit: Path) -> Path:
        return self.objects / (str(unit.relative_to(self.folder)).replace(os.sep, "-") + ".o")

    def _link(self, library: str, units: list[Path]) -> None:
        target = self.work / "lib" / library
        # -z defs: a missing function is to fail here, not in the user's program. -O2: zig builds its C++
        # library while it links, with these options.
        arguments = ["-O2", "-shared", *(str(self._object(unit)) for unit in units), "-o", str(target)]
        arguments += [f"-Wl,-soname,{library}", f"-Wl,--version-script={self.exports}"]
        arguments += ["-Wl,-z,defs", "-Wl,-S", "-ldl", "-lpthread"]
        # zig links its own libc++ statically in any case.
        if self.compiler.kind == "zig" or self._try([*_OWN_CXX_LIBRARY, *arguments])[0] != 0:
            self._must(arguments)
        target.chmod(0o700)

    def _must(self, arguments: list[str]) -> None:
        code, text = self._try(arguments)
        if code != 0 and not self.stopped:
            raise BackendNotFound(self._explain(arguments, text))

    def _try(self, arguments: list[str]) -> tuple[int, str]:
        command = [*self.compiler.command, *arguments]
        with self.guard:
            if self.stopped:
                return 1, "stopped"
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, errors="replace", env=self.environment, cwd=self.work,
            )  # fmt: skip
            self.running.add(process)
        text, _ = process.communicate()
        with self.guard:
            self.running.discard(process)
        return process.returncode, text

    def _stop(self) -> None:
        with self.guard:
            self.stopped = True
            for process in self.running:
                process.kill()

    def _explain(self, arguments: list[str], text: str) -> str:
        advice = "set CUDA_SHIM_CXX to another compiler, such as clang++ 17 or later"
        if "No space left on device" in text or "File too large" in text:
            advice = f"free some space below {cache.root()}, or set CUDA_SHIM_CACHE_DIR to a folder elsewhere"
        lines = text.splitlines()
        shown = lines[:_SHOWN_LINES]
        if len(lines) > _SHOWN_LINES:
            shown.append(f"… {len(lines) - _SHOWN_LINES} more lines")
        return "\n".join(
            [
                f"backend cpu: {self.compiler} could not build the HIP runtime: {advice}",
                f"  {shlex.join([*self.compiler.command, *arguments])}",
                *(f"  {line}" for line in shown),
            ]
        )


def _size(unit: Path) -> int:
    return unit.stat().st_size


def cores() -> int:
    """The cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
