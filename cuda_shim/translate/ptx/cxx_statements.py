"""C++ statements with the registers that they name, and where each register's variable is declared.

A variable is declared at its definition, if all its reads are in the same braces behind that; else in the innermost
braces that contain them all, in front of the first statement with one of them. A variable whose value a loop carries
into its next iteration is declared outside of the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

__all__ = ["Scope", "Statement", "place_declarations", "render"]


@dataclass
class Statement:
    """A statement.

    Attributes:
        text: the whole statement; if `defines` is set, only the value assigned to the register.
        defines: the register that it gives its value, "" for none.
        names: the registers that it names, except the defined one.
        declared: the type in front of the definition, once it is its declaration.
    """

    text: str
    names: frozenset[str] = frozenset()
    defines: str = ""
    declared: str = ""


@dataclass
class Scope:
    """Statements in braces.

    Attributes:
        head: the text before the opening brace; `names` are the registers in it, and in `tail`.
        tail: the text behind the closing brace.
        header: the number of the block that begins a loop, -1 for others.
        attached: whether it continues the statement before it, as `else` does.
    """

    head: str
    body: list[Statement | Scope]
    names: frozenset[str] = frozenset()
    tail: str = ""
    header: int = -1
    attached: bool = False


@dataclass
class _DeclarationPoint:
    """The place of a register's name: the scopes around it with the index of the statement in each."""

    first: list[tuple[Scope, int]] = field(default_factory=list)
    depth: int = 0
    line: Statement | None = None


def place_declarations(
    root: Scope,
    wanted: set[str],
    live: Callable[[int], set[str]],
    variable: Callable[[str], tuple[str, str]],
    needs_value: set[str],
) -> None:
    """Put declarations of the registers `wanted` into the tree.

    `live` gives the live registers at the start of a loop, `variable` a register's type and name in C++, `needs_value`
    the registers that may be read before they are written.
    """
    places: dict[str, _DeclarationPoint] = {}
    _collect(root, [], wanted, live, places)
    insertions: dict[int, list[tuple[int, Statement]]] = {}
    for name in sorted(places, key=lambda key: (len(key), key)):
        found = places[name]
        scope, index = found.first[found.depth]
        if scope.head.startswith("switch "):  # a label behind a value would jump over it
            scope, index = found.first[found.depth - 1]
        line = scope.body[index] if index < len(scope.body) else None
        if line is found.line and found.line is not None and name not in needs_value:
            found.line.declared = variable(name)[0]
            continue
        while index > 0 and isinstance(scope.body[index], Scope) and getattr(scope.body[index], "attached", False):
            index -= 1
        value = "{}" if name in needs_value else ""
        insertions.setdefault(id(scope), []).append((index, Statement(f"{' '.join(variable(name))}{value};")))
    _insert(root, insertions)


def _collect(
    scope: Scope,
    path: list[tuple[Scope, int]],
    wanted: set[str],
    live: Callable[[int], set[str]],
    places: dict[str, _DeclarationPoint],
) -> None:
    for index, child in enumerate(scope.body):
        here = [*path, (scope, index)]
        if isinstance(child, Statement):
            if child.defines in wanted:
                _note(child.defines, here, child, places)
            for name in child.names & wanted:
                _note(name, here, None, places)
            continue
        for name in child.names & wanted:
            _note(name, here, None, places)
        if child.header >= 0:
            for name in live(child.header) & wanted:
                _note(name, here, None, places)
        _collect(child, here, wanted, live, places)


def _note(
    name: str, here: list[tuple[Scope, int]], line: Statement | None, places: dict[str, _DeclarationPoint]
) -> None:
    known = places.get(name)
    if known is None:
        places[name] = _DeclarationPoint(here, len(here) - 1, line)
        return
    depth = 0
    for (mine, _), (other, _) in zip(known.first, here, strict=False):
        if mine is not other:
            break
        depth += 1
    known.depth = min(known.depth, depth - 1)


def _insert(scope: Scope, insertions: dict[int, list[tuple[int, Statement]]]) -> None:
    for child in scope.body:
        if isinstance(child, Scope):
            _insert(child, insertions)
    for index, line in sorted(insertions.get(id(scope), []), key=lambda pair: pair[0], reverse=True):
        scope.body.insert(index, line)


def render(root: Scope, name_of: Callable[[str], str]) -> str:
    """Return the statements of a tree as text."""
    return "".join(f"{line}\n" for line in _lines(root.body, 1, name_of))


def _lines(body: list[Statement | Scope], depth: int, name_of: Callable[[str], str]) -> Iterator[str]:
    blank = "    " * depth
    for child in body:
        if isinstance(child, Statement):
            if child.defines:
                declared = f"{child.declared} " if child.declared else ""
                yield f"{blank}{declared}{name_of(child.defines)} = {child.text};"
            else:
                yield blank + child.text
            continue
        yield f"{blank}{child.head} {{" if child.head else f"{blank}{{"
        yield from _lines(child.body, depth + 1, name_of)
        yield f"{blank}}}{child.tail}"
