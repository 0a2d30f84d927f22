"""The structurizer: its loops and ifs run the same blocks in the same order, for any branches.

The emitted text is in golden/structurizer.ptx and its C++.
"""

from __future__ import annotations

import contextlib
import random

from cuda_shim.translate.ptx.graph import Block, Graph
from cuda_shim.translate.ptx.module import Register
from cuda_shim.translate.ptx.structurizer import (
    Break,
    Code,
    Continue,
    If,
    Leave,
    Loop,
    Skip,
    SkipVariable,
    Switch,
    structurize,
)

LONGEST = 100


class Walk:
    """Runs a function by its graph or by its structure, with the same choices at the same blocks."""

    def __init__(self, graph, seed):
        self.graph, self.seed = graph, seed
        self.trace, self.visits, self.skips = [], {}, {}

    def enter(self, number):
        if len(self.trace) >= LONGEST:
            raise OverflowError
        self.trace.append(number)
        self.visits[number] = self.visits.get(number, 0) + 1

    def choice(self, number):
        successors = len(self.graph.blocks[number].successors)
        return random.Random(f"{self.seed} {number} {self.visits[number]}").randrange(successors)  # noqa: S311

    def by_graph(self):
        number = self.graph.order[0]
        try:
            while True:
                self.enter(number)
                successors = self.graph.blocks[number].successors
                if not successors:
                    return self.trace
                number = successors[self.choice(number) if len(successors) > 1 else 0]
        except OverflowError:
            return self.trace

    def by_structure(self, nodes):
        with contextlib.suppress(OverflowError):
            assert self.run(nodes) in (None, "leave")
        return self.trace

    def run(self, nodes):
        for node in nodes:
            signal = self.step(node)
            if signal is not None:
                return signal
        return None

    def step(self, node):
        if isinstance(node, Code):
            self.enter(node.block)
        elif isinstance(node, If):
            if node.skips:
                any_set = any(self.skips[target] for target in node.skips)
                return self.run(node.then) if any_set == node.any_skip else None
            return self.run(node.otherwise if self.choice(node.block) else node.then)
        elif isinstance(node, Switch):
            place = self.choice(node.block)
            for places, arm in node.arms:
                if place in places:
                    signal = self.run(arm)
                    assert signal != "break", "a break in a switch would only end the switch"
                    return signal
        elif isinstance(node, Loop):
            while True:
                signal = self.run(node.body)
                if signal == "break":
                    return None
                if signal == "leave":
                    return signal
        elif isinstance(node, Skip):
            self.skips[node.target] = True
        elif isinstance(node, SkipVariable):
            self.skips[node.target] = False
        elif isinstance(node, Break):
            return "break"
        elif isinstance(node, Continue):
            return "continue"
        elif isinstance(node, Leave):
            return "leave"
        return None


def random_graph(chance):
    count = chance.randint(2, 14)
    blocks = [Block(number) for number in range(count)]
    for block in blocks:
        kind = chance.random()
        if block.number == count - 1 or kind < 0.08:
            continue
        count_of_successors = 1 if kind < 0.35 else 2 if kind < 0.92 else chance.randint(3, 4)
        near = [min(count - 1, block.number + chance.randint(1, 3)) for _ in range(count_of_successors)]
        block.successors = [chance.randrange(1, count) if chance.random() < 0.3 else way for way in near]
        if count_of_successors == 2:
            block.condition = Register("%p")
        elif count_of_successors > 2:
            block.index = Register("%r")
    return Graph(blocks)


def test_ten_thousand_random_graphs():
    chance = random.Random(14)  # noqa: S311
    reducible = loops = skips = 0
    for number in range(10_000):
        graph = random_graph(chance)
        if not graph.reducible:
            continue
        nodes = structurize(graph)
        reducible += 1
        loops += bool(graph.loops)
        skips += "Skip(" in repr(nodes)
        for seed in range(1):
            expected = Walk(graph, (number, seed)).by_graph()
            assert Walk(graph, (number, seed)).by_structure(nodes) == expected, number
    assert min(reducible, loops * 3, skips * 30) > 5000, (reducible, loops, skips)


def test_a_long_row_of_ifs_needs_no_recursion():
    blocks = []
    for number in range(0, 6000, 2):
        blocks.append(Block(number, condition=Register("%p"), successors=[number + 2, number + 1]))
        blocks.append(Block(number + 1, successors=[number + 2]))
    blocks.append(Block(6000))
    graph = Graph(blocks)
    nodes = structurize(graph)
    assert Walk(graph, 1).by_graph() == Walk(graph, 1).by_structure(nodes)
