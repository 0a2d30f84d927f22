"""Texts of Python sources: comments, docstrings, descriptions of attributes and arguments, messages to users."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from tests.language.rules import Kind, Text, joined_comments

#: Functions and methods whose arguments users read, by the last part of their name.
_MESSAGE_CALLS = re.compile(r"(?:debug|info|warning|error|critical|exception|notify|log|fail|exit|_say|warn|\w*Error)$")
#: Keywords of argparse and pytest whose texts users read.
_HELP = {"help", "description", "epilog"}
#: An entry of a docstring's section: ``name: text`` or ``name (type): text``.
_SECTION = re.compile(r"^(?:Args|Attributes):\n((?:(?:[ \t].*)?\n)*)", re.MULTILINE)
_ENTRY = re.compile(r"^    \*{0,2}\w+(?: \([^)]*\))?: (.*(?:\n {8}.*)*)", re.MULTILINE)
_SENTENCE_WORDS = 3


def python_texts(path: str, content: str) -> Iterator[Text]:
    """Every text of one file; tests have no messages to users."""
    tokens = tokenize.generate_tokens(io.StringIO(content).readline)
    lines = [(token.start[0], token.string.lstrip("#: ")) for token in tokens if token.type == tokenize.COMMENT]
    yield from joined_comments(path, lines)
    tree = ast.parse(content)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _docstrings(path, node)
    if not path.startswith(("tests/", "examples/")):
        yield from _messages(path, tree)


def _docstrings(path: str, node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Text]:
    line = getattr(node, "lineno", 1)
    docstring = ast.get_docstring(node)
    if docstring:
        yield Text(Kind.COMMENT, path, line, docstring)
        for section in _SECTION.findall(docstring + "\n"):
            for entry in _ENTRY.findall(section):
                yield Text(Kind.ATTRIBUTE, path, line, " ".join(entry.split()))
    for assignment, following in zip(node.body, node.body[1:], strict=False):
        if isinstance(assignment, (ast.Assign, ast.AnnAssign)) and isinstance(following, ast.Expr):
            value = following.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield Text(Kind.ATTRIBUTE, path, following.lineno, value.value)


def _messages(path: str, tree: ast.Module) -> Iterator[Text]:
    seen = set[int]()
    for node in ast.walk(tree):
        for argument in _message_arguments(node):
            for literal in _literals(argument):
                text = _shown(literal)
                if id(literal) not in seen and len(text.split()) >= _SENTENCE_WORDS:
                    yield Text(Kind.MESSAGE, path, literal.lineno, text)
                seen.add(id(literal))


def _message_arguments(node: ast.AST) -> list[ast.expr]:
    """Return the arguments of a call that users read."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        return [*node.exc.args, *(keyword.value for keyword in node.exc.keywords)]
    if not isinstance(node, ast.Call):
        return []
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    if _MESSAGE_CALLS.match(name) or (name == "print" and "stderr" in ast.dump(keywords.get("file", node.func))):
        return [*node.args, *keywords.values()]
    return [value for keyword, value in keywords.items() if keyword in _HELP]


def _literals(node: ast.expr) -> Iterator[ast.expr]:
    """The string literals of an argument, those in the values of an f-string left out."""
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        yield node
    elif not isinstance(node, ast.Call):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _literals(child)


def _shown(literal: ast.expr) -> str:
    """Return a literal as users read it, with … for inserted values."""
    if isinstance(literal, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in literal.values)
    assert isinstance(literal, ast.Constant)
    return str(literal.value)
