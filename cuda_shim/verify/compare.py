"""Compares results with the recorded ones, by the rules of the recordings. The tests compare with it as well."""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cuda_shim.verify.launches import Array, Case, Expected, Result
from cuda_shim.verify.value_limits import Signature, is_alike

__all__ = ["Difference", "Lines", "compare_lines", "differences", "elements", "sampled", "wrong_bits", "wrong_elements"]

#: The element types' codes in module struct.
_CODES = {
    "|i1": "b", "|u1": "B", "|b1": "?", "<i2": "h", "<u2": "H", "<i4": "i", "<u4": "I", "<i8": "q", "<u8": "Q",
    "<f2": "e", "<f4": "f", "<f8": "d",
}  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """One element that is not as recorded: where it is, both values as text, and how many more there are."""

    place: int | str
    index: int
    recorded: str
    actual: str
    count: int
    total: int

    def __str__(self) -> str:
        where = f"argument {self.place}" if isinstance(self.place, int) else f"variable {self.place}"
        return f"{where}[{self.index}] is {self.actual}, recorded {self.recorded}; {self.count} of {self.total} differ"


def differences(case: Case, results: Result) -> Iterator[Difference]:
    """Yield the first difference of each array that is not as recorded."""
    for expected in case.expected:
        actual = sampled(results[expected.place], expected.type, expected.step)
        bad = _wrong(expected, actual, case.launch.arguments)
        if bad:
            first, width = bad[0], int(expected.type[2:])
            pieces = (data[first * width : (first + 1) * width] for data in (expected.recorded, actual))
            recorded, here = (_shown(piece, expected) for piece in pieces)
            total = len(expected.recorded) // width
            yield Difference(expected.place, first * expected.step, recorded, here, len(bad), total)


def sampled(data: bytes, type_: str, step: int) -> bytes:
    """Return every `step`-th element."""
    width = int(type_[2:])
    return data if step == 1 else b"".join(data[at : at + width] for at in range(0, len(data), step * width))


def elements(data: bytes, type_: str) -> Sequence[float | bytes]:
    """Return the elements of a type; structures as their bytes."""
    width = int(type_[2:])
    if type_ not in _CODES:
        return [data[at : at + width] for at in range(0, len(data), width)]
    return struct.unpack(f"<{len(data) // width}{_CODES[type_]}", data)


def wrong_elements(recorded: bytes, actual: bytes, type_: str, relative: float, absolute: float) -> list[int]:
    """Return the indices of the elements that are farther apart than absolute + relative * abs(recorded).

    Two NaNs are equal; structures are compared by their bytes.
    """
    if actual == recorded:
        return []
    pairs = itertools.zip_longest(elements(recorded, type_), elements(actual, type_))
    return [at for at, (theirs, ours) in enumerate(pairs) if not _is_near(theirs, ours, relative, absolute)]


def _is_near(recorded: float | bytes | None, actual: float | bytes | None, relative: float, absolute: float) -> bool:
    if recorded == actual:
        return True
    if isinstance(recorded, (bytes, type(None))) or isinstance(actual, (bytes, type(None))):
        return False
    if math.isnan(recorded) and math.isnan(actual):
        return True
    return math.isfinite(recorded) and abs(recorded - actual) <= absolute + relative * abs(recorded)


def _wrong(expected: Expected, actual: bytes, arguments: Sequence[object]) -> list[int]:
    """Return the indices of the elements that are not as recorded."""
    rule, type_ = expected.rule, expected.type
    if actual == expected.recorded:
        return []
    pairs = itertools.zip_longest(elements(expected.recorded, type_), elements(actual, type_))
    if rule.function:
        function = Signature.of(rule.function)
        columns = [elements(each.data, each.type) for each in arguments if isinstance(each, Array)][:-1]
        rows = list(zip(*columns, strict=True))
        return [
            at
            for at, (recorded, here) in enumerate(pairs)
            if not is_alike(function, type_, rows[at], recorded, here)  # type: ignore[arg-type]
        ]
    if rule.instruction:
        operands = next(each for each in arguments[1:] if isinstance(each, Array))
        return wrong_bits(rule.instruction, elements(operands.data, operands.type), list(pairs))  # type: ignore[arg-type]
    return wrong_elements(expected.recorded, actual, type_, rule.relative, rule.absolute)


def wrong_bits(opcode: str, operands: Sequence[int], pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Compare the results of an instruction of PTX, whose operands are pairs of 64-bit words.

    A remainder by zero is undefined in PTX.
    """
    undefined = opcode.startswith("rem.")
    return [
        at
        for at, (recorded, here) in enumerate(pairs)
        if not (undefined and operands[2 * at + 1] == 0) and _canonical(opcode, recorded) != _canonical(opcode, here)
    ]


def _canonical(opcode: str, bits: int) -> int | str:
    """Return the bits of a result; NaNs, whose payloads are not compared, are one."""
    parts = opcode.split(".")
    kind = parts[-2] if parts[0] == "cvt" else parts[-1]
    code = {"f16": ("<H", "<e"), "f32": ("<I", "<f"), "f64": ("<Q", "<d")}.get(kind)
    if code is None:
        return bits
    mask = (1 << 8 * struct.calcsize(code[0])) - 1
    (number,) = struct.unpack(code[1], struct.pack(code[0], bits & mask))
    return "NaN" if math.isnan(number) else bits


def _shown(piece: bytes, expected: Expected) -> str:
    if not piece:
        return "missing"
    (value,) = elements(piece, expected.type)
    if isinstance(value, bytes):
        return value.hex()
    return f"{value:#x}" if expected.rule.instruction else repr(value)


@dataclass(frozen=True)
class Lines:
    """The differences of a program's lines from the recorded ones.

    Attributes:
        wrong: the recorded line and the line here, where they differ for no documented reason.
        documented: the recorded line, the line here and the reason, for the other lines that differ.
    """

    wrong: tuple[tuple[str, str], ...]
    documented: tuple[tuple[str, str, str], ...]


def compare_lines(recorded: Sequence[str], actual: Sequence[str], documented: Sequence[tuple[str, str, str]]) -> Lines:
    """Compare a program's lines with the recorded ones; `documented` are lines that differ for a reason."""
    reasons = {(theirs, ours): reason for theirs, ours, reason in documented}
    pairs = [pair for pair in itertools.zip_longest(recorded, actual, fillvalue="") if pair[0] != pair[1]]
    wrong = tuple(pair for pair in pairs if pair not in reasons)
    return Lines(wrong, tuple((*pair, reasons[pair]) for pair in pairs if pair in reasons))
