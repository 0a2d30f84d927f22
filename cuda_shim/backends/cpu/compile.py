"""Compiling the C++ runtime into one cache entry. Imported only when something is to be built."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cuda_shim.backends.cpu import compilers, sources, zig_library
from cuda_shim.backends.cpu.batches import Batch, batches
from cuda_shim.backends.cpu.compilers import Compiler
from cuda_shim.backends.cpu.progress import Progress
from cuda_shim.cache.built import draft
from cuda_shim.cache.folder import Cache
from cuda_shim.errors import BackendNotFound
from cuda_shim.log import log_command
from cuda_shim.notices import notify

__all__ = ["build_entry", "cores"]

# -g0: zig writes debug information unless told otherwise, which takes a third of the time.
_COMPILE = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-g0")
# zig builds libraries of its own while it links, anew for other options than these.
_LINK = ("-O2", "-g0", "-shared", "-Wl,-S")
_SHOWN_LINES = 40
# What a build takes, for the line that says so: seconds of one core.
_SECONDS = {"clang": 28, "gcc": 26, "zig": 50}
# A program may have loaded an older libstdc++ than the compiler's (conda brings its own), so the libraries
# carry theirs; where the static library is not installed they are linked in the ordinary way.
_OWN_CXX_LIBRARY = ("-static-libstdc++", "-static-libgcc")
# Only HIP's functions are visible. Visibility flags alone leave the templates of std in sight, which the
# dynamic linker would then share with whatever other C++ library the program has.
_EXPORTS = "{ global: hip*; local: *; };\n"


def build_entry(folder: str, compiler: Compiler, cache: Cache) -> None:
    """Build both libraries into `folder`, which appears complete or not at all. The caller holds its lock.

    Raises BackendNotFound with the compiler's own words when it fails.
    """
    entry = Path(folder)
    name = f"{compiler.kind} {compiler.version}"
    notify(f"building the CPU-hosted HIP runtime with {name} (once, {_time(compiler)}) …")
    with draft(entry, cache) as work:
        seen = sources.signature(sources.runtime_folder())
        _Build(work, compiler, cache).run()
        if sources.signature(sources.runtime_folder()) != seen:
            raise BackendNotFound("the HIP runtime's sources changed while they were compiled: run again")


def _time(compiler: Compiler) -> str:
    seconds = _SECONDS[compiler.kind] / cores()
    return f"about {max(5, round(seconds / 5) * 5)} s"


class _Build:
    """One run of the compiler over all batches of units, as many at once as there are cores."""

    def __init__(self, work: Path, compiler: Compiler, cache: Cache) -> None:
        self.work = work
        self.compiler = compiler
        self.cache = cache
        self.folder = Path(sources.runtime_folder())
        self.objects = work / "objects"
        self.exports = self.objects / "exports"
        self.running: set[subprocess.Popen[str]] = set()
        self.guard = threading.Lock()
        self.stopped = False
        # The compiler's own temporary files go into the draft too: they are removed with it after a kill.
        own = {"LC_ALL": "C", "TMPDIR": str(work), **compilers.zig_environment(compiler.kind, cache)}
        self.environment = {**os.environ, **own}

    def run(self) -> None:
        libraries = sources.library_sources(str(self.folder))
        for folder in (self.objects, self.work / "lib"):
            folder.mkdir(mode=0o700)
        self.exports.write_text(_EXPORTS, encoding="ascii")
        made = batches({unit for group in libraries.values() for unit in group})
        zig_parts = zig_library.parts(self.compiler.command[0]) if self.compiler.kind == "zig" else []
        progress = Progress(sum(len(batch.units) for batch in made))
        with ThreadPoolExecutor(max_workers=cores()) as pool:
            try:
                ready = pool.submit(self._prepare_zig) if zig_parts else None
                others = [pool.submit(self._compile_part, part) for part in zig_parts]
                ordered = sorted(made, key=lambda batch: batch.size, reverse=True)
                for batch in pool.map(self._compile, ordered):
                    progress.step(len(batch.units))
                with_zig = [part.result() for part in others]
                own = with_zig if ready is not None and ready.result() and all(with_zig) else []
                list(pool.map(lambda library: self._link(library, libraries[library], made, own), libraries))
            except BaseException:
                self._stop()
                raise
            finally:
                progress.end()
        shutil.rmtree(self.objects)

    def _compile(self, batch: Batch) -> Batch:
        source = self.objects / f"{batch.name}.cpp"
        source.write_text(batch.text, encoding="utf-8")
        level = "-O2" if batch.hot else "-O1"
        self._must([level, *_COMPILE, f"-I{self.folder}", "-c", str(source), "-o", str(self._object(batch))])
        return batch

    def _compile_part(self, part: zig_library.Part) -> str:
        """Return the object of a part of zig's C++ library; "" where this zig's does not compile like that."""
        source, target = self.objects / f"{part.name}.cpp", self.objects / f"{part.name}.o"
        source.write_text(part.text, encoding="utf-8")
        code, _ = self._try([*part.flags, "-g0", "-c", str(source), "-o", str(target)])
        return "" if code else str(target)

    def _prepare_zig(self) -> bool:
        """Have zig build what it adds to all that it links, while the compilers run: whether it can link like this."""
        source = self.objects / "nothing.cpp"
        source.write_text("", encoding="utf-8")
        target = str(self.objects / "nothing.so")
        return self._try([*_LINK, str(source), "-o", target, *zig_library.LINK])[0] == 0

    def _object(self, batch: Batch) -> Path:
        return self.objects / f"{batch.name}.o"

    def _link(self, library: str, units: list[Path], made: list[Batch], zig_objects: list[str]) -> None:
        target = self.work / "lib" / library
        objects = [str(self._object(batch)) for batch in made if batch.units[0] in units]
        # -z defs: a missing function is to fail here, not in the user's program.
        arguments = [*_LINK, *objects, "-o", str(target)]
        arguments += [f"-Wl,-soname,{library}", f"-Wl,--version-script={self.exports}"]
        arguments += ["-Wl,-z,defs", "-ldl", "-lpthread"]
        # zig links its own libc++ statically in any case.
        if zig_objects:
            first = [*zig_objects, *arguments, *zig_library.LINK]
        elif self.compiler.kind == "zig":
            first = arguments
        else:
            first = [*_OWN_CXX_LIBRARY, *arguments]
        if self._try(first)[0] != 0:
            self._must(arguments)
        target.chmod(0o700)

    def _must(self, arguments: list[str]) -> None:
        code, text = self._try(arguments)
        if code != 0 and not self.stopped:
            raise BackendNotFound(self._explain(arguments, text))

    def _try(self, arguments: list[str]) -> tuple[int, str]:
        command = [*self.compiler.command, *arguments]
        log_command(command)
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
            advice = f"free some space below {self.cache.root}, or set {self.cache.setting} to a folder elsewhere"
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


def cores() -> int:
    """Return the cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
