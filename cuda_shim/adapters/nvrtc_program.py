"""NVRTC's programs by their handles: the facts of a program that hiprtc does not keep."""

from __future__ import annotations

import re
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.translate.program_texts import ProgramTexts

__all__ = ["DEFAULT_NAME", "Program", "enter", "program_at", "program_of", "remove"]

_TARGET = re.compile(rb"(?:compute|sm|lto)_(\d+[af]?)")

#: The name of a program that was made without one.
DEFAULT_NAME = b"default_program"
_FOR_LINKING = (b"-dlto", b"--dlink-time-opt")


class Program:
    """An NVRTC program.

    Attributes:
        texts: the source and headers of a program that includes headers, which are searched for when the options are
            known; else None.
        ptx_source: the source whose device functions PTX may call, None where it has none.
        target: the architecture that the options name, such as "sm_80"; None before a compilation for one.
        sources: the program and its headers, as their author wrote them, by name: logs show their lines.
        log: the log that replaces hiprtc's, with its closing NUL: one in NVRTC's form, that of options that were
            refused before hiprtc saw them, and of failures that hiprtc does not explain.
        failed: True if the last compilation failed. The program has no code then, though hiprtc may keep that of an
            earlier compilation, or of one that NVRTC would have refused.
        for_linking: True if the last compilation had the option -dlto, by which NVRTC makes LTO-IR alone.
        has_blank_name: True if a name expression is blank, with which no compilation succeeds.
        ptx: the text of nvrtcGetPTX, None before it is asked for.
    """

    def __init__(self) -> None:
        self.texts: ProgramTexts | None = None
        self.ptx_source: bytes | None = None
        self.sources: dict[bytes, bytes] = {}
        self.target: str | None = None
        self.log: bytes | None = None
        self.failed = self.for_linking = self.has_blank_name = False
        self.ptx: bytes | None = None

    @property
    def name(self) -> str:
        """The name that messages have for the program: the one that it was made with, or NVRTC's default."""
        return next(iter(self.sources), DEFAULT_NAME).decode("utf-8", "surrogateescape")

    def begin_compilation(self, options: Sequence[bytes]) -> None:
        """Drop the results of an earlier compilation; the last architecture among the options is the target."""
        self.log = self.ptx = None
        self.failed = False
        self.for_linking = any(option.strip() in _FOR_LINKING for option in options)
        for architecture in _TARGET.findall(b" ".join(options)):
            self.target = f"sm_{architecture.decode()}"

    def refuse(self, message: str) -> None:
        """Make a message the log of a compilation that failed."""
        self.failed = True
        self.log = message.encode("utf-8", "surrogateescape") + b"\n\0"


# By hiprtc's handle, which programs see.
_programs: dict[int, Program] = {}


def enter(handle: int, program: Program) -> None:
    """Enter a new program, in place of one that was at the same address."""
    _programs[handle] = program


def program_of(handle: int) -> Program:
    """Return the program of a handle, which is entered where hiprtc alone knows it."""
    return _programs.setdefault(handle, Program())


def program_at(handle: int) -> Program:
    """Return the program of a handle, an empty one where there is none."""
    return _programs.get(handle) or Program()


def remove(handle: int) -> None:
    """Remove a program that ends."""
    _programs.pop(handle, None)
