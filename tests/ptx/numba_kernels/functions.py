"""Random numbers, and functions that kernels call."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ptx.numba_kernels.base import (
    HOPPER,
    LINES,
    VOLTA,
    case,
    cuda,
    floats,
    whole,
    zeros,
)
from tests.ptx.numba_kernels.base import random as numba_random

STATE = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
uniform = numba_random.xoroshiro128p_uniform_float32
uniform_double = numba_random.xoroshiro128p_uniform_float64
normal = numba_random.xoroshiro128p_normal_float32
NOT_INLINED = {"opt": False}


def _states(random, count):
    states = np.zeros(count, STATE)
    for name in ("s0", "s1"):
        states[name] = random.integers(1, (1 << 64) - 1, count, np.uint64)
    return states


def _next(s0, s1):
    mask = (1 << 64) - 1
    found = (s0 + s1) & mask
    s1 ^= s0
    turn = lambda v, by: (v << by | v >> 64 - by) & mask  # noqa: E731
    return (turn(s0, 55) ^ s1 ^ (s1 << 14)) & mask, turn(s1, 36), found


def uniform_numbers(states: Any, single: Any, double: Any) -> None:
    i = cuda.grid(1)
    if i < states.size:
        for k in range(single.shape[1]):
            single[i, k] = uniform(states, i)
        double[i] = uniform_double(states, i)


def _uniform(states, count):
    found, last = [], []
    for s in states:
        a, b = int(s["s0"]), int(s["s1"])
        row = []
        for _ in range(count + 1):
            a, b, value = _next(a, b)
            row.append((value >> 11) * 2.0**-53)
        found.append(row[:-1])
        last.append(row[-1])
    return np.array(found, np.float32), np.array(last)


@case(uniform_numbers, also={"volta": VOLTA}, grid=1, block=64)
def _(random):
    states = _states(random, 50)
    single, double = _uniform(states, 4)
    return [states, zeros(50, 4), zeros(50, dtype=np.float64)], {1: single, 2: double}


def circle_area(states: Any, hits: Any) -> None:
    i = cuda.grid(1)
    if i < states.size:
        inside = 0
        for _ in range(50):
            x, y = uniform(states, i), uniform(states, i)
            if x * x + y * y <= np.float32(1):
                inside += 1
        cuda.atomic.add(hits, 0, inside)


@case(circle_area, also={"hopper": HOPPER}, grid=1, block=64)
def _(random):
    return [_states(random, 60), zeros(1, dtype=np.int32)], {}


def normal_numbers(states: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < states.size:
        out[i] = normal(states, i)


@case(normal_numbers, grid=1, block=64, near=1e-4)
def _(random):
    states = _states(random, 50)
    pairs = _uniform(states, 2)[0]
    found = np.sqrt(-2 * np.log(pairs[:, 0])) * np.cos(2 * np.pi * pairs[:, 1])
    return [states, zeros(50)], {1: found}


def congruential_walk(seeds: Any, steps: Any, places: Any) -> None:
    i = cuda.grid(1)
    if i >= seeds.size:
        return
    seed = seeds[i]
    x = y = 0
    for _ in range(steps):
        seed = np.uint32(seed * np.uint32(1664525) + np.uint32(1013904223))
        way = seed >> 30
        if way == 0:
            x += 1
        elif way == 1:
            x -= 1
        elif way == 2:
            y += 1
        else:
            y -= 1
    places[i, 0], places[i, 1] = x, y


@case(congruential_walk, also=LINES, grid=1, block=64)
def _(random):
    seeds, places = whole(random, 0, 1 << 32, 50, dtype=np.uint32), np.zeros((50, 2), np.int64)
    now = seeds.astype(np.int64)
    for _ in range(40):
        now = (now * 1664525 + 1013904223) % 2**32
        places += np.array([(1, 0), (-1, 0), (0, 1), (0, -1)])[now >> 30]
    return [seeds, np.int32(40), zeros(50, 2, dtype=np.int32)], {2: places}


@cuda.jit(device=True, inline=True)
def clamped(value, low, high):
    return min(max(value, low), high)


@cuda.jit(device=True)
def both(a, b):
    if a > b:
        return b, a
    return a, b


@cuda.jit(device=True)
def folded(values, start):
    total = 0
    for k in range(start, values.size, 5):
        total = total * 31 + values[k]
        if total > 1000000:
            return -total
    return total


def calls(values: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < out.size:
        low, high = both(values[i], values[(i + 3) % values.size])
        out[i] = clamped(folded(values, i), low * 1000, high * 10000) + low - high


def _folded(values, start):
    total = 0
    for value in map(int, values[start::5]):
        total = total * 31 + value
        if total > 1000000:
            return -total
    return total


@case(
    calls,
    also={"plainly": {"options": NOT_INLINED}, "plain_hopper": {"options": NOT_INLINED, **HOPPER}},
    grid=1,
    block=64,
)
def _(random):
    values = whole(random, -50, 50, 40, dtype=np.int64)
    low, high = np.sort([values, np.roll(values, -3)], 0)
    out = [min(max(_folded(values, i), low[i] * 1000), high[i] * 10000) + low[i] - high[i] for i in range(40)]
    return [values, zeros(40, dtype=np.int64)], {1: np.array(out)}


@cuda.jit(device=True)
def integrand(x, power):
    return x**power + 1.0 / (1.0 + x)


@cuda.jit(device=True)
def simpson(low, high, power):
    return (high - low) / 6 * (integrand(low, power) + 4 * integrand((low + high) / 2, power) + integrand(high, power))


def integrals(limits: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < limits.size:
        total = 0.0
        for k in range(8):
            total += simpson(limits[i] * k / 8, limits[i] * (k + 1) / 8, 3)
        out[i] = total


@case(integrals, grid=1, block=64, near=1e-4)
def _(random):
    limits = floats(random, 50, low=0.1, high=3, dtype=np.float64)
    return [limits, zeros(50, dtype=np.float64)], {1: limits**4 / 4 + np.log(1 + limits)}


@cuda.jit(device=True)
def filled(tile, value):
    tile[cuda.threadIdx.x] = value
    cuda.syncthreads()
    return tile[cuda.blockDim.x - 1 - cuda.threadIdx.x]


def barriers_in_functions(x: Any, out: Any) -> None:
    tile = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    first = filled(tile, x[t])
    cuda.syncthreads()
    out[t] = filled(tile, first * 2 + x[t])


@case(barriers_in_functions, also={"plainly": {"options": NOT_INLINED}}, grid=1, block=64)
def _(random):
    x = whole(random, -99, 99, 64)
    return [x, zeros(64, dtype=np.int32)], {1: (x[::-1] * 2 + x)[::-1]}
