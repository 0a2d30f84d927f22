"""Compiling the C++ sources into libamdhip64.so and libhiprtc.so. Imported only when they are to be built."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hip_on_host import sources, zig_library
from hip_on_host.batches import Batch, batches
from hip_on_host.compiler_environment import compiler_environment
from hip_on_host.progress import Progress

__all__ = ["COMPILE", "BuildError", "build", "cores", "expected_seconds"]

#: Flags for compiling each batch.
# -g0: zig writes debug information unless it is forbidden, which takes a third of the time.
COMPILE = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-g0")
# zig builds libraries of its own while it links, once for each set of options.
_LINK = ("-O2", "-g0", "-shared", "-Wl,-S")
# Seconds of one core for a build, by the kind of compiler.
_SECONDS = {"clang": 90, "gcc": 95, "zig": 200}
# A program may have loaded an older libstdc++ than the compiler's (conda brings its own), so the libraries
# carry their own; where the static library is not installed they are linked in the ordinary way.
_OWN_CXX_LIBRARY = ("-static-libstdc++", "-static-libgcc")
# Only HIP's functions are visible. Visibility flags alone leave the templates of std in sight, which the
# dynamic linker would then share with any other C++ library of the program.
_EXPORTS = "{ global: hip*; local: *; };\n"


class BuildError(Exception):
    """A step of the build failed.

    Attributes:
        command: the words of the compiler's command; none where no command failed.
        output: the command's output, or the reason.
    """

    def __init__(self, command: Sequence[str], output: str) -> None:
        super().__init__(f"{' '.join(command)}\n{output}" if command else output)
        self.command = list(command)
        self.output = output


def build(
    folder: Path,
    compiler: Sequence[str],
    kind: str,
    variables: Mapping[str, str] | None = None,
    started: Callable[[Sequence[str]], None] = lambda _: None,
    prefix: str = "",
) -> None:
    """Build both libraries into the folder `lib` of an existing folder.

    Args:
        folder: the parent of the new `lib`; the compilers' temporary files go there too, and are removed.
        compiler: the words of a C++17 compiler's command.
        kind: clang, gcc or zig.
        variables: variables to add to the compilers' environment.
        started: is called with each command before it is started.
        prefix: the beginning of the line that counts on a watched terminal.

    Raises:
        BuildError: a step failed, or the sources changed meanwhile.
    """
    signature = sources.signature(sources.source_folder())
    _Build(folder, compiler, kind, variables or {}, started, prefix).run()
    if sources.signature(sources.source_folder()) != signature:
        raise BuildError([], "the HIP runtime's sources changed while they were compiled: run again")


def expected_seconds(kind: str) -> float:
    """Return about how many seconds a build takes on this machine's cores."""
    return _SECONDS[kind] / cores()


class _Build:
    """One run of the compiler over all batches of units, as many at once as there are cores."""

    def __init__(
        self,
        work: Path,
        compiler: Sequence[str],
        kind: str,
        variables: Mapping[str, str],
        started: Callable[[Sequence[str]], None],
        prefix: str,
    ) -> None:
        self.work = work
        self.compiler = list(compiler)
        self.kind = kind
        self.started = started
        self.prefix = prefix
        self.folder = Path(sources.source_folder())
        self.objects = work / "objects"
        self.exports = self.objects / "exports"
        self.running: set[subprocess.Popen[str]] = set()
        self.guard = threading.Lock()
        self.stopped = False
        # The compiler's own temporary files go into the folder too: after a kill they are removed with it.
        self.environment = compiler_environment({"TMPDIR": str(work), **variables})

    def run(self) -> None:
        libraries = sources.library_sources(str(self.folder))
        for folder in (self.objects, self.work / "lib"):
            folder.mkdir(mode=0o700)
        self.exports.write_text(_EXPORTS, encoding="ascii")
        unity_batches = batches({unit for group in libraries.values() for unit in group})
        zig_parts = zig_library.parts(self.compiler[0]) if self.kind == "zig" else []
        progress = Progress(sum(len(batch.units) for batch in unity_batches), self.prefix)
        with ThreadPoolExecutor(max_workers=cores()) as pool:
            try:
                ready = pool.submit(self._prepare_zig) if zig_parts else None
                zig_jobs = [pool.submit(self._compile_part, part) for part in zig_parts]
                ordered = sorted(unity_batches, key=lambda batch: batch.size, reverse=True)
                for batch in pool.map(self._compile, ordered):
                    progress.step(len(batch.units))
                compiled_parts = [part.result() for part in zig_jobs]
                zig_objects = compiled_parts if ready is not None and ready.result() and all(compiled_parts) else []
                list(
                    pool.map(
                        lambda library: self._link(library, libraries[library], unity_batches, zig_objects), libraries
                    )
                )
            except BaseException:
                self._stop()
                raise
            finally:
                progress.end()
        shutil.rmtree(self.objects)

    def _compile(self, batch: Batch) -> Batch:
        source = self.objects / f"{batch.name}.cpp"
        source.write_text(batch.text, encoding="utf-8")
        level = "-O2" if batch.optimized else "-O1"
        self._must([level, *COMPILE, f"-I{self.folder}", "-c", str(source), "-o", str(self._object(batch))])
        return batch

    def _compile_part(self, part: zig_library.Part) -> str:
        """Return the object of a part of zig's C++ library; "" where this zig's does not compile like that."""
        source, target = self.objects / f"{part.name}.cpp", self.objects / f"{part.name}.o"
        source.write_text(part.text, encoding="utf-8")
        code, _ = self._try([*part.flags, "-g0", "-c", str(source), "-o", str(target)])
        return "" if code else str(target)

    def _prepare_zig(self) -> bool:
        """Have zig build its own parts of every library, while the compilers run; return whether it can link so."""
        source = self.objects / "nothing.cpp"
        source.write_text("", encoding="utf-8")
        target = str(self.objects / "nothing.so")
        return self._try([*_LINK, str(source), "-o", target, *zig_library.LINK])[0] == 0

    def _object(self, batch: Batch) -> Path:
        return self.objects / f"{batch.name}.o"

    def _link(self, library: str, units: list[Path], unity_batches: list[Batch], zig_objects: list[str]) -> None:
        target = self.work / "lib" / library
        objects = [str(self._object(batch)) for batch in unity_batches if batch.units[0] in units]
        # -z defs: a missing function is to fail here, not in the user's program.
        arguments = [*_LINK, *objects, "-o", str(target)]
        arguments += [f"-Wl,-soname,{library}", f"-Wl,--version-script={self.exports}"]
        arguments += ["-Wl,-z,defs", "-ldl", "-lpthread"]
        # zig links its own libc++ statically in any case.
        if zig_objects:
            preferred = [*zig_objects, *arguments, *zig_library.LINK]
        elif self.kind == "zig":
            preferred = arguments
        else:
            preferred = [*_OWN_CXX_LIBRARY, *arguments]
        if self._try(preferred)[0] != 0:
            self._must(arguments)
        target.chmod(0o700)

    def _must(self, arguments: list[str]) -> None:
        code, text = self._try(arguments)
        if code != 0 and not self.stopped:
            raise BuildError([*self.compiler, *arguments], text)

    def _try(self, arguments: list[str]) -> tuple[int, str]:
        command = [*self.compiler, *arguments]
        self.started(command)
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


def cores() -> int:
    """Return the cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
