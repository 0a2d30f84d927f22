"""The Clang and the linker within ziglang, as they are called for AMD's targets: the one place for hiprtc's command line."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests import newer_zig

#: HIP's version in ROCm 7.2.2, which hiprtc defines for every program.
HIP_VERSION = (7, 2, 53211)


class RefusedError(Exception):
    """A tool ended with an error; the text is its log."""


def device_words(target: str) -> list[str]:
    """Return the words that make Clang compile a HIP program for a target as hiprtc does, by default as C++14."""
    major, minor, patch = HIP_VERSION
    return [
        "-x", "hip", "--cuda-device-only", f"--offload-arch={target}", "-nogpuinc", "-nogpulib", "-nostdinc", "-mcumode",
        f"--hip-version={major}.{minor}.{patch}", f"-DHIP_VERSION_MAJOR={major}", f"-DHIP_VERSION_MINOR={minor}",
        f"-DHIP_VERSION_PATCH={patch}", "-D__HIPCC_RTC__", "-std=c++14",
    ]  # fmt: skip


def run(tool: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `clang` or `ld.lld`, and return the finished process."""
    return subprocess.run(
        [newer_zig.program(), tool, *map(str, words)],
        capture_output=True, encoding="utf-8", errors="replace", stdin=subprocess.DEVNULL, timeout=300, check=False,
    )  # fmt: skip


def output(tool: str, *words: str | Path) -> str:
    """Run `clang` or `ld.lld`, and return its output. Raises RefusedError with its log."""
    done = run(tool, *words)
    if done.returncode != 0:
        raise RefusedError(done.stderr)
    return done.stdout


def code_object(assembly: Path, target: str) -> bytes:
    """Assemble and link machine code, beside which the files come. Raises RefusedError with the log."""
    relocatable, linked = assembly.with_suffix(".o"), assembly.with_suffix(".co")
    # Clang's own driver calls a linker by a name that the wheel does not have.
    output("clang", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-c", "-o", relocatable, assembly)
    output("ld.lld", "-shared", "-o", linked, relocatable)
    return linked.read_bytes()
