"""The line of the program that makes a call."""

from __future__ import annotations

import os
from types import CodeType, FrameType

from cuda_shim.generated_source import FILE_PREFIX

__all__ = ["CallSites"]

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class CallSites:
    """The lines of a program as texts, each written once."""

    def __init__(self) -> None:
        self._texts: dict[tuple[CodeType, int], str] = {}

    def of(self, frame: FrameType | None) -> str:
        """Return the line of the innermost frame that is not ours, as "prog.py:12 in main"; "" if all are ours."""
        while frame is not None:
            code = frame.f_code
            text = self._texts.get((code, frame.f_lineno))
            if text is not None:
                return text
            if not code.co_filename.startswith((_OURS, FILE_PREFIX)):
                break
            frame = frame.f_back
        if frame is None:
            return ""
        where = "" if code.co_name == "<module>" else f" in {code.co_name}"
        text = f"{_shown(code.co_filename)}:{frame.f_lineno}{where}".replace("\t", " ").replace("\n", " ")
        self._texts[code, frame.f_lineno] = text
        return text


def _shown(path: str) -> str:
    """Return a file's path for messages: relative to the folder that the program began in, if it is in there."""
    if not os.path.isabs(path):
        return path
    relative = os.path.relpath(path, _FIRST_FOLDER)
    return path if relative.startswith("..") else relative


try:
    _FIRST_FOLDER = os.getcwd()
except OSError:  # the folder is gone
    _FIRST_FOLDER = os.sep
