"""What the CPU runtime cannot take as it is written, found at a glance: a text without it needs no translator."""

from __future__ import annotations

import re

__all__ = ["concerns_the_cpu", "names_files"]

# Names in quotes, which are searched in the folder of the program's name, and names that lead out of a folder.
_NAMES_FILES = re.compile(rb'\b(?:include|__has_include[ \t]*\()[ \t]*(?:"|/\*|<[ \t]*/|<[^<>\n]*\./)')
# Inline PTX, launches in device code, and lines that continue, where either of them may hide. The runtime has CUDA's
# headers, so that includes are none of it.
_TRANSLATED = re.compile(rb"\b(?:asm|__asm|__asm__)\b|<<<|\\[\r\n]")


def concerns_the_cpu(text: bytes) -> bool:
    """Return whether a text may hold what the CPU runtime cannot take; comments and strings count."""
    return _TRANSLATED.search(text) is not None


def names_files(text: bytes) -> bool:
    """Return whether a text may include a file by more than its name in a folder of -I; comments and strings count."""
    return _NAMES_FILES.search(text) is not None
