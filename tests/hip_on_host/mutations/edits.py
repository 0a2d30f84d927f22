"""Edits of a text that make up a mutation, and the function that they work in."""

from __future__ import annotations

import dataclasses
import random
import re

from tests.hip_on_host.mutations.tree import Node

#: Types that are written in plain words, whose values are copied and converted without calls.
PLAIN = {
    "int", "unsigned int", "float", "double", "long", "unsigned long", "long long", "unsigned long long", "short",
    "unsigned short", "char", "signed char", "unsigned char", "bool",
}  # fmt: skip

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclasses.dataclass(frozen=True)
class Edit:
    """Text that replaces other text, or is inserted where begin is end."""

    begin: int
    end: int
    text: str


@dataclasses.dataclass(frozen=True)
class Mutation:
    """A change that keeps the meaning: its edits, and declarations to stand before the function."""

    kind: str
    edits: tuple[Edit, ...]
    before: str = ""

    @property
    def span(self) -> tuple[int, int]:
        return min(edit.begin for edit in self.edits), max(edit.end for edit in self.edits)


class Site:
    """A function in a text, for rules that look for mutations: its nodes, and names that are not used yet."""

    def __init__(self, text: str, function: Node, body: Node, rng: random.Random, tag: str) -> None:
        self.text = text
        self.function = function
        self.body = body
        self.random = rng
        self.tag = tag
        self.fresh = 0
        self.nodes = [node for node in _written(body) if node.placed]
        self.kinds = {node.kind for node in self.nodes}

    def name(self, stem: str) -> str:
        """A name that the program has not used yet."""
        self.fresh += 1
        return f"{stem}_{self.tag}_{self.fresh}"

    def of(self, node: Node) -> str:
        """A node's text."""
        return self.text[node.begin : node.end]

    def words(self, node: Node) -> set[str]:
        return set(_WORD.findall(self.of(node)))

    def statement_end(self, node: Node) -> int:
        """Return the offset behind the semicolon of an expression that is a statement; -1 if there is none."""
        at = node.end
        while at < len(self.text) and self.text[at] in " \t\n":
            at += 1
        return at + 1 if at < len(self.text) and self.text[at] == ";" else -1

    def expression_statements(self) -> list[Node]:
        """Expressions that are statements of their own in braces, on which no label stands."""
        return [
            node
            for node in self.nodes
            if node.parent is not None and node.parent.kind == "CompoundStmt" and is_expression(node)
            and self.statement_end(node) > 0 and one_piece(self.of(node))
        ]  # fmt: skip

    def assignments(self) -> list[Node]:
        """Return assignments, compound ones too."""
        return [
            node
            for node in self.nodes
            if node.kind == "CompoundAssignOperator"
            or (node.kind == "BinaryOperator" and node.raw.get("opcode") == "=")
        ]

    def declarations(self) -> list[tuple[Node, Node]]:
        """Statements that declare one variable of a plain type, not const and not static, and the variable."""
        found = []
        for node in self.nodes:
            if (
                node.kind != "DeclStmt"
                or len(node.children) != 1
                or not node.parent
                or node.parent.kind != "CompoundStmt"
            ):
                continue
            variable = node.children[0]
            plain = variable.kind == "VarDecl" and variable.placed and variable.type in PLAIN
            special = any(variable.raw.get(key) for key in ("storageClass", "constexpr", "inline"))
            if not plain or special or not one_piece(self.of(node)):
                continue
            if _SPECIFIERS.fullmatch(self.text[variable.begin : self.name_place(variable)].strip()):
                found.append((node, variable))
        return found

    def name_place(self, variable: Node) -> int:
        """Return the offset of a declared name."""
        for match in _WORD.finditer(self.text, variable.begin, variable.end):
            if match[0] == variable.name:
                return match.start()
        return variable.begin

    def initialiser(self, variable: Node) -> Node | None:
        """The value behind `=`."""
        if variable.raw.get("init") != "c" or not variable.children:
            return None
        value = next(child for child in variable.children if not child.kind.endswith("Attr")).bare()
        return value if value.placed and value.kind != "InitListExpr" else None

    def has_lambda_above(self, node: Node) -> bool:
        return any(one.kind == "LambdaExpr" for one in node.above())


_SPECIFIERS = re.compile(
    r"(?:(?:unsigned|signed|int|float|double|long|short|char|bool|auto|size_t|uint32_t|int32_t)\s*)+"
)

_EXPRESSIONS = {
    "BinaryOperator", "CompoundAssignOperator", "UnaryOperator", "CallExpr", "CXXOperatorCallExpr", "ExprWithCleanups",
    "CXXMemberCallExpr", "ParenExpr", "ConditionalOperator",
}  # fmt: skip


def is_expression(node: Node) -> bool:
    return node.kind in _EXPRESSIONS


def one_piece(text: str) -> bool:
    """Return whether text can be moved: no comments and no lines of the preprocessor in it."""
    return "//" not in text and "#" not in text and "/*" not in text and "\\\n" not in text


def pure(node: Node) -> bool:
    """Return whether an expression has no side effects."""
    changing = {"CompoundAssignOperator", "CallExpr", "CXXMemberCallExpr", "CXXOperatorCallExpr", "LambdaExpr", "CXXConstructExpr"}  # fmt: skip
    return not any(
        one.kind in changing
        or (one.kind == "BinaryOperator" and one.raw.get("opcode") == "=")
        or (one.kind == "UnaryOperator" and one.raw.get("opcode") in {"++", "--"})
        for one in node.walk()
    )


def is_bit_field(node: Node) -> bool:
    """Return whether an expression names a bit-field, in parentheses or not, to which nothing can refer."""
    found = node.bare()
    while found.kind == "ParenExpr" and found.children:
        found = found.children[0].bare()
    field = found.raw.get("referencedMemberDecl")
    if field is None:
        return False
    *_, program = node.above()
    return any(one.raw.get("isBitfield") and one.raw.get("id") == field for one in program.walk())


def makes_objects(node: Node) -> bool:
    """Return whether a temporary object of an expression has a destructor, called at the end of the full expression."""
    return any(one.kind in {"CXXBindTemporaryExpr", "ExprWithCleanups"} for one in node.walk())


def jumps_out(node: Node) -> bool:
    """Return whether a statement may be left otherwise than at its end, or entered by a jump."""
    jumps = {"ReturnStmt", "GotoStmt", "LabelStmt", "BreakStmt", "ContinueStmt", "CaseStmt", "DefaultStmt"}
    return any(one.kind in jumps for one in node.walk())


def _written(node: Node) -> list[Node]:
    """The nodes below, without the class that stands for a lambda, which repeats its body."""
    found = []
    for child in node.children:
        if node.kind == "LambdaExpr" and child.kind != "CompoundStmt":
            continue
        if child.kind in {"CXXRecordDecl", "CXXForRangeStmt", "DecompositionDecl", "FunctionDecl"}:
            continue
        found.append(child)
        found += _written(child)
    return found
