"""Loops with break, continue and else, early returns, nested loops and machines of states."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ptx.numba_kernels.base import DEBUG, HOPPER, LINES, VOLTA, case, cuda, floats, whole, zeros


def collatz(starts: Any, steps: Any, highest: Any) -> None:
    i = cuda.grid(1)
    if i >= starts.size:
        return
    n, count, most = starts[i], 0, starts[i]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        most = max(most, n)
        count += 1
    steps[i] = count
    highest[i] = most


def _collatz(n):
    count, most = 0, n
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        most, count = max(most, n), count + 1
    return count, most


@case(collatz, also={**DEBUG, "hopper": HOPPER}, grid=2, block=64)
def _(random):
    starts = whole(random, 1, 3000, 100, dtype=np.int64)
    found = np.array([_collatz(int(n)) for n in starts])
    return [starts, zeros(100, dtype=np.int32), zeros(100, dtype=np.int64)], {1: found[:, 0], 2: found[:, 1]}


def common_divisor(a: Any, b: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < a.size:
        x, y = a[i], b[i]
        while y:
            x, y = y, x % y
        out[i] = x


@case(common_divisor, also=LINES, grid=2, block=128)
def _(random):
    a, b = whole(random, 0, 10000, 200), whole(random, 0, 10000, 200)
    return [a, b, zeros(200, dtype=np.int32)], {2: np.gcd(a, b)}


def primes(numbers: Any, least: Any) -> None:
    i = cuda.grid(1)
    if i >= numbers.size:
        return
    n = numbers[i]
    for d in range(2, n):
        if d * d > n:
            least[i] = n
            break
        if n % d != 0:
            continue
        least[i] = d
        break
    else:
        least[i] = -n


@case(primes, also=DEBUG, grid=2, block=128)
def _(random):
    numbers = np.arange(256, dtype=np.int32)
    least = [-n if n < 3 else next((d for d in range(2, n) if d * d <= n and n % d == 0), n) for n in range(256)]
    return [numbers, zeros(256, dtype=np.int32)], {1: np.array(least)}


def triangle(values: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < out.size:
        total = 0
        for a in range(i % 17):
            for b in range(a, 20, 3):
                if (a + b) % 4 == 1:
                    continue
                if values[a] + values[b] > 15:
                    break
                total += values[a] * b
            else:
                total += 1000
        out[i] = total


def _triangle(values, i):
    total = 0
    for a in range(i % 17):
        for b in range(a, 20, 3):
            if (a + b) % 4 == 1:
                continue
            if values[a] + values[b] > 15:
                break
            total += int(values[a]) * b
        else:
            total += 1000
    return total


@case(triangle, also=DEBUG, grid=2, block=64)
def _(random):
    values = whole(random, 0, 10, 32)
    return [values, zeros(128, dtype=np.int64)], {1: np.array([_triangle(values, i) for i in range(128)])}


def mandelbrot(low_x: Any, low_y: Any, step: Any, out: Any) -> None:
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        c_x, c_y = low_x + x * step, low_y + y * step
        z_x = z_y = 0.0
        count = 0
        for _ in range(60):
            z_x, z_y = z_x * z_x - z_y * z_y + c_x, 2.0 * z_x * z_y + c_y
            if z_x * z_x + z_y * z_y > 4.0:
                break
            count += 1
        out[y, x] = count


@case(mandelbrot, also={"hopper": HOPPER, **LINES}, grid=(4, 6), block=(16, 8))
def _(random):
    return [-2.0, -1.2, 0.05, zeros(48, 60, dtype=np.int32)], {}


def binary_search(table: Any, wanted: Any, places: Any) -> None:
    i = cuda.grid(1)
    if i < wanted.size:
        low, high = 0, table.size
        while low < high:
            middle = (low + high) // 2
            if table[middle] < wanted[i]:
                low = middle + 1
            else:
                high = middle
        places[i] = low


@case(binary_search, also=DEBUG, grid=2, block=128)
def _(random):
    table, wanted = np.sort(floats(random, 1000)), floats(random, 256)
    return [table, wanted, zeros(256, dtype=np.int64)], {2: np.searchsorted(table, wanted)}


def stack_machine(code: Any, x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i >= x.size:
        return
    stack = cuda.local.array(16, np.int64)
    top = 0
    place = 0
    while True:
        what = code[place]
        place += 1
        if what == 0:
            break
        if what == 1:
            stack[top] = code[place]
            place += 1
            top += 1
        elif what == 2:
            stack[top] = x[i]
            top += 1
        elif what == 3:
            stack[top - 2] += stack[top - 1]
            top -= 1
        elif what == 4:
            stack[top - 2] *= stack[top - 1]
            top -= 1
        elif what == 5:
            top -= 1
            if stack[top] > 0:
                place = code[place]
            else:
                place += 1
        else:
            stack[top] = stack[top - 1]
            top += 1
    out[i] = stack[0]


@case(stack_machine, also=DEBUG, grid=2, block=64)
def _(random):
    # y = x; do y += -3 while y > 0; then y * 7
    code = np.array([2, 1, -3, 3, 6, 5, 1, 1, 7, 4, 0], np.int64)
    x = whole(random, 1, 50, 100, dtype=np.int64)
    left = x - 3 * np.maximum(1, -(-x // 3))
    return [code, x, zeros(100, dtype=np.int64)], {2: left * 7}


def square_roots(x: Any, out: Any, rounds: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        guess = x[i] if x[i] > 1 else 1.0
        count = 0
        while count < 50:
            better = 0.5 * (guess + x[i] / guess)
            count += 1
            if abs(better - guess) < 1e-12 * guess:
                guess = better
                break
            guess = better
        out[i] = guess
        rounds[i] = count


@case(square_roots, grid=2, block=64, near=1e-12, **VOLTA)
def _(random):
    x = floats(random, 128, low=0.001, high=1e6, dtype=np.float64)
    return [x, zeros(128, dtype=np.float64), zeros(128, dtype=np.int32)], {1: np.sqrt(x)}


def edit_distance(words: Any, sizes: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i + 1 >= sizes.size:
        return
    row = cuda.local.array(17, np.int32)
    for k in range(sizes[i + 1] + 1):
        row[k] = k
    for a in range(sizes[i]):
        corner, row[0] = row[0], a + 1
        for b in range(sizes[i + 1]):
            kept = row[b + 1]
            cost = 0 if words[i, a] == words[i + 1, b] else 1
            row[b + 1] = min(kept + 1, row[b] + 1, corner + cost)
            corner = kept
    out[i] = row[sizes[i + 1]]


def _edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        new = [i + 1]
        for j, y in enumerate(b):
            new.append(min(row[j + 1] + 1, new[j] + 1, row[j] + (x != y)))
        row = new
    return row[-1]


@case(edit_distance, grid=2, block=32)
def _(random):
    words, sizes = whole(random, 97, 101, 60, 16, dtype=np.uint8), whole(random, 3, 17, 60)
    pairs = [_edit_distance(words[i, : sizes[i]], words[i + 1, : sizes[i + 1]]) for i in range(59)]
    return [words, sizes, zeros(59, dtype=np.int32)], {2: np.array(pairs)}


def queens(size: Any, out: Any) -> None:
    first = cuda.grid(1)
    if first >= size:
        return
    columns = cuda.local.array(12, np.int32)
    columns[0] = first
    row, count = 1, 0
    columns[1] = -1
    while row > 0:
        columns[row] += 1
        if columns[row] >= size:
            row -= 1
            continue
        safe = True
        for above in range(row):
            apart = columns[row] - columns[above]
            if apart == 0 or abs(apart) == row - above:
                safe = False
                break
        if not safe:
            continue
        if row == size - 1:
            count += 1
        else:
            row += 1
            columns[row] = -1
    out[first] = count


@case(queens, also=DEBUG, grid=1, block=32)
def _(random):
    return [np.int32(6), zeros(6, dtype=np.int32)], {1: np.array([0, 1, 1, 1, 1, 0])}
