"""Contenders that take turns, so that a busy machine slows all of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

__all__ = ["Timed", "take_turns"]

Timed = Callable[[], Any]

#: The turns of a row end after the seconds, but not before the rounds.
SECONDS_OF_A_ROW, LEAST_ROUNDS = 4.0, 3


def take_turns(calls: dict[str, Timed], rounds: int, repeat: int) -> dict[str, float]:
    """Milliseconds of each, the best of all rounds: fewer, but at least three, where they take long."""
    best = dict.fromkeys(calls, float("inf"))
    begin = time.perf_counter()
    for done in range(rounds):
        if done >= LEAST_ROUNDS and time.perf_counter() - begin > SECONDS_OF_A_ROW:
            break
        for column, call in calls.items():
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            best[column] = min(best[column], (time.perf_counter() - start) * 1e3)
    return best
