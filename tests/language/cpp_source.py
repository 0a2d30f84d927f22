"""Texts of C++ sources: comments, and messages to users."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.language.rules import Kind, Text, joined_comments

_LINE_COMMENT = re.compile(r'^(?P<code>(?:[^"/]|"(?:\\.|[^"\\])*"|/(?!/))*)//+ ?(?P<text>.*)$')
#: The beginning of a call that reports to users, or of an exception whose text they read.
_CALL = re.compile(r"\b(?:log|error|warn|fail\w*|refuse\w*|report\w*|tell\w*|throw\s+[\w:]+)\s*(?=\()")
_LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"')
_SENTENCE_WORDS = 3


def cpp_texts(path: str, content: str) -> Iterator[Text]:
    """Every text of one file; tests have no messages to users."""
    matches = ((number, _LINE_COMMENT.match(line)) for number, line in enumerate(content.splitlines(), 1))
    yield from joined_comments(path, [(number, match["text"]) for number, match in matches if match])
    if not path.startswith(("tests/", "examples/")):
        yield from _messages(path, content)


def _messages(path: str, content: str) -> Iterator[Text]:
    end = 0
    for call in _CALL.finditer(content):
        if call.start() < end:
            continue  # it is an argument of the call before
        end = _end_of_call(content, call.end())
        arguments = content[call.end() : end]
        text = "".join(_LITERAL.findall(re.sub(r'"\s+"', "", arguments)))
        if len(text.split()) >= _SENTENCE_WORDS:
            yield Text(Kind.MESSAGE, path, content.count("\n", 0, call.start()) + 1, text)


def _end_of_call(content: str, begin: int) -> int:
    """Return the place behind the parenthesis that closes the one at `begin`."""
    depth = 0
    for token in re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|[()]').finditer(content, begin):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return len(content)
