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
        attached: True if it continues the statement before it, as `else` does.
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
    definition: Statement | None = None


def place_declarations(
    root: Scope,
    registers: set[str],
    live_at: Callable[[int], set[str]],
    variable: Callable[[str], tuple[str, str]],
    maybe_uninitialized: set[str],
) -> None:
    """Put declarations of registers into the tree.

    `live_at` gives the live registers at the start of a loop, `variable` a register's type and name in C++,
    `maybe_uninitialized` the registers that may be read before they are written.
    """
    points: dict[str, _DeclarationPoint] = {}
    _collect(root, [], registers, live_at, points)
    insertions: dict[int, list[tuple[int, Statement]]] = {}
    for name in sorted(points, key=lambda key: (len(key), key)):
        point = points[name]
        scope, index = point.first[point.depth]
        if scope.head.startswith("switch "):  # a label behind a value would jump over it
            scope, index = point.first[point.depth - 1]
        statement = scope.body[index] if index < len(scope.body) else None
        if statement is point.definition and point.definition is not None and name not in maybe_uninitialized:
            point.definition.declared = variable(name)[0]
            continue
        while index > 0 and isinstance(scope.body[index], Scope) and getattr(scope.body[index], "attached", False):
            index -= 1
        value = "{}" if name in maybe_uninitialized else ""
        insertions.setdefault(id(scope), []).append((index, Statement(f"{' '.join(variable(name))}{value};")))
    _insert(root, insertions)


def _collect(
    scope: Scope,
    path: list[tuple[Scope, int]],
    registers: set[str],
    live_at: Callable[[int], set[str]],
    points: dict[str, _DeclarationPoint],
) -> None:
    for index, child in enumerate(scope.body):
        path_to_child = [*path, (scope, index)]
        if isinstance(child, Statement):
            if child.defines in registers:
                _note(child.defines, path_to_child, child, points)
            for name in child.names & registers:
                _note(name, path_to_child, None, points)
            continue
        for name in child.names & registers:
            _note(name, path_to_child, None, points)
        if child.header >= 0:
            for name in live_at(child.header) & registers:
                _note(name, path_to_child, None, points)
        _collect(child, path_to_child, registers, live_at, points)


def _note(
    name: str, path: list[tuple[Scope, int]], definition: Statement | None, points: dict[str, _DeclarationPoint]
) -> None:
    point = points.get(name)
    if point is None:
        points[name] = _DeclarationPoint(path, len(path) - 1, definition)
        return
    depth = 0
    for (own_scope, _), (other_scope, _) in zip(point.first, path, strict=False):
        if own_scope is not other_scope:
            break
        depth += 1
    point.depth = min(point.depth, depth - 1)


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
