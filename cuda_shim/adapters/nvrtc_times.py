"""The option -time: a table of the times that compilations took, in NVRTC's form, in a file or at the end of the log.

NVRTC has a row for each of its compiler's phases. HIP's compiler reports none, so a compilation has one row here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from cuda_shim.adapters.nvrtc_program import Program

__all__ = ["add_times", "file_of_times"]

_OPTION = re.compile(rb"\s*--?time=(.*)", re.DOTALL)
_HEADER = "File name, phase name, metric, unit\n"
_LOG = b"-"


def file_of_times(options: Sequence[bytes]) -> bytes | None:
    """Return the file that the options name for the times, `-` for the log; None without the option."""
    named = [found[1] for found in map(_OPTION.fullmatch, options) if found]
    return named[-1] if named else None


def add_times(program: Program, file: bytes, seconds: float, log: bytes) -> bool:
    """Add the time of a compilation to the log, which is `log` so far, or to a file; False if that is not writable."""
    row = f"{program.name}, HIP Compiler, {round(1000 * seconds)}, ms\n"
    if file == _LOG:
        text = f"\n{_HEADER}{row}".encode("utf-8", "surrogateescape")
        program.log = log.rstrip(b"\0") + text + b"\0"
        return True
    try:
        with open(os.fsdecode(file), "a", encoding="utf-8", errors="surrogateescape") as table:
            table.write(row if table.tell() else _HEADER + row)
    except OSError:
        program.refuse(f"nvrtc: error: failed to open file {os.fsdecode(file)} for writing!")
        return False
    return True
