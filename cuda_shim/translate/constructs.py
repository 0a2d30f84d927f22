"""What the CPU runtime cannot take as it is written, found at a glance: a text without it needs no translator."""

from __future__ import annotations

import re

__all__ = ["concerns_the_cpu"]

# Inline PTX, launches in device code, and lines that continue, where either of them may hide. The runtime has CUDA's
# headers, so that includes are none of it.
_TRANSLATED = re.compile(rb"\b(?:asm|__asm|__asm__)\b|<<<|\\[\r\n]")


def concerns_the_cpu(text: bytes) -> bool:
    """Return whether a text may hold what the CPU runtime cannot take; comments and strings count."""
    return _TRANSLATED.search(text) is not None
