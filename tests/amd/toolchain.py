"""AMD's compile pipeline of today without ROCm: hiprtc's built-in header of ROCm 7.2.2, and the Clang within ziglang.

The header comes out of a wheel of AMD's (`rocm-llvm-python`), which holds it for every Python although its modules are
for one. Clang knows AMD's targets; ROCm 7.2's compiler is a development version of the same LLVM release. A program
goes in as hiprtc is given it, and machine code comes out, so that an instruction which a target lacks is found too.
Device libraries are not linked: undefined symbols here are functions of theirs.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import filelock
import uv

from cuda_shim.adapters.ptx import _limit
from cuda_shim.translate import headers as provided
from cuda_shim.translate.options import to_hiprtc
from cuda_shim.translate.ptx.writer import OPTIONS as PTX_OPTIONS
from cuda_shim.translate.ptx.writer import translate
from cuda_shim.translate.source import to_hip
from tests import newer_zig
from tests.amd import zig
from tests.environments import missing

ROCM = "7.2.2"
WHEEL = "rocm-llvm-python==7.2.2.562.46"
_IN_WHEEL = Path("rocm", "amd_comgr", "hiprtc_runtime.h")

#: A card of each family: data-center GPUs with waves of 64 (the second without image units), and RDNA 2, 3 and 4.
TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201")

NEXT_NAMES = Path(__file__).with_name("next_header.h")


#: Depths to which a program is compiled: to machine code as hiprtc optimises it; to machine code in less time; to
#: unoptimised intermediate code, which checks that the target has the features that built-in functions need; or as far
#: as names and types go.
OPTIMISED_CODE = ("-O3", "-S")
MACHINE_CODE = ("-O1", "-S")
INTERMEDIATE_CODE = ("-O1", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes")
NAMES_AND_TYPES = ("-O1", "-fsyntax-only")


class Outcome(NamedTuple):
    """A compilation's exit status, and the compiler's messages."""

    status: int
    log: str


def rocm_header(folder: Path) -> Path:
    """Return the built-in header, which is fetched once a test run. Skips the test where it cannot be had, but not in CI."""
    header = folder / "rocm-header" / _IN_WHEEL.name
    with filelock.FileLock(folder / "rocm-header.lock"):
        if not header.exists():
            unpacked = folder / "rocm-wheel"
            command = [
                uv.find_uv_bin(), "pip", "install", "--quiet", "--target", unpacked, "--no-deps", "--only-binary", ":all:",
                "--python-version", "3.12", "--python-platform", "x86_64-manylinux_2_28", WHEEL,
            ]  # fmt: skip
            done = subprocess.run(list(map(str, command)), capture_output=True, encoding="utf-8", check=False)
            if done.returncode:
                missing(f"{WHEEL} cannot be fetched: {done.stderr.strip()}")
            header.parent.mkdir()
            shutil.copyfile(unpacked / _IN_WHEEL, header)
            shutil.rmtree(unpacked)
    return header


def next_header(folder: Path) -> Path:
    """Return the header as AMD's next releases are to have it: with the names of `next_header.h` as well."""
    header = folder / "next-header" / _IN_WHEEL.name
    with filelock.FileLock(folder / "next-header.lock"):
        if not header.exists():
            header.parent.mkdir()
            header.write_bytes(rocm_header(folder).read_bytes() + NEXT_NAMES.read_bytes())
    return header


class Compiler:
    """Compiles for AMD's targets with one built-in header, which is read once for each target, set of options and level of optimisation."""

    def __init__(self, header: Path) -> None:
        newer_zig.program()  # skips the test where there is none
        self._header = header

    def compile(
        self,
        source: bytes,
        name: bytes,
        target: str,
        *,
        folder: Path,
        headers: Mapping[bytes, bytes] | None = None,
        options: Sequence[bytes] = (),
        kernels: Iterable[bytes] = (),
        depth: Sequence[str] = MACHINE_CODE,
    ) -> Outcome:
        """Translate a CUDA program and its options as the NVRTC adapter does, and compile the source that hiprtc would
        get.

        `kernels` are name expressions, which instantiate templates. `folder` is an empty one for this program.
        """
        translated = to_hip(source, name, list((headers or {}).items()), architecture=target)
        found = to_hiprtc([b"-arch=compute_80", *options], architecture=target)
        assert found.refused is None, found.refused
        # hiprtc puts variables behind the source, which hold the addresses.
        named = b'\n#line 1 "name_expressions"\n' + b"".join(
            b"static __device__ __attribute__((used)) const void* name_expression_%d = (const void*)(%s);\n" % pair
            for pair in enumerate(kernels)
        )
        return self.compile_translated(
            translated.source + named, translated.headers, found.options, target, folder=folder, depth=depth
        )

    def compile_ptx(
        self, text: str, name: bytes, target: str, *, folder: Path, depth: Sequence[str] = MACHINE_CODE
    ) -> Outcome:
        """Translate a PTX module as the module adapter does, and compile it."""
        translation = translate(text)
        limit = _limit(translation, target)
        if limit is not None:
            return Outcome(1, limit.message(name.decode()))
        texts = provided.texts(["cuda_shim/ptx_module.h", "cuda_shim/ptx_threads.h", "cuda_shim/ptx_groups.h"], set())
        program = to_hip(translation.source_for_amd().encode(), name, texts, architecture=target)
        options = [*PTX_OPTIONS, b"-std=c++17", b"--offload-arch=" + target.encode()]
        return self.compile_translated(program.source, program.headers, options, target, folder=folder, depth=depth)

    def compile_translated(
        self,
        source: bytes,
        headers: Iterable[tuple[bytes, bytes]],
        options: Sequence[bytes],
        target: str,
        *,
        folder: Path,
        depth: Sequence[str] = MACHINE_CODE,
    ) -> Outcome:
        """Compile a program as hiprtc does, with its options."""
        includes = folder / "include"
        for header, text in headers:
            place = includes / header.decode()
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text)
        program = folder / "program.hip"
        program.write_bytes(source)
        words = [option.decode() for option in options]
        # The depth's level of optimisation is the one that counts.
        level, *_ = depth
        language = [*(word for word in words if word.startswith(("-std", "-f", "-m", "-O"))), level]
        done = clang(
            target, *words, "-Xclang", "-include-pch", "-Xclang", str(self._precompiled(target, language)), "-I", str(includes),
            *depth, "-o", str(folder / "program.s"), str(program),
        )  # fmt: skip
        return Outcome(done.returncode, (done.stdout + done.stderr).replace(f"{folder}/", ""))

    def _precompiled(self, target: str, language: Sequence[str]) -> Path:
        key = hashlib.sha256(repr((target, language)).encode()).hexdigest()[:16]
        precompiled = self._header.parent / f"{key}.pch"
        with filelock.FileLock(precompiled.with_suffix(".lock")):
            if not precompiled.exists():
                # Another process may look for the file while it is written.
                part = precompiled.with_suffix(".part")
                done = clang(target, *language, "-S", "-Xclang", "-emit-pch", "-o", str(part), str(self._header))
                assert done.returncode == 0, done.stderr
                part.rename(precompiled)
        return precompiled


def clang(target: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Clang for a target as hiprtc does, and report all errors."""
    quiet = ("-ferror-limit=0", "-Wno-gnu-line-marker", "-Wno-missing-prototypes")
    return zig.run("clang", *zig.device_words(target), *quiet, *words)
