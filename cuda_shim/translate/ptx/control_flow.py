"""Control flow in C++: the statements of blocks, put together as loops and ifs or as a dispatch loop.

The nodes of structurizer.py become `if`, `switch`, `while`, `do` and `for` statements; an irreducible function becomes
a loop around a `switch` over its blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda_shim.translate.ptx.cxx_statements import Scope, Statement
from cuda_shim.translate.ptx.graph import Graph
from cuda_shim.translate.ptx.structurizer import (
    Break,
    Code,
    Continue,
    If,
    Leave,
    Loop,
    Node,
    Skip,
    SkipVariable,
    Switch,
)

__all__ = ["BlockCode", "ForHead", "dispatch_loop", "do_while_loops", "structured_statements"]

_Statements = list["Statement | Scope"]


@dataclass
class BlockCode:
    """A block in C++.

    Attributes:
        statements: its statements.
        condition: the one of the branch at its end, "" if none; `negated` if the first successor is the one for false.
        index: the index of a branch through a table.
        names: the registers in condition or index.
    """

    statements: _Statements
    condition: str
    names: frozenset[str]
    negated: bool
    index: str

    def branch_condition(self, *, truth: bool) -> str:
        """Return the condition under which the first successor is taken, or not taken."""
        return self.condition if truth != self.negated else _opposite(self.condition)


@dataclass
class ForHead:
    """The head of a `for`: the texts in its parentheses, and the registers in them.

    Attributes:
        type, counter: the type and name of the variable that it declares.
    """

    type: str
    counter: str
    init: str = ""
    condition: str = ""
    step: str = ""
    names: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The head as C++."""
        return f"for ({self.type} {self.counter} = {self.init}; {self.condition}; {self.step})"


def _opposite(condition: str) -> str:
    if condition.startswith("!") and condition.count(" ") == 0:
        return condition[1:]
    return f"!{condition}"


def structured_statements(
    nodes: list[Node], blocks: dict[int, BlockCode], leave: Statement, heads: dict[int, ForHead]
) -> _Statements:
    """Return the statements of a function by its structure; `leave` ends it, `heads` are those of counted loops."""
    return _StatementBuilder(blocks, leave, heads).body(nodes)


def do_while_loops(nodes: list[Node]) -> set[int]:
    """Return the headers of the loops whose body ends with the only test that decides on another iteration."""
    headers: set[int] = set()
    for node in nodes:
        if isinstance(node, Loop):
            headers |= do_while_loops(node.body)
            if _last_test(node) is not None:
                headers.add(node.header)
        elif isinstance(node, If):
            headers |= do_while_loops(node.then) | do_while_loops(node.otherwise)
        elif isinstance(node, Switch):
            for _, arm in node.arms:
                headers |= do_while_loops(arm)
    return headers


def _last_test(node: Loop) -> If | None:
    branch = node.body[-1] if node.body else None
    if not isinstance(branch, If) or branch.skips or _continues(node.body):
        return None
    has_one_exit = (_is_break(branch.then) and not branch.otherwise) or (
        _is_break(branch.otherwise) and not branch.then
    )
    return branch if has_one_exit else None


class _StatementBuilder:
    def __init__(self, blocks: dict[int, BlockCode], leave: Statement, heads: dict[int, ForHead]) -> None:
        self._blocks = blocks
        self._leave = leave
        self._heads = heads

    def body(self, nodes: list[Node]) -> _Statements:
        statements: _Statements = []
        for node in nodes:
            statements += self._node(node)
        return statements

    def _node(self, node: Node) -> _Statements:
        if isinstance(node, Code):
            return self._blocks[node.block].statements
        if isinstance(node, If):
            return self._skip_test(node) if node.skips else self._branch(node)
        if isinstance(node, Switch):
            return self._switch(node)
        if isinstance(node, Loop):
            return self._loop(node)
        if isinstance(node, Leave):
            return [Statement(self._leave.text, self._leave.names)]
        if isinstance(node, Skip):
            return [Statement(f"skip_to_{node.target} = true;")]
        if isinstance(node, SkipVariable):
            return [Statement(f"bool skip_to_{node.target} = false;")]
        return [Statement("break;" if isinstance(node, Break) else "continue;")]

    def _skip_test(self, node: If) -> _Statements:
        any_set = " || ".join(f"skip_to_{target}" for target in node.skips)
        if node.any_skip:
            return [Scope(f"if ({any_set})", self.body(node.then))]
        return [Scope(f"if (!{any_set if len(node.skips) == 1 else f'({any_set})'})", self.body(node.then))]

    def _branch(self, node: If) -> _Statements:
        code = self._blocks[node.block]
        then, otherwise, truth = self.body(node.then), self.body(node.otherwise), True
        if not then or (not _never_falls_through(node.then) and _never_falls_through(node.otherwise)):
            then, otherwise, truth = otherwise, then, False
        if not then:
            return []
        head = f"if ({_without_parentheses(code.branch_condition(truth=truth))})"
        if not otherwise:
            return [Scope(head, then, code.names)]
        if _never_falls_through(node.then if truth else node.otherwise):
            return [Scope(head, then, code.names), *otherwise]
        return [Scope(head, then, code.names), Scope("else", otherwise, attached=True)]

    def _switch(self, node: Switch) -> _Statements:
        code = self._blocks[node.block]
        arms: _Statements = []
        for index, (numbers, nodes) in enumerate(node.arms):
            # An index beyond the table is undefined: the last arm takes it, which saves a comparison.
            labels = ["default:"] if index == len(node.arms) - 1 else [f"case {number}:" for number in numbers]
            body = self.body(nodes)
            if not _never_falls_through(nodes):
                body.append(Statement("break;"))
            arms.append(Scope(" ".join(labels), body))
        return [Scope(f"switch ({_without_parentheses(code.index)})", arms, code.names)]

    def _loop(self, node: Loop) -> _Statements:
        """Return a `for` for a counted loop, a `while` or `do` if the test is first or last, else an endless loop."""
        head = self._heads.get(node.header)
        if head is not None:
            return [Scope(head.text, self.body(node.body[:-1]), head.names, header=node.header)]
        while_loop = self._while_loop(node)
        if while_loop is not None:
            return [while_loop]
        branch = _last_test(node)
        if branch is not None:
            code = self._blocks[branch.block]
            condition = _without_parentheses(code.branch_condition(truth=_is_break(branch.otherwise)))
            body = self.body(node.body[:-1])
            return [Scope("do", body, code.names, f" while ({condition});", node.header)]
        return [Scope("while (true)", self.body(node.body), header=node.header)]

    def _while_loop(self, node: Loop) -> Scope | None:
        if len(node.body) < 2 or not isinstance(node.body[0], Code) or not isinstance(node.body[1], If):
            return None
        branch = node.body[1]
        code = self._blocks[branch.block]
        if code.statements or branch.skips or node.body[0].block != branch.block:
            return None
        if _is_break(branch.then):
            body_nodes, truth = branch.otherwise, False
        elif _is_break(branch.otherwise):
            body_nodes, truth = branch.then, True
        else:
            return None
        body = self.body([*body_nodes, *node.body[2:]])
        return Scope(
            f"while ({_without_parentheses(code.branch_condition(truth=truth))})", body, code.names, header=node.header
        )


def _without_parentheses(text: str) -> str:
    """Return a condition without parentheses that are around all of it."""
    if not text.startswith("(") or not text.endswith(")"):
        return text
    depth = 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and index < len(text) - 1:
            return text
    return text[1:-1]


def _is_break(nodes: list[Node]) -> bool:
    return len(nodes) == 1 and isinstance(nodes[0], Break)


def _never_falls_through(nodes: list[Node]) -> bool:
    """Return whether control never falls off the end."""
    return bool(nodes) and isinstance(nodes[-1], (Break, Continue, Leave))


def _continues(nodes: list[Node]) -> bool:
    """Return whether there is a `continue` of the loop that the nodes are the body of."""
    for node in nodes:
        if isinstance(node, Continue):
            return True
        if isinstance(node, If) and (_continues(node.then) or _continues(node.otherwise)):
            return True
        if isinstance(node, Switch) and any(_continues(arm) for _, arm in node.arms):
            return True
    return False


def dispatch_loop(
    graph: Graph, blocks: dict[int, BlockCode], leave: Statement, live_across: frozenset[str], variable: str = "block"
) -> _Statements:
    """Return a loop around a switch over blocks; `live_across` are the registers that live from one to the next.

    `variable` has the number of the next block.
    """
    arms: _Statements = []
    for number in graph.order:
        block, code = graph.blocks[number], blocks[number]
        body = list(code.statements)
        if code.index:
            cases = [
                Statement(f"case {index}: {variable} = {target}; break;")
                for index, target in enumerate(block.successors[:-1])
            ]
            cases.append(Statement(f"default: {variable} = {block.successors[-1]}; break;"))
            body.append(Scope(f"switch ({_without_parentheses(code.index)})", [*cases], code.names))
        elif len(block.successors) == 2:
            first, second = block.successors
            body.append(
                Statement(f"{variable} = {code.branch_condition(truth=True)} ? {first} : {second};", code.names)
            )
        elif block.successors:
            body.append(Statement(f"{variable} = {block.successors[0]};"))
        else:
            body.append(Statement(leave.text, leave.names))
        body.append(Statement("break;"))
        arms.append(Scope(f"case {number}:", body))
    loop = Scope("while (true)", [Scope(f"switch ({variable})", arms)], live_across)
    return [Statement(f"int {variable} = {graph.order[0]};"), loop]
