"""Every use of a CUDA name in a module's syntax tree, with its place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from cuda_shim.scan.aliases import Imports, Scope, is_watched, literal_call

__all__ = ["ANY", "Use", "uses"]


#: The last part of a target whose name is put together at run time.
ANY = "*"


class Use(NamedTuple):
    """A place (line from 1, column from 1) and the CUDA names that may be meant there.

    `probed` tells that the program is ready for the name to be absent: `getattr` with a default; `imported`, that it is
    named in an import.
    """

    line: int
    column: int
    targets: tuple[str, ...]
    probed: bool = False
    imported: bool = False


def uses(tree: ast.Module, brings: Callable[[str, str], bool]) -> list[Use]:
    """Return the uses in the order of the text; `brings(module, name)` tells whether a star import brings a name."""
    visitor = _Visitor(brings, tree)
    visitor.enter(tree)
    return sorted(set(visitor.uses))


class _Visitor(ast.NodeVisitor):
    def __init__(self, brings: Callable[[str, str], bool], tree: ast.Module) -> None:
        self.uses: list[Use] = []
        self._imports = Imports(brings, tree)
        self._scopes: list[Scope] = []

    def enter(self, node: ast.AST) -> None:
        """Visit the contents of a scope, with its names known."""
        self._scopes.append(Scope(node, self._scopes[-1] if self._scopes else None, self._imports))
        self.generic_visit(node)
        self._scopes.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.enter(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.enter(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.enter(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.enter(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if is_watched(alias.name):
                self._add(alias, (alias.name,), imported=True)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        for alias in node.names:
            full = module if alias.name == "*" else f"{module}.{alias.name}"
            if not node.level and is_watched(full):
                self._add(alias, (full,), imported=True)
            else:
                targets = self._imports.by_name(alias.name)
                if targets:
                    self._add(alias, tuple(targets), imported=True)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not self._add_resolved(node):
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._add_resolved(node)

    def visit_Call(self, node: ast.Call) -> None:
        literal = literal_call(node)
        if literal is None and isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
            targets = self._scopes[-1].resolve(node.args[0])
            if targets:
                self._add(node, tuple(sorted(f"{target}.{ANY}" for target in targets)))
        if literal is None or not self._add_resolved(node, probed=literal[0] == "getattr" and len(node.args) > 2):
            self.generic_visit(node)

    def _add_resolved(self, node: ast.expr, probed: bool = False) -> bool:
        targets = self._scopes[-1].resolve(node)
        if targets:
            self._add(node, tuple(sorted(targets)), probed)
        return bool(targets)

    def _add(
        self, node: ast.expr | ast.alias, targets: tuple[str, ...], probed: bool = False, imported: bool = False
    ) -> None:
        self.uses.append(Use(node.lineno, node.col_offset + 1, targets, probed, imported))


def strings(tree: ast.Module) -> Iterator[tuple[ast.expr, bytes]]:
    """Yield every string literal with its value as bytes; of f-strings the literal parts, `0` for each expression."""
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside.update(node.values)
            parts = [part.value if isinstance(part, ast.Constant) else "0" for part in node.values]
            yield node, "".join(map(str, parts)).encode("utf-8", "surrogatepass")
        elif isinstance(node, ast.Constant) and node not in inside:
            if isinstance(node.value, str):
                yield node, node.value.encode("utf-8", "surrogatepass")
            elif isinstance(node.value, bytes):
                yield node, node.value
