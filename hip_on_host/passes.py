"""``python -m hip_on_host compile FILE --after PASS``: print what a pass of the kernel compiler leaves of a program."""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["PassError", "main", "text_after"]

_CUDA = 13050


class PassError(Exception):
    """The program does not come as far as that pass, or there is no such pass; the text is the compiler's log."""


def main(words: Sequence[str]) -> int:
    """Print the text; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m hip_on_host compile", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE", help="a program in CUDA C++")
    parser.add_argument("--after", required=True, metavar="PASS", help="its name; an unknown one lists them all")
    parser.add_argument(
        "--runtime",
        type=Path,
        default=os.environ.get("ROCM_PATH"),
        metavar="FOLDER",
        help="where python -m hip_on_host FOLDER has built the libraries (default: $ROCM_PATH)",
    )
    parser.add_argument("options", nargs="*", metavar="OPTION", help="options for hiprtc, behind --")
    chosen = parser.parse_args(words)
    if chosen.runtime is None:
        parser.error("name the folder of the libraries with --runtime, or in ROCM_PATH")
    try:
        source = chosen.file.read_bytes()
        library = ctypes.CDLL(str(chosen.runtime / "lib" / "libhiprtc.so"))
        print(text_after(library, chosen.after, source, chosen.file.name, chosen.options), end="")
    except (OSError, PassError) as error:
        print(f"hip_on_host: {error}", file=sys.stderr)
        return 1
    return 0


def text_after(
    hiprtc: ctypes.CDLL, after: str, source: bytes, name: str, options: Sequence[str] = (), *, cuda: int = _CUDA
) -> str:
    """Return what the pass `after` leaves of a program in the C++ of a CUDA release (13050: 13.5; 0: HIP's).

    Raises PassError.
    """
    program = ctypes.c_void_p()
    hiprtc.hiprtcCreateProgram(ctypes.byref(program), source, name.encode(), 0, None, None)
    try:
        given = [f"--cuda-shim-cuda={cuda}", f"--cuda-shim-after={after}", *options]
        words = (ctypes.c_char_p * len(given))(*[word.encode() for word in given])
        status = hiprtc.hiprtcCompileProgram(program, len(given), words)
        size = ctypes.c_size_t()
        hiprtc.hiprtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        hiprtc.hiprtcGetProgramLog(program, log)
        text = log.value.decode("utf-8", "surrogateescape")
    finally:
        hiprtc.hiprtcDestroyProgram(ctypes.byref(program))
    if status:
        raise PassError(text.rstrip("\n"))
    return _of_program(text, name)


def _of_program(text: str, name: str) -> str:
    """Return the text without the markers of preprocessors for what they read before the program."""
    marker = re.search(rf'^# 1 "{re.escape(name)}".*\n', text, re.MULTILINE)
    return text if marker is None else text[marker.end() :]
