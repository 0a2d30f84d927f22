"""Errors in a PTX text, reported with their position in the format of NVIDIA's assembler."""

from __future__ import annotations

__all__ = ["PtxError", "UnsupportedPtx", "UnsupportedVersion"]


class PtxError(Exception):
    """A text that is not PTX, or contradicts itself.

    Attributes:
        reason: a description of the error.
        line, column: its position, counted from 1; 0 if it has none.
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
    """A version of PTX that CUDA does not have, or that is newer than the CUDA version in use."""

    def message(self, file: str) -> str:
        """Return the line that an error log gets: NVIDIA's assembler reads no further."""
        return f"ptxas {file}, line {self.line}, column {self.column}; fatal   : {self.reason}\n"


class UnsupportedPtx(PtxError):
    """Valid PTX that has no translation."""
