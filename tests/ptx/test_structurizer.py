"""Loops and ifs from branches: the written code runs the same blocks in the same order, for any branches."""

from __future__ import annotations

import contextlib
import random

import pytest

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
from cuda_shim.translate.ptx.writer import translate
from tests.ptx.texts import SAXPY, kernel

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
        ways = len(self.graph.blocks[number].successors)
        return random.Random(f"{self.seed} {number} {self.visits[number]}").randrange(ways)  # noqa: S311

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
        ways = 1 if kind < 0.35 else 2 if kind < 0.92 else chance.randint(3, 4)
        near = [min(count - 1, block.number + chance.randint(1, 3)) for _ in range(ways)]
        block.successors = [chance.randrange(1, count) if chance.random() < 0.3 else way for way in near]
        if ways == 2:
            block.condition = Register("%p")
        elif ways > 2:
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


def test_what_a_kernel_looks_like():
    """Normal code: the names of parameters, the thread's index as such, a variable where its value is made."""
    text = translate(SAXPY).source
    assert "int r1 = blockIdx.x * blockDim.x + threadIdx.x;" in text
    assert "if (!(r1 >= (int)reg_saxpy_param_3)) {" in text
    assert "goto" not in text
    assert "switch" not in text
    assert "__launch_bounds__(256)" in text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra L;\nst.global.u32 [%rd1], %r2;", "} while ("),
        ("ld.global.u32 %r2, [%rd2];\nL: setp.eq.u32 %p1, %r2, 0; @%p1 bra E; sub.u32 %r2, %r2, 1; bra L;\nE:", "while ("),
        ("T: .branchtargets A, B, C;\nbrx.idx %r1, T;\nA: mov.u32 %r2, 1; bra E;\nB: mov.u32 %r2, 2; bra E;\nC: mov.u32 %r2, 3;\nE: st.global.u32 [%rd1], %r2;", "switch ("),
    ],
)  # fmt: skip
def test_forms(body, expected):
    assert expected in translate(kernel(body)).source


def test_an_irreducible_function_is_dispatched():
    """Two ways into one cycle: no loop has them."""
    text = translate(
        kernel(
            "setp.eq.u32 %p1, %r1, 0; @%p1 bra B;\nA: add.u32 %r2, %r2, 1;\nB: add.u32 %r2, %r2, 2; setp.lt.u32 %p2, %r2, 50; @%p2 bra A;"
        )
    ).source
    assert "switch (block)" in text
