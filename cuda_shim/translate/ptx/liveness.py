"""Liveness: the registers whose values are still read, at the start of each block and behind a loop."""

from __future__ import annotations

from cuda_shim.translate.ptx.def_use import branch_reads, reads_of, writes_of
from cuda_shim.translate.ptx.graph import Graph

__all__ = ["live_at_starts", "live_behind"]


def live_at_starts(graph: Graph, live_at_return: frozenset[str]) -> dict[int, set[str]]:
    """Return the live registers at the start of each block; `live_at_return` are those that a return takes."""
    wanted: dict[int, set[str]] = {}
    given: dict[int, set[str]] = {}
    for number in graph.order:
        block = graph.blocks[number]
        needs: set[str] = set()
        has: set[str] = set()
        for item in block.instructions:
            needs.update(name for name in reads_of(item) if name not in has)
            if item.guard is None:
                has.update(writes_of(item))
            else:  # without its guard the old value stays
                needs.update(name for name in writes_of(item) if name not in has)
        needs.update(name for name in branch_reads(block) if name not in has)
        if not block.successors:
            needs.update(live_at_return - has)
        wanted[number], given[number] = needs, has
    live = {number: set(wanted[number]) for number in graph.order}
    changed = True
    while changed:
        changed = False
        for number in reversed(graph.order):
            after: set[str] = set()
            for successor in graph.blocks[number].successors:
                after |= live[successor]
            new = wanted[number] | (after - given[number])
            if new != live[number]:
                live[number] = new
                changed = True
    return live


def live_behind(graph: Graph, blocks: set[int], live_at_return: frozenset[str]) -> set[str]:
    """Return the live registers behind a loop with the given blocks."""
    live = live_at_starts(graph, live_at_return)
    ways = {way for number in blocks for way in graph.blocks[number].successors}
    return set().union(*(live[way] for way in ways - blocks))
