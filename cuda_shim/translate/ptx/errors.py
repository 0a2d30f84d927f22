"""What is wrong with a PTX text, said with its place as NVIDIA's assembler says it."""

from __future__ import annotations

__all__ = ["PtxError", "UnsupportedPtx", "UnsupportedVersion"]


class PtxError(Exception):
    """A text that is not PTX, or contradicts itself.

    Attributes:
        reason: what is wrong, in words.
        line, column: where, counted from 1; 0 where no place is to be blamed.
    """

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column

    def message(self, file: str) -> str:
        """Return the lines that an error log gets."""
        place = f", line {self.line}, column {self.column}" if self.line else ""
        return f"ptxas {file}{place}; error   : {self.reason}\nptxas fatal   : Ptx assembly aborted due to errors\n"


class UnsupportedVersion(PtxError):
    """A version of PTX that CUDA does not have, or that is newer than the CUDA that is served."""

    def message(self, file: str) -> str:
        """Return the line that an error log gets: NVIDIA's assembler reads no further."""
        return f"ptxas {file}, line {self.line}, column {self.column}; fatal   : {self.reason}\n"


class UnsupportedPtx(PtxError):
    """PTX that is right but has no translation."""
