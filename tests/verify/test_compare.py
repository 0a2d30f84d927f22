"""The rules by which results are compared with recorded ones."""

from __future__ import annotations

import dataclasses
import math
import struct

import pytest

from cuda_shim.verify.compare import compare_lines, differences, wrong_elements
from cuda_shim.verify.launches import Array, Case, Expected, Launch, Program, Rule
from cuda_shim.verify.outcome import DIFFERS, FAILED, REFUSED, RIGHT
from cuda_shim.verify.programs import judged
from cuda_shim.verify.value_limits import Signature, is_alike

TINY = 2.0**-149


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def test_numbers_are_as_near_as_the_rule_says() -> None:
    recorded = floats(1.0, 2.0, math.nan, math.inf, 0.0)
    assert wrong_elements(recorded, floats(1.0, 2.0, -math.nan, math.inf, -0.0), "<f4", 0, 0) == []
    assert wrong_elements(recorded, floats(1.0, 2.002, 3.0, -math.inf, 1e-9), "<f4", 0, 0) == [1, 2, 3, 4]
    assert wrong_elements(recorded, floats(1.0, 2.002, math.nan, math.inf, 1e-9), "<f4", 0.01, 1e-8) == []
    assert wrong_elements(recorded, floats(1.0, math.nan, math.nan, 1e38, 0.0), "<f4", 0.01, 1.0) == [1, 3]
    assert wrong_elements(b"abcdef", b"abcxef", "|V3", 0, 0) == [1]
    assert wrong_elements(b"\1\2", b"\1", "|u1", 0, 0) == [1]


@pytest.mark.parametrize(
    ("function", "arguments", "recorded", "actual", "alike"),
    [
        ("float __fadd_rn(float, float)", (1.0, 2.0), 3.0, 3.0 + 2.0**-22, False),
        ("float expf(float)", (1.0,), 1.0, 1.0 + 4 * 2.0**-23, True),
        ("float expf(float)", (1.0,), 1.0, 1.0 + 5 * 2.0**-23, False),
        ("float expf(float)", (-100.0,), 0.0, 4 * TINY, True),
        ("float expf(float)", (-100.0,), 0.0, -TINY, False),
        ("double exp(double)", (1.0,), 1.0, 1.0 + 5 * 2.0**-52, False),
        ("float sinf(float)", (0.0,), 0.0, -0.0, False),
        ("float fabsf(float)", (-0.0,), 0.0, -0.0, False),
        ("float __sinf(float)", (4.0,), -0.75, 0.5, True),
        ("float __sinf(float)", (3.0,), 0.14112, 0.1412, False),
        ("float expf(float)", (math.nan,), math.nan, -math.nan, True),
        ("float expf(float)", (100.0,), math.inf, 3e38, False),
        ("float __powf(float, float)", (0.0, 0.0), 1.0, 2.0, False),
        ("float __powf(float, float)", (2.0, 200.0), math.inf, 1.0, True),
        ("int (int)(double)", (math.nan,), -(2**31), 0, True),
        ("int (int)(double)", (1e10,), 2**31 - 1, -(2**31), False),
        ("double hypot(double, double)", (math.inf, math.nan), math.nan, math.inf, True),
    ],
)
def test_device_functions_have_the_limits_of_the_documentation(function, arguments, recorded, actual, alike) -> None:
    kind = {"float": "<f4", "double": "<f8", "int": "<i4"}[function.split()[0]]
    assert is_alike(Signature.of(function), kind, arguments, recorded, actual) == alike


def instruction(opcode: str, recorded: list[int], actual: list[int], operands: list[int]) -> list[str]:
    words = struct.Struct(f"<{len(recorded)}Q")
    arguments = (Array("<u8", (len(recorded),), bytes(words.size)), Array("<u8", (len(operands),), struct.pack(f"<{len(operands)}Q", *operands)))  # fmt: skip
    case = Case("", Launch("", arguments, (1, 1, 1), (1, 1, 1)), (Expected(0, "<u8", 1, words.pack(*recorded), Rule(instruction=opcode)),))  # fmt: skip
    return [str(found) for found in differences(case, {0: words.pack(*actual)})]


def test_nans_of_instructions_are_one_and_remainders_by_zero_are_undefined() -> None:
    assert instruction("add.rn.f32", [0x7FFFFFFF, 1], [0x7FC00000, 1], [0] * 4) == []
    assert instruction("add.rn.f32", [0x7F800000], [0x7FC00000], [0] * 2) != []
    assert instruction("cvt.rn.f16.f32", [0x7FFF], [0x7E00], [0] * 2) == []
    assert instruction("rem.u32", [5, 1], [9, 1], [7, 0, 7, 2]) == []
    assert instruction("rem.u32", [5, 1], [5, 2], [7, 0, 7, 2]) == [
        "argument 0[1] is 0x2, recorded 0x1; 1 of 2 differ"
    ]  # fmt: skip


def test_lines_differ_unless_that_is_documented() -> None:
    documented = (("b: 1", "b: 2", "why"),)
    assert compare_lines(["a: 1", "b: 1"], ["a: 1", "b: 2"], documented).documented == (("b: 1", "b: 2", "why"),)
    assert compare_lines(["a: 1", "b: 1"], ["a: 1", "b: 3"], documented).wrong == (("b: 1", "b: 3"),)
    assert compare_lines(["a: 1", "b: 1"], ["a: 1"], documented).wrong == (("b: 1", ""),)
    assert compare_lines(["a: 1"], ["a: 1", "b: 2"], documented).wrong == (("", "b: 2"),)


def test_a_program_is_refused_where_the_notices_name_the_call() -> None:
    program = Program("p", "p.py", ("cuA: CUresult.CUDA_SUCCESS", "cuB: 1"), ())
    unsupported = ["cuA: CUresult.CUDA_ERROR_NOT_SUPPORTED", "cuB: 2"]
    notice = "cuda_shim: cuA is not supported: HIP has no A\n"
    refused = judged(program, "s", unsupported, notice, "", 1.0)
    assert (refused.state, refused.reason) == (REFUSED, "cuA: HIP has no A")
    assert judged(program, "s", unsupported, "", "", 1.0).state == DIFFERS
    assert judged(program, "s", list(program.lines), notice, "", 1.0).state == RIGHT
    assert judged(program, "s", list(program.lines), "", "crashed", 1.0).state == FAILED
    images = dataclasses.replace(program, lines=("cuArrayCreate: CUresult.CUDA_SUCCESS",))
    line = ["cuArrayCreate: CUresult.CUDA_ERROR_NOT_SUPPORTED, None"]
    assert judged(images, "s", line, "", "", 1.0, has_images=False).state == REFUSED
    assert judged(images, "s", line, "", "", 1.0, has_images=True).state == DIFFERS
