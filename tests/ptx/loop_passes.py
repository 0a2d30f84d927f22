"""The transformations of loops, run as the translator runs them, with their own results."""

from __future__ import annotations

from dataclasses import dataclass, field

from cuda_shim.translate.ptx.control_flow import do_while_loops
from cuda_shim.translate.ptx.countdown_loops import rewrite_countdown_loops
from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.graph import build
from cuda_shim.translate.ptx.induction import CountedLoop, rewrite_counted_loops
from cuda_shim.translate.ptx.liveness import live_at_starts
from cuda_shim.translate.ptx.module import Instruction, Register
from cuda_shim.translate.ptx.parser import parse
from cuda_shim.translate.ptx.promote_params import promote_parameters
from cuda_shim.translate.ptx.ranges import fold
from cuda_shim.translate.ptx.reroll import reroll_loops
from cuda_shim.translate.ptx.structurizer import structurize

__all__ = ["LoopPasses", "run_loop_passes"]

NO_RESULTS: frozenset[str] = frozenset()


@dataclass
class LoopPasses:
    """The loops that each transformation changed in the kernels of a module.

    Attributes:
        rerolled: the counters of rerolled loops.
        counted_down: the counters of loops that counted down.
        counted: the loops that get a `for` head.
        folded_choices: the number of choices (`selp`) that became moves in loops that counted down.
    """

    rerolled: list[str] = field(default_factory=list)
    counted_down: list[str] = field(default_factory=list)
    counted: list[CountedLoop] = field(default_factory=list)
    folded_choices: int = 0

    def counted_from(self, counter: str) -> list[CountedLoop]:
        """Return the loops whose counter starts from a register."""
        return [loop for loop in self.counted if loop.init.operands[1] == Register(counter)]


def run_loop_passes(text: str) -> LoopPasses:
    """Run the transformations on each kernel of a text."""
    passes = LoopPasses()
    module, _ = parse(text)
    for function in module.functions.values():
        promote_parameters(function)
        graph = build(function, PtxError)
        range_of = fold(graph, function, live_at_starts(graph, NO_RESULTS)[graph.order[0]], {})
        graph, rerolled = reroll_loops(graph, function, NO_RESULTS, range_of)
        headers = do_while_loops(structurize(graph))
        choices = _choices([item for number in graph.order for item in graph.blocks[number].instructions])
        counted_down = rewrite_countdown_loops(graph, function, NO_RESULTS, headers)
        passes.folded_choices += choices - _choices(
            [item for number in graph.order for item in graph.blocks[number].instructions]
        )
        counted = rewrite_counted_loops(graph, function, NO_RESULTS, headers)
        passes.rerolled += rerolled
        passes.counted_down += counted_down
        passes.counted += counted.values()
    return passes


def _choices(instructions: list[Instruction]) -> int:
    return sum(item.opcode.startswith("selp.") for item in instructions)
