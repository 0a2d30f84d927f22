"""The structurizer: loops, ifs and switches from a control-flow graph.

Problem: C++ has no jumps into or out of arbitrary blocks, and compilers see loops better than a dispatch loop.

    A: @p bra C;  B: ...;  C: ...;  @q bra A;  D: ...           // before
    while (true) { A; if (!p) { B; } C; if (!q) break; } D;     // after

Each block is emitted once, behind the block that dominates it: a block that only one branch reaches is in that branch's
arm, and a merge block is behind the whole branch. A jump to the next statement vanishes; one to a loop's header or its
end is `continue` or `break`. The remaining jumps skip code in between: they set a variable, which the skipped code
tests. (Ramsey, "Beyond Relooper", 2022, gives the nesting; C++ has no break out of two loops, hence the variables.)

Preconditions: the graph is reducible. Limits: an irreducible function is emitted as a dispatch loop (control_flow.py).
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
    return _Lowering().lowered(_DominatorTreeWalk(graph).nodes())


class _DominatorTreeWalk:
    """Nests blocks by dominance; jumps stay jumps."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._loops_of = graph.enclosing_loops()
        self._merges: dict[int, list[int]] = {number: [] for number in graph.order}
        self._exits: dict[int, list[int]] = {number: [] for number in graph.order}
        for number in graph.order[1:]:
            self._place_block(number)

    def nodes(self) -> list[Node]:
        return self._tree(self._graph.order[0])

    def _place_block(self, number: int) -> None:
        """Find the place of a merge block or a loop's exit: the block that it is inside or behind."""
        graph = self._graph
        dominator = graph.dominator[number]
        exited_loops = [header for header in self._loops_of[dominator] if header not in self._loops_of[number]]
        if exited_loops and not self._is_final(number, exited_loops[0]):
            self._exits[exited_loops[0]].append(number)
        elif self._forward_edges(number) > 1:
            self._merges[dominator].append(number)

    def _is_final(self, number: int, header: int) -> bool:
        """Return whether a loop's exit only ends the function, has one predecessor, and is not the only exit."""
        graph = self._graph
        if self._forward_edges(number) != 1 or graph.blocks[number].successors:
            return False
        loop = graph.loops[header]
        exits = {successor for block in loop for successor in graph.blocks[block].successors} - loop
        return len(exits) > 1

    def _forward_edges(self, number: int) -> int:
        """Return the number of edges to a block, except back edges."""
        graph = self._graph
        return sum(
            graph.blocks[predecessor].successors.count(number)
            for predecessor in graph.predecessors[number]
            if graph.rank[predecessor] < graph.rank[number]
        )

    def _tree(self, number: int) -> list[Node]:
        """Return a block and the blocks placed inside or behind it; only jumps end loops."""
        result: list[Node] = []
        while True:
            nodes = self._block_nodes(number)
            followers = self._sorted(self._merges[number])
            if number in self._graph.loops:
                nodes = [Loop(number, self._with_followers(nodes, followers))]
                followers = self._sorted(self._exits[number])
            if not followers:
                return result + nodes
            # A loop instead of recursion: a function may have thousands of consecutive merges.
            result.append(_Labeled(followers[-1], self._with_followers(nodes, followers[:-1])))
            number = followers[-1]

    def _with_followers(self, nodes: list[Node], followers: list[int]) -> list[Node]:
        for follower in followers:
            nodes = [_Labeled(follower, nodes), *self._tree(follower)]
        return nodes

    def _sorted(self, followers: list[int]) -> list[int]:
        return sorted(followers, key=lambda number: self._graph.rank[number])

    def _block_nodes(self, number: int) -> list[Node]:
        block = self._graph.blocks[number]
        nodes: list[Node] = [Code(number)]
        if block.index is not None:
            arms: dict[int, list[int]] = {}
            for index, target in enumerate(block.successors):
                arms.setdefault(target, []).append(index)
            nodes.append(
                Switch(number, [(indices, self._edge_nodes(number, target)) for target, indices in arms.items()])
            )
        elif len(block.successors) == 2:
            first, second = block.successors
            if first == second:
                return nodes + self._edge_nodes(number, first)
            nodes.append(If(number, self._edge_nodes(number, first), self._edge_nodes(number, second)))
        elif block.successors:
            nodes += self._edge_nodes(number, block.successors[0])
        else:
            nodes.append(Leave())
        return nodes

    def _edge_nodes(self, source: int, target: int) -> list[Node]:
        graph = self._graph
        is_back_edge = graph.rank[target] <= graph.rank[source]
        is_placed = target in self._merges[graph.dominator.get(target, target)] or any(
            target in self._exits[header] for header in self._loops_of[source]
        )
        if is_back_edge or is_placed or self._forward_edges(target) > 1:
            return [Jump(target)]
        return self._tree(target)


@dataclass(frozen=True)
class _ListContext:
    """The context of a list of nodes.

    Attributes:
        fallthrough: the targets that control reaches by falling off the end of the list.
        header: the innermost loop's header, -1 outside of loops.
        after_loop: the targets that the end of the innermost loop leads to.
        targets_in_loop: the targets inside the innermost loop's body.
        in_switch: True if `break` would end a switch.
    """

    fallthrough: frozenset[int]
    header: int = -1
    after_loop: frozenset[int] = frozenset()
    targets_in_loop: frozenset[int] = frozenset()
    in_switch: bool = False


_NO_TARGETS: frozenset[int] = frozenset()
_END = -2


@dataclass
class _PendingSkips:
    """Targets whose skip variables may be set.

    Attributes:
        falling_through: when control falls off the end of a list.
        leaving_loop: when the innermost loop is left, or its next iteration starts.
    """

    falling_through: set[int] = field(default_factory=set)
    leaving_loop: set[int] = field(default_factory=set)

    def add(self, other: _PendingSkips) -> None:
        self.falling_through |= other.falling_through
        self.leaving_loop |= other.leaving_loop

    def take(self, target: int) -> bool:
        """Remove a target; return whether it was among them."""
        is_pending = target in self.falling_through or target in self.leaving_loop
        self.falling_through.discard(target)
        self.leaving_loop.discard(target)
        return is_pending


class _Lowering:
    """Turns jumps into falling through, break, continue and skips."""

    def lowered(self, nodes: list[Node]) -> list[Node]:
        lowered, _ = self._list(nodes, _ListContext(frozenset({_END})))
        return lowered

    def _list(self, nodes: Sequence[Node], ctx: _ListContext) -> tuple[list[Node], _PendingSkips]:
        result: list[Node] = []
        pending = _PendingSkips()
        for index, node in enumerate(nodes):
            is_last = index == len(nodes) - 1
            lowered, skips = self._node(node, ctx if is_last else replace(ctx, fallthrough=_NO_TARGETS))
            result += lowered
            if skips.falling_through:
                remaining, rest_skips = self._list(nodes[index + 1 :], ctx)
                result += self._guarded(remaining, skips, ctx)
                pending.add(skips)
                pending.add(rest_skips)
                return result, pending
            pending.add(skips)
        return result, pending

    def _guarded(self, remaining: list[Node], skips: _PendingSkips, ctx: _ListContext) -> list[Node]:
        """Return the rest of a list behind a node that may have jumped over it."""
        result: list[Node] = []
        if ctx.header >= 0:
            leaving = sorted(
                target for target in skips.falling_through if target not in ctx.targets_in_loop and target != ctx.header
            )
            leaving = [] if ctx.in_switch else leaving
            if leaving:
                result.append(If(-1, [Break()], skips=tuple(leaving), any_skip=True))
            if ctx.header in skips.falling_through:
                leaving.append(ctx.header)
                result.append(If(-1, [Continue()], skips=(ctx.header,), any_skip=True))
            skips.falling_through.difference_update(leaving)
            skips.leaving_loop.update(leaving)
        if skips.falling_through and remaining:
            return [*result, If(-1, remaining, skips=tuple(sorted(skips.falling_through)))]
        return result + remaining

    def _node(self, node: Node, ctx: _ListContext) -> tuple[list[Node], _PendingSkips]:
        if isinstance(node, Jump):
            return self._jump(node.target, ctx)
        if isinstance(node, _Labeled):
            target = node.target
            lowered, skips = self._list(
                node.body, replace(ctx, fallthrough=frozenset({target}), targets_in_loop=ctx.targets_in_loop | {target})
            )
            return ([SkipVariable(target), *lowered] if skips.take(target) else lowered), skips
        if isinstance(node, Leave):
            return ([] if _END in ctx.fallthrough else [node]), _PendingSkips()
        if isinstance(node, If):
            then, skips = self._list(node.then, ctx)
            otherwise, otherwise_skips = self._list(node.otherwise, ctx)
            skips.add(otherwise_skips)
            return [If(node.block, then, otherwise)], skips
        if isinstance(node, Switch):
            return self._switch(node, ctx)
        if isinstance(node, Loop):
            return self._loop(node, ctx)
        return [node], _PendingSkips()

    def _switch(self, node: Switch, ctx: _ListContext) -> tuple[list[Node], _PendingSkips]:
        arms, pending = [], _PendingSkips()
        for indices, nodes in node.arms:
            lowered, skips = self._list(nodes, replace(ctx, in_switch=True))
            arms.append((indices, lowered))
            pending.add(skips)
        return [Switch(node.block, arms)], pending

    def _loop(self, node: Loop, ctx: _ListContext) -> tuple[list[Node], _PendingSkips]:
        body, skips = self._list(node.body, _ListContext(frozenset({node.header}), node.header, ctx.fallthrough))
        if skips.take(node.header):
            body.insert(0, SkipVariable(node.header))
        return [Loop(node.header, body)], _PendingSkips(skips.falling_through | skips.leaving_loop)

    def _jump(self, target: int, ctx: _ListContext) -> tuple[list[Node], _PendingSkips]:
        if target in ctx.fallthrough:
            return [], _PendingSkips()
        if target == ctx.header:
            return [Continue()], _PendingSkips()
        if ctx.header >= 0 and target in ctx.after_loop and not ctx.in_switch:
            return [Break()], _PendingSkips()
        if ctx.header >= 0 and target not in ctx.targets_in_loop and not ctx.in_switch:
            return [Skip(target), Break()], _PendingSkips(leaving_loop={target})
        return [Skip(target)], _PendingSkips(falling_through={target})
