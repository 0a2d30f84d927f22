"""A text of the project, and the rules for its sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

#: Beginnings without a subject: the reader must know already which thing of the program the sentence is about.
HEADLESS = re.compile(
    r"(?:what|whatever|which|those|of|where|how|whether|that|who|whoever|why|nobody|somebody|everybody)\b",
    re.IGNORECASE,
)
#: Words that stand in for a thing or a mechanism of the program.
VAGUE = re.compile(
    r"\b(?:what|whatever|whoever|nobody|somebody|everybody|anew|told|said|lies|so many|so much|comes? to|came to)\b",
    re.IGNORECASE,
)


class Kind(Enum):
    """The place of a text."""

    COMMENT = "comments and docstrings"
    ATTRIBUTE = "descriptions of attributes and arguments"
    MESSAGE = "messages"
    SENTENCE = "sentences of documents"
    DESCRIPTION = "texts of tables"


@dataclass(frozen=True)
class Text:
    """A text of one kind: `path` below the repository, the `line` where it begins, the text itself."""

    kind: Kind
    path: str
    line: int
    text: str

    @property
    def is_headless(self) -> bool:
        """True if the text begins without a subject."""
        return HEADLESS.match(self.text) is not None

    @property
    def is_vague(self) -> bool:
        """True if the text has a word that stands in for a thing of the program."""
        return VAGUE.search(self.text) is not None


def joined_comments(path: str, lines: list[tuple[int, str]]) -> list[Text]:
    """Return the comments of neighbouring lines as one text each."""
    result, begin, last, parts = list[Text](), 0, 0, list[str]()
    for number, text in [*lines, (-1, "")]:
        if number != last + 1 or not parts:
            if parts:
                result.append(Text(Kind.COMMENT, path, begin, " ".join(parts)))
            begin, parts = number, []
        parts.append(text)
        last = number
    return result
