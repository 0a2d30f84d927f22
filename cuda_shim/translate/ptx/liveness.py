"""Liveness: the registers whose values are still read, at the start of each block and behind a loop."""

from __future__ import annotations

from cuda_shim.translate.ptx.def_use import branch_reads, reads_of, writes_of
from cuda_shim.translate.ptx.graph import Graph

__all__ = ["live_at_starts", "live_behind"]


def live_at_starts(graph: Graph, live_at_return: frozenset[str]) -> dict[int, set[str]]:
    """Return the live registers at the start of each block; `live_at_return` are those that a return takes."""
    upward_exposed: dict[int, set[str]] = {}
    defined: dict[int, set[str]] = {}
    for number in graph.order:
        block = graph.blocks[number]
        reads: set[str] = set()
        writes: set[str] = set()
        for item in block.instructions:
            reads.update(name for name in reads_of(item) if name not in writes)
            if item.guard is None:
                writes.update(writes_of(item))
            else:  # without its guard the old value stays
                reads.update(name for name in writes_of(item) if name not in writes)
        reads.update(name for name in branch_reads(block) if name not in writes)
        if not block.successors:
            reads.update(live_at_return - writes)
        upward_exposed[number], defined[number] = reads, writes
    live = {number: set(upward_exposed[number]) for number in graph.order}
    changed = True
    while changed:
        changed = False
        for number in reversed(graph.order):
            live_out: set[str] = set()
            for successor in graph.blocks[number].successors:
                live_out |= live[successor]
            live_in = upward_exposed[number] | (live_out - defined[number])
            if live_in != live[number]:
                live[number] = live_in
                changed = True
    return live


def live_behind(graph: Graph, blocks: set[int], live_at_return: frozenset[str]) -> set[str]:
    """Return the live registers behind a loop with the given blocks."""
    live = live_at_starts(graph, live_at_return)
    successors = {successor for number in blocks for successor in graph.blocks[number].successors}
    return set().union(*(live[successor] for successor in successors - blocks))
