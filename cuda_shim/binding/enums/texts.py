"""Docstrings of enum classes and of their constants.

In NVIDIA's wheels a constant has a docstring of its own, which cuda.core prints behind each error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cuda_shim.mapping.rows import EnumRow

__all__ = ["class_doc", "member_docs"]

# Between the words of `cudaDevAttrMaxTexture2DHeight`; CUDA's other names have underscores.
_NEXT_WORD = re.compile(r"_|(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])")


def class_doc(row: EnumRow) -> str:
    """Return the class's docstring: the HIP enum that its constants are translated to."""
    return f"CUDA enum {row.name}; HIP's is {row.hip}." if row.hip else f"CUDA enum {row.name}; HIP has none."


def member_docs(row: EnumRow) -> Iterator[str]:
    """Yield the docstring of each constant of a row: CUDA's message, or the words of its name that are its own."""
    words = [_words(member.name) for member in row.members]
    shared = _shared_words(words)
    for member, name in zip(row.members, words, strict=True):
        yield member.text or " ".join(name[shared:])


def _shared_words(names: list[list[str]]) -> int:
    """Return the number of words that all names begin with; the last word of a name is never counted."""
    shortest = min(map(len, names))
    first = names[0]
    for index in range(shortest - 1):
        if any(name[index] != first[index] for name in names):
            return index
    return shortest - 1


def _words(name: str) -> list[str]:
    """Return the words of a constant's name without capitals; abbreviations inside cudaLikeThis keep theirs."""
    if name.isupper():
        return name.lower().split("_")
    return [word[:1].lower() + word[1:] if word[1:2].islower() else word for word in _NEXT_WORD.split(name)]
