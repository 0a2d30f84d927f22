"""The texts of a program as it was created, kept until it is compiled."""

from __future__ import annotations

from cuda_shim.frozen_record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.translate.program_files import ProgramFile

__all__ = ["ProgramTexts"]


class ProgramTexts(Record):
    """The texts of a program.

    Attributes:
        texts: the source and the headers that the program was given, untranslated.
        names: the headers' names.
        files: the files that the texts include by names that are macros now.
    """

    texts: list[bytes]
    names: frozenset[bytes]
    files: list[ProgramFile]
