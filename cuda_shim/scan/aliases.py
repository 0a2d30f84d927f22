"""Python's names resolved to CUDA's: imports and their aliases, plain assignments, scopes, star imports.

A name may stand for several things, as after `try: from cuda.bindings import driver` with `from cuda import
cuda as driver` in the handler: then it stands for all of them. CUDA's functions, types and constants have names of
their own, so that `self.driver.cuInit` is CUDA's wherever the module came from: it is resolved by its name alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from cuda_shim.scan import packages

__all__ = ["BY_NAME", "Imports", "Scope", "is_watched", "literal_call"]

#: Stands for the module of a name that is CUDA's by its form.
BY_NAME = "?"
_CUDA_NAME = re.compile(r"(cu|cuda|nvrtc)[A-Z]\w*|(CU|CUDA|NVRTC)_\w+|CU[a-z]\w+")

Targets = frozenset[str]
_NOTHING: Targets = frozenset()
_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def is_watched(name: str) -> bool:
    """Return whether a dotted name is `cuda`, `PyGPU` or a package that reaches CUDA by itself, or is below one."""
    root = name.partition(".")[0]
    return root in ("cuda", "PyGPU", BY_NAME) or root in packages.roots()


class Imports:
    """The star imports of a whole file, and the names that it defines.

    Attributes:
        stars: the modules of CUDA's whose names a star import brings.
        other_stars: True if there is a star import of another module.
    """

    def __init__(self, brings: Callable[[str, str], bool], tree: ast.AST) -> None:
        """`brings(module, name)` tells whether a star import of the module brings a name."""
        self.stars: set[str] = set()
        self.other_stars = False
        self._brings = brings
        self._own = set(_defined(tree))

    def from_stars(self, name: str) -> Targets:
        """Return the CUDA names that a name stands for if nothing else binds it."""
        targets = frozenset(f"{module}.{name}" for module in self.stars if self._brings(module, name))
        return targets or (self.by_name(name) if self.other_stars else _NOTHING)

    def by_name(self, name: str) -> Targets:
        """Return CUDA's name for a name by its form alone: where it looks like one and the file does not define it."""
        return frozenset([f"{BY_NAME}.{name}"]) if _CUDA_NAME.fullmatch(name) and name not in self._own else _NOTHING


class Scope:
    """The names bound in a module, class or function, each with the CUDA names that it may stand for."""

    def __init__(self, node: ast.AST, outer: Scope | None, imports: Imports) -> None:
        self._imports = imports
        self._outer = outer
        self._is_class = isinstance(node, ast.ClassDef)
        self.bound: dict[str, Targets] = {}
        self._globals: set[str] = set()
        if isinstance(node, _Function):
            for argument in _arguments(node.args):
                self._bind(argument, _NOTHING)
        # Twice, since an alias may be used above the line that makes it, in a function for example.
        for _ in range(2):
            for child in _own_nodes(node):
                self._collect(child)

    def lookup(self, name: str) -> Targets:
        """Return the CUDA names that `name` may stand for here; none where it stands for something else."""
        scope: Scope | None = self
        while scope is not None:
            # A class's names are not seen from the functions inside it.
            if name in scope.bound and (scope is self or not scope._is_class):
                return scope.bound[name]
            scope = scope._outer
        return self._imports.from_stars(name)

    def resolve(self, node: ast.expr) -> Targets:
        """Return the CUDA names that an expression may stand for."""
        if isinstance(node, ast.Name):
            return self.lookup(node.id)
        if isinstance(node, ast.Attribute):
            owners = self.resolve(node.value)
            return frozenset(f"{owner}.{node.attr}" for owner in owners) or self._imports.by_name(node.attr)
        if isinstance(node, ast.Call):
            return self._resolve_call(node)
        if isinstance(node, ast.Subscript):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            named = isinstance(node.value, ast.Attribute) and node.value.attr == "modules"
            return frozenset([key]) if named and isinstance(key, str) and is_watched(key) else _NOTHING
        if isinstance(node, ast.IfExp):
            return self.resolve(node.body) | self.resolve(node.orelse)
        if isinstance(node, ast.BoolOp):
            return _NOTHING.union(*map(self.resolve, node.values))
        return _NOTHING

    def _resolve_call(self, node: ast.Call) -> Targets:
        literal_use = literal_call(node)
        if literal_use is None:
            return _NOTHING
        function, literal = literal_use
        if function == "getattr":
            owners = self.resolve(node.args[0])
            return frozenset(f"{owner}.{literal}" for owner in owners) or self._imports.by_name(literal)
        if function == "__import__" and len(node.args) < 4 and not node.keywords:
            literal = literal.partition(".")[0]
        return frozenset([literal]) if is_watched(literal) else _NOTHING

    def _collect(self, node: ast.AST) -> None:
        """Bind the names that a statement or expression binds."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                self._bind(alias.asname or first, _of(alias.name if alias.asname else first))
        elif isinstance(node, ast.ImportFrom):
            self._collect_from(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            self._assign(node.target, node.value)
        elif isinstance(node, ast.Global):
            self._globals.update(node.names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
            if node.name:
                self._bind(node.name, _NOTHING)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self._assign(node.target, None)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._assign(node.optional_vars, None)

    def _collect_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        for alias in node.names:
            watched = not node.level and is_watched(f"{module}.{alias.name}")
            if alias.name != "*":
                named = _of(f"{module}.{alias.name}") if watched else self._imports.by_name(alias.name)
                self._bind(alias.asname or alias.name, named)
            elif watched:
                self._imports.stars.add(module)
            else:
                self._imports.other_stars = True

    def _assign(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, _NOTHING if value is None else self.resolve(value))
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
            alike = len(values) == len(target.elts)
            for index, item in enumerate(target.elts):
                self._assign(item, values[index] if alike else None)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, None)

    def _bind(self, name: str, targets: Targets) -> None:
        scope: Scope = self
        if name in self._globals:
            while scope._outer is not None:
                scope = scope._outer
        scope.bound[name] = scope.bound.get(name, _NOTHING) | targets


def literal_call(node: ast.Call) -> tuple[str, str] | None:
    """Return the function's name and the literal, of `getattr(x, "literal")`, `import_module("literal")` and such."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    place = {"getattr": 1, "import_module": 0, "__import__": 0}.get(name)
    if place is None or len(node.args) <= place:
        return None
    literal = node.args[place]
    if not isinstance(literal, ast.Constant) or not isinstance(literal.value, str):
        return None
    return name, literal.value


def _of(name: str) -> Targets:
    return frozenset([name]) if is_watched(name) else _NOTHING


def _defined(tree: ast.AST) -> Iterator[str]:
    """Yield the names of functions and classes of a file, and of the attributes that it sets."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, in order, those of scopes inside it left out."""
    for child in _body(node):
        yield child
        if not isinstance(child, (*_Function, ast.ClassDef)):
            yield from _own_nodes(child)


def _body(node: ast.AST) -> Iterable[ast.AST]:
    if isinstance(node, ast.Lambda):
        return [node.body]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return node.body
    return ast.iter_child_nodes(node)


def _arguments(arguments: ast.arguments) -> Iterator[str]:
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        yield argument.arg
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            yield extra.arg
