"""Sentences of Markdown documents: paragraphs, list items and cells of tables, code and generated tables left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.language.rules import Kind, Text

_FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
#: A table that a tool writes below its mark: its sentences belong to tables/settings.yaml.
_GENERATED_TABLE = re.compile(r"^<!-- (?:settings|coverage)[^>]*-->\n(?:\|.*\n)*", re.MULTILINE)
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_BLOCK_END = re.compile(r"\n\s*\n|\n(?=\||#|[-*] |\d+\. )")
_SENTENCE_END = re.compile(r"(?<=[.:;!?])\s+")


def document_texts(path: str, content: str) -> Iterator[Text]:
    """Every sentence of one document, with the line of its paragraph."""
    prose = _CODE.sub(
        lambda match: "\n" * match[0].count("\n") + "X", _blank(_GENERATED_TABLE, _blank(_FENCE, content))
    )
    begin = 0
    for end in [*(match.start() for match in _BLOCK_END.finditer(prose)), len(prose)]:
        block = prose[begin:end]
        line = prose.count("\n", 0, begin + len(block) - len(block.lstrip())) + 1
        begin = end
        cells = block.strip().strip("|").split("|") if block.strip().startswith("|") else [block]
        for cell in cells:
            for sentence in _SENTENCE_END.split(" ".join(cell.split()).strip("#*- ")):
                if re.search("[a-z]", sentence):
                    yield Text(Kind.SENTENCE, path, line, sentence)


def _blank(pattern: re.Pattern[str], content: str) -> str:
    """Return a document without the matches of a pattern, with the same number of lines."""
    return pattern.sub(lambda match: "\n" * match[0].count("\n"), content)
