"""AMD's machine code of translated programs, by the Clang within ziglang and hiprtc's own header.

HIPRTC_RUNTIME_H names the header, which AMD's wheel `rocm-llvm-python` has (rocm/amd_comgr/hiprtc_runtime.h). Device
libraries are not linked: their functions are calls.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from cuda_shim.translate import headers as provided
from cuda_shim.translate.options import to_hiprtc
from cuda_shim.translate.ptx.writer import OPTIONS, translate
from cuda_shim.translate.source import to_hip

HEADER = os.environ.get("HIPRTC_RUNTIME_H")

needs_header = pytest.mark.skipif(HEADER is None, reason="HIPRTC_RUNTIME_H does not name hiprtc's built-in header")


def of_program(source: str, target: str, folder: Path, *extra: str, options: Sequence[bytes] = ()) -> str:
    """The assembly of a CUDA C++ program."""
    translated = to_hip(source.encode(), b"k.cu", [], architecture=target)
    found = to_hiprtc(options, architecture=target)
    assert found.refused is None, found.refused
    words = [option.decode() for option in found.options]
    return _assembly(translated.source, translated.headers, target, folder, *words, *extra)


def of_ptx(text: str, target: str, folder: Path) -> str:
    """The assembly of a PTX module."""
    needed = ["cuda_shim/ptx_module.h", "cuda_shim/ptx_threads.h"]
    program = to_hip(translate(text).source.encode(), b"m", provided.texts(needed, set()), architecture=target)
    words = [option.decode() for option in OPTIONS]
    return _assembly(program.source, program.headers, target, folder, "-std=c++17", *words)


def instructions(assembly: str, pattern: str) -> list[str]:
    """The lines of machine code that hold a pattern, without their blanks."""
    return [line.strip() for line in assembly.splitlines() if re.search(pattern, line)]


def _assembly(source: bytes, headers: Sequence[tuple[bytes, bytes]], target: str, folder: Path, *options: str) -> str:
    for name, text in headers:
        place = folder / name.decode()
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text)
    program, assembly = folder / "program.hip", folder / "program.s"
    program.write_bytes(source)
    done = subprocess.run(
        [
            sys.executable, "-m", "ziglang", "clang", "-x", "hip", "--cuda-device-only", f"--offload-arch={target}",
            "-nogpuinc", "-nogpulib", "-nostdinc", "-O3", "--hip-version=7.2.53211", "-DHIP_VERSION_MAJOR=7",
            "-DHIP_VERSION_MINOR=2", "-DHIP_VERSION_PATCH=53211", "-D__HIPCC_RTC__", "-include", str(HEADER),
            "-Wno-gnu-line-marker", f"-I{folder}", *options, "-S", "-o", str(assembly), str(program),
        ],
        capture_output=True, encoding="utf-8", timeout=200, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return assembly.read_text(encoding="utf-8")
