"""Texts of the tables: comments, and the descriptions, reasons and notices that users read."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from tests.language.rules import Kind, Text, joined_comments

#: Fields whose values are texts for users, at any depth of a row.
_FIELDS = {"text", "note", "unsupported", "refuse", "drop", "works", "itself", "meaning", "detail", "allowed"}
#: Files, and sections of files, all of whose values are texts.
_SECTIONS = re.compile(
    r"tables/(?:parameters\.yaml:|packages\.yaml:(?:libraries|modules)|(?:amd|device)\.yaml:refused)"
)
_SENTENCE_WORDS = 4


def table_texts(path: str, content: str) -> Iterator[Text]:
    """Every text of one table."""
    lines = ((number, line.strip()) for number, line in enumerate(content.splitlines(), 1))
    yield from joined_comments(path, [(number, line.lstrip("# ")) for number, line in lines if line.startswith("#")])
    root = yaml.compose(content, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    for key, value in root.value:
        yield from _texts(path, value, is_text=_SECTIONS.match(f"{path}:{key.value}") is not None)


def _texts(path: str, node: yaml.Node, is_text: bool) -> Iterator[Text]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _texts(path, value, is_text or key.value in _FIELDS)
    elif isinstance(node, yaml.SequenceNode):
        for element in node.value:
            yield from _texts(path, element, is_text)
    elif is_text and len(node.value.split()) >= _SENTENCE_WORDS:
        yield Text(Kind.DESCRIPTION, path, node.start_mark.line + 1, " ".join(node.value.split()))
