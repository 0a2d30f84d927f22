"""The place of a statement in a random kernel: the threads that come there together, and the names in scope."""

from __future__ import annotations

import dataclasses

#: The most times that the innermost statement of nested loops may run in one thread.
MOST_ROUNDS = 500


@dataclasses.dataclass(frozen=True)
class Place:
    """A scope, and the threads that reach it together."""

    block: bool = True  # all threads of the block: barriers are allowed
    warp: bool = True  # whole warps: warp operations are allowed
    depth: int = 0
    in_switch: bool = False  # hiprtc understands little of a switch: no loops and lambdas there
    rounds: int = 1  # the trip counts of the loops around it, multiplied
    uniforms: tuple[str, ...] = ("n", "m")  # equal in all threads of the block
    names: tuple[str, ...] = ()  # integers of the thread that may be assigned
    numbers: tuple[str, ...] = ()  # floating-point variables of the thread that may be assigned
    constants: tuple[str, ...] = ("t", "g")

    def inside(self, rounds: int = 1, **changes: object) -> Place:
        """Return a scope within this one, in a loop of `rounds` rounds."""
        return dataclasses.replace(self, depth=self.depth + 1, rounds=self.rounds * rounds, **changes)  # type: ignore[arg-type]

    def alone(self, rounds: int = 1, *constants: str) -> Place:
        """Return a scope that each thread reaches by itself."""
        return self.inside(rounds, block=False, warp=False, constants=(*self.constants, *constants))

    def with_names(self, *names: str) -> Place:
        return dataclasses.replace(self, names=(*self.names, *names))

    def with_numbers(self, *numbers: str) -> Place:
        return dataclasses.replace(self, numbers=(*self.numbers, *numbers))

    def with_constants(self, *names: str) -> Place:
        return dataclasses.replace(self, constants=(*self.constants, *names))

    def with_uniforms(self, *names: str) -> Place:
        return dataclasses.replace(self, uniforms=(*self.uniforms, *names))

    def has_room_for(self, rounds: int) -> bool:
        """Return whether a loop of `rounds` rounds is short enough here."""
        return self.rounds * rounds <= MOST_ROUNDS


#: Statements, and the place behind them, where their declarations are known.
Written = tuple[list[str], Place]
