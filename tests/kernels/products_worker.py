"""Products of matrices of doubles, of 4 bits and of single bits, on numbers that numpy multiplies too.

    python -m cuda_shim run --backend cpu -m tests.kernels.products_worker

The registers of mma.sync are filled here, by the rows and columns that PTX's documentation gives for element i of a lane
whose group is `g` and whose place in it is `t`. Prints a line for each form.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.kernels.core_worker import begin, run
from tests.kernels.product_forms import FORMS, PACKED, WMMA, WMMA_FORMS, Form, source


def packed(elements: list[int], bits: int) -> list[int]:
    """Elements as words of 32 bits, the first one lowest."""
    each, mask = 32 // bits, (1 << bits) - 1
    words = [
        sum((int(value) & mask) << (bits * place) for place, value in enumerate(elements[at : at + each]))
        for at in range(0, len(elements), each)
    ]
    return list(np.array(words, np.uint32).astype(np.int32))


def numbers(types: str, sides: tuple[int, int], rng: np.random.Generator) -> Any:
    """A matrix of numbers of a type."""
    if types == "f64":
        return rng.standard_normal(sides)
    low, high = {"s4": (-8, 8), "u4": (0, 16), "b1": (0, 2)}[types]
    return rng.integers(low, high, sides)


def product(a: Any, b: Any, operation: str) -> Any:
    """Return numpy's product of the matrices; for bits, the numbers of bits that differ or are both set."""
    if operation in ("xor", "and"):
        combine = np.bitwise_xor if operation == "xor" else np.bitwise_and
        return combine(a[:, :, None], b[None]).sum(1)
    return a @ b


def of_form(form: Form, rng: np.random.Generator) -> None:
    """Run a form and compare it with numpy."""
    (rows, depth), (_, of_a, of_b, _, *operation) = form.sides, form.types.split(".")
    a, b, c = numbers(of_a, (rows, depth), rng), numbers(of_b, (depth, 8), rng), rng.integers(-9, 9, (rows, 8))
    lanes = []
    for lane in range(32):
        g, t = lane // 4, lane % 4
        parts = [[c[at] for at in places_of_c(rows, g, t)]]
        for matrix, place, count in ((a, form.a, rows * depth // 32), (b, form.b, 8 * depth // 32)):
            elements = [matrix[place(g, t, i)] for i in range(count)]
            parts.append(elements if form.kind == "d" else packed(elements, form.bits))
        lanes.append([number for part in parts for number in part])
    dtype = np.float64 if form.kind == "d" else np.int32
    out = run(source(form), [], 32, np.array(lanes, dtype), np.zeros((32, rows // 4), dtype))
    got = np.zeros((rows, 8), dtype)
    for lane in range(32):
        for i, at in enumerate(places_of_c(rows, lane // 4, lane % 4)):
            got[at] = out[lane, i]
    wanted = product(a, b, operation[0] if operation else "") + c
    assert np.allclose(got, wanted, rtol=1e-14, atol=1e-14) if form.kind == "d" else (got == wanted).all(), form.name
    print(form.name)


def places_of_c(rows: int, g: int, t: int) -> Iterator[tuple[int, int]]:
    """Rows and columns of a lane's elements of c and d."""
    for i in range(rows // 4):
        yield (g if i < 2 else g + 8), t * 2 + i % 2


def of_wmma(name: str, form: dict[str, Any], rng: np.random.Generator) -> None:
    """Run a program that uses nvcuda::wmma and compare it with numpy."""
    type_ = form["type"].removeprefix(PACKED).replace("double", "f64")
    a, b = numbers(type_, (8, form["depth"]), rng), numbers(type_, (form["depth"], 8), rng)
    if type_ == "f64":
        x, out = np.concatenate([a.ravel(), b.ravel()]), np.zeros((8, 8))
    else:
        bits = {"s4": 4, "u4": 4, "b1": 1}[type_]
        x = np.array([*packed(a.ravel().tolist(), bits), *packed(b.T.ravel().tolist(), bits)], np.int32)
        out = np.zeros((8, 8), np.int32)
    got = run(WMMA % form, [], 32, x, out)
    operation = "" if type_ != "b1" else "and" if "AND" in form["product"] else "xor"
    wanted = product(a, b, operation) + 3
    assert np.allclose(got, wanted, rtol=1e-14, atol=1e-14) if type_ == "f64" else (got == wanted).all(), name
    print(name)


def main() -> None:
    """Run every form."""
    begin()
    rng = np.random.default_rng(11)
    for form in FORMS:
        of_form(form, rng)
    for name, wmma in WMMA_FORMS.items():
        of_wmma(name, wmma, rng)


if __name__ == "__main__":
    main()
