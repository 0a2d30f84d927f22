"""A quick search for constructs that the CPU runtime cannot take as written; a text without any is not translated."""

from __future__ import annotations

import re

__all__ = ["concerns_the_cpu", "names_files"]

# Names in quotes, which are searched in the folder of the program's name, and names that lead out of a folder.
_NAMES_FILES = re.compile(rb'\b(?:include|__has_include[ \t]*\()[ \t]*(?:"|/\*|<[ \t]*/|<[^<>\n]*\./)')
# Inline PTX, launches in device code, and line continuations, which may hide either of them. Includes need no
# translation: the runtime has CUDA's headers.
_TRANSLATED = re.compile(rb"\b(?:asm|__asm|__asm__)\b|<<<|\\[\r\n]")


def concerns_the_cpu(text: bytes) -> bool:
    """Return whether a text may hold constructs that the CPU runtime cannot take; comments and strings count."""
    return _TRANSLATED.search(text) is not None


def names_files(text: bytes) -> bool:
    """Return whether a text may include a file by more than its name in a folder of -I; comments and strings count."""
    return _NAMES_FILES.search(text) is not None
