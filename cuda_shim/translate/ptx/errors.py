"""What is wrong with a PTX text, said with its place as NVIDIA's assembler says it."""

from __future__ import annotations

__all__ = ["PtxError", "UnsupportedPtx"]


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


class UnsupportedPtx(PtxError):
    """PTX that is right but has no translation."""
