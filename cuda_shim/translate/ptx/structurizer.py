"""The structurizer: loops, ifs and switches from a control-flow graph.

Problem: C++ has no jumps into or out of arbitrary blocks, and compilers see loops better than a dispatch loop.

    A: @p bra C;  B: ...;  C: ...;  @q bra A;  D: ...           // before
    while (true) { A; if (!p) { B; } C; if (!q) break; } D;     // after

Each block is emitted once, behind the block that dominates it: a block that only one branch reaches is in that branch's
arm, and a merge block is behind the whole branch. A jump to the next statement vanishes; one to a loop's header or its
end is `continue` or `break`. The remaining jumps skip code in between: they set a variable, which the skipped code
tests. (Ramsey, "Beyond Relooper", 2022, gives the nesting; C++ has no break out of two loops, hence the variables.)

What must hold: the graph is reducible. Limits: an irreducible function is emitted as a dispatch loop (control_flow.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from cuda_shim.translate.ptx.graph import Graph

__all__ = [
    "Break",
    "Code",
    "Continue",
    "If",
    "Jump",
    "Leave",
    "Loop",
    "Node",
    "Skip",
    "SkipVariable",
    "Switch",
    "structurize",
]


@dataclass
class Code:
    """The instructions of a block."""

    block: int


@dataclass
class If:
    """A branch by the condition of a block, or by skip variables.

    `skipped` runs `then` if none of them is set, `leaving` if any is.
    """

    block: int
    then: list[Node]
    otherwise: list[Node] = field(default_factory=list)
    skips: tuple[int, ...] = ()
    any_skip: bool = False


@dataclass
class Switch:
    """A branch by a table: each arm with the numbers that choose it."""

    block: int
    arms: list[tuple[list[int], list[Node]]]


@dataclass
class Loop:
    """A loop that only a Break or Leave ends."""

    header: int
    body: list[Node]


@dataclass
class Break:
    """The end of the innermost loop."""


@dataclass
class Continue:
    """The next iteration of the innermost loop."""


@dataclass
class Leave:
    """The end of the function."""


@dataclass
class Skip:
    """Sets the skip variable of a target."""

    target: int


@dataclass
class SkipVariable:
    """Declares the skip variable of a target, which is not set."""

    target: int


@dataclass
class Jump:
    """A jump to a block, before it is lowered."""

    target: int


@dataclass
class _Labeled:
    """Nodes that may jump behind themselves: `target` comes next."""

    target: int
    body: list[Node]


Node: TypeAlias = "Code | If | Switch | Loop | Break | Continue | Leave | Skip | SkipVariable | Jump | _Labeled"


def structurize(graph: Graph) -> list[Node]:
    """Return the nested form of a reducible graph."""
    return _Lowering().lowered(_DominatorTreeWalk(graph).nested())


class _DominatorTreeWalk:
    """Nests blocks by dominance; jumps stay jumps."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._loops_of = graph.enclosing_loops()
        self._inside: dict[int, list[int]] = {number: [] for number in graph.order}
        self._behind: dict[int, list[int]] = {number: [] for number in graph.order}
        for number in graph.order[1:]:
            self._place(number)

    def nested(self) -> list[Node]:
        return self._tree(self._graph.order[0])

    def _place(self, number: int) -> None:
        """Find the place of a merge block or a loop's exit: the block that it is inside or behind."""
        graph = self._graph
        above = graph.dominator[number]
        left = [header for header in self._loops_of[above] if header not in self._loops_of[number]]
        if left and not self._is_final(number, left[0]):
            self._behind[left[0]].append(number)
        elif self._forward(number) > 1:
            self._inside[above].append(number)

    def _is_final(self, number: int, header: int) -> bool:
        """Return whether a loop's exit only ends the function, has one predecessor, and is not the only exit."""
        graph = self._graph
        if self._forward(number) != 1 or graph.blocks[number].successors:
            return False
        ways = {way for inside in graph.loops[header] for way in graph.blocks[inside].successors} - graph.loops[header]
        return len(ways) > 1

    def _forward(self, number: int) -> int:
        """Return the number of edges to a block, except back edges."""
        graph = self._graph
        return sum(
            graph.blocks[way].successors.count(number)
            for way in graph.predecessors[number]
            if graph.rank[way] < graph.rank[number]
        )

    def _tree(self, number: int) -> list[Node]:
        """Return a block and the blocks placed inside or behind it; only jumps end loops."""
        found: list[Node] = []
        while True:
            nodes = self._own(number)
            followers = self._sorted(self._inside[number])
            if number in self._graph.loops:
                nodes = [Loop(number, self._with_followers(nodes, followers))]
                followers = self._sorted(self._behind[number])
            if not followers:
                return found + nodes
            # A loop instead of recursion: a function may have thousands of consecutive merges.
            found.append(_Labeled(followers[-1], self._with_followers(nodes, followers[:-1])))
            number = followers[-1]

    def _with_followers(self, nodes: list[Node], followers: list[int]) -> list[Node]:
        for follower in followers:
            nodes = [_Labeled(follower, nodes), *self._tree(follower)]
        return nodes

    def _sorted(self, followers: list[int]) -> list[int]:
        return sorted(followers, key=lambda number: self._graph.rank[number])

    def _own(self, number: int) -> list[Node]:
        block = self._graph.blocks[number]
        nodes: list[Node] = [Code(number)]
        if block.index is not None:
            arms: dict[int, list[int]] = {}
            for place, target in enumerate(block.successors):
                arms.setdefault(target, []).append(place)
            nodes.append(Switch(number, [(places, self._way(number, target)) for target, places in arms.items()]))
        elif len(block.successors) == 2:
            first, second = block.successors
            if first == second:
                return nodes + self._way(number, first)
            nodes.append(If(number, self._way(number, first), self._way(number, second)))
        elif block.successors:
            nodes += self._way(number, block.successors[0])
        else:
            nodes.append(Leave())
        return nodes

    def _way(self, source: int, target: int) -> list[Node]:
        graph = self._graph
        back = graph.rank[target] <= graph.rank[source]
        placed = target in self._inside[graph.dominator.get(target, target)] or any(
            target in self._behind[header] for header in self._loops_of[source]
        )
        if back or placed or self._forward(target) > 1:
            return [Jump(target)]
        return self._tree(target)


@dataclass(frozen=True)
class _ListContext:
    """The context of a list of nodes.

    Attributes:
        next: the targets that control reaches by falling off the end of the list.
        header: the innermost loop's header, -1 outside of loops.
        behind: the targets that the end of the innermost loop leads to.
        local: the targets inside the innermost loop's body.
        in_switch: whether `break` would end a switch.
    """

    next: frozenset[int]
    header: int = -1
    behind: frozenset[int] = frozenset()
    local: frozenset[int] = frozenset()
    in_switch: bool = False


_NO_TARGETS: frozenset[int] = frozenset()
_END = -2


@dataclass
class _PendingSkips:
    """Targets whose skip variables may be set.

    Attributes:
        falling: when control falls off the end of a list.
        left: when the innermost loop is left, or its next iteration starts.
    """

    falling: set[int] = field(default_factory=set)
    left: set[int] = field(default_factory=set)

    def add(self, other: _PendingSkips) -> None:
        self.falling |= other.falling
        self.left |= other.left

    def take(self, target: int) -> bool:
        """Remove a target; return whether it was among them."""
        known = target in self.falling or target in self.left
        self.falling.discard(target)
        self.left.discard(target)
        return known


class _Lowering:
    """Turns jumps into falling through, break, continue and skips."""

    def lowered(self, nodes: list[Node]) -> list[Node]:
        found, _ = self._list(nodes, _ListContext(frozenset({_END})))
        return found

    def _list(self, nodes: Sequence[Node], around: _ListContext) -> tuple[list[Node], _PendingSkips]:
        found: list[Node] = []
        every = _PendingSkips()
        for place, node in enumerate(nodes):
            last = place == len(nodes) - 1
            made, skips = self._node(node, around if last else replace(around, next=_NO_TARGETS))
            found += made
            if skips.falling:
                rest, more = self._list(nodes[place + 1 :], around)
                found += self._guarded(rest, skips, around)
                every.add(skips)
                every.add(more)
                return found, every
            every.add(skips)
        return found, every

    def _guarded(self, rest: list[Node], skips: _PendingSkips, around: _ListContext) -> list[Node]:
        """Return the rest of a list behind a node that may have jumped over it."""
        found: list[Node] = []
        if around.header >= 0:
            leaving = sorted(
                target for target in skips.falling if target not in around.local and target != around.header
            )
            leaving = [] if around.in_switch else leaving
            if leaving:
                found.append(If(-1, [Break()], skips=tuple(leaving), any_skip=True))
            if around.header in skips.falling:
                leaving.append(around.header)
                found.append(If(-1, [Continue()], skips=(around.header,), any_skip=True))
            skips.falling.difference_update(leaving)
            skips.left.update(leaving)
        if skips.falling and rest:
            return [*found, If(-1, rest, skips=tuple(sorted(skips.falling)))]
        return found + rest

    def _node(self, node: Node, around: _ListContext) -> tuple[list[Node], _PendingSkips]:
        if isinstance(node, Jump):
            return self._jump(node.target, around)
        if isinstance(node, _Labeled):
            target = node.target
            made, skips = self._list(
                node.body, replace(around, next=frozenset({target}), local=around.local | {target})
            )
            return ([SkipVariable(target), *made] if skips.take(target) else made), skips
        if isinstance(node, Leave):
            return ([] if _END in around.next else [node]), _PendingSkips()
        if isinstance(node, If):
            then, skips = self._list(node.then, around)
            otherwise, more = self._list(node.otherwise, around)
            skips.add(more)
            return [If(node.block, then, otherwise)], skips
        if isinstance(node, Switch):
            return self._switch(node, around)
        if isinstance(node, Loop):
            return self._loop(node, around)
        return [node], _PendingSkips()

    def _switch(self, node: Switch, around: _ListContext) -> tuple[list[Node], _PendingSkips]:
        arms, every = [], _PendingSkips()
        for places, nodes in node.arms:
            made, skips = self._list(nodes, replace(around, in_switch=True))
            arms.append((places, made))
            every.add(skips)
        return [Switch(node.block, arms)], every

    def _loop(self, node: Loop, around: _ListContext) -> tuple[list[Node], _PendingSkips]:
        body, skips = self._list(node.body, _ListContext(frozenset({node.header}), node.header, around.next))
        if skips.take(node.header):
            body.insert(0, SkipVariable(node.header))
        return [Loop(node.header, body)], _PendingSkips(skips.falling | skips.left)

    def _jump(self, target: int, around: _ListContext) -> tuple[list[Node], _PendingSkips]:
        if target in around.next:
            return [], _PendingSkips()
        if target == around.header:
            return [Continue()], _PendingSkips()
        if around.header >= 0 and target in around.behind and not around.in_switch:
            return [Break()], _PendingSkips()
        if around.header >= 0 and target not in around.local and not around.in_switch:
            return [Skip(target), Break()], _PendingSkips(left={target})
        return [Skip(target)], _PendingSkips(falling={target})
