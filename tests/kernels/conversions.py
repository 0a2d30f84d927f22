"""Records the arguments that CUDA's functions take, and the types of their results: every function of numbers and every
atomic operation, with every combination of arithmetic types.

`python -m tests.kernels.conversions` asks NVRTC (no GPU is needed) and writes its answers to
`tests/kernels/conversions.json`: for each function a digit for each combination, 0 where the call is refused, else the
place of the result's type in TYPES, counted from 1.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path

from tests.kernels import compilers

RECORDED = Path(__file__).with_name("conversions.json")
LAYOUT = "12.9"

TYPES = ("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "float", "double", "bool")
#: Types that are tried for arguments; a fourth one would make too many combinations of three.
VALUES = {1: TYPES[:8], 2: TYPES[:8], 3: ("int", "float", "double")}
POINTED = ("int", "unsigned int", "unsigned long long", "long long", "float", "double", "unsigned short")

_ONE = """
    acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc erfcinv erfcx erfinv
    exp exp10 exp2 expm1 fabs floor isfinite isinf isnan j0 j1 lgamma log log10 log1p log2 logb llrint llround lrint
    lround nearbyint normcdf normcdfinv rcbrt rint round rsqrt signbit sin sinh sinpi sqrt tan tanh tgamma trunc y0 y1
    abs labs llabs ilogb acosf cosf expf logf sinf sqrtf rsqrtf fabsf __brev __brevll __clz __clzll __popc __popcll
    __ffs __ffsll __float2int_rn __float2uint_rz __float2ll_rd __double2int_rz __int2float_rn __uint2double_rn
    __ll2float_ru __float_as_int __int_as_float __double_as_longlong __longlong_as_double __cosf __expf __logf __sinf
    __tanf __saturatef __frcp_rn __fsqrt_rn __drcp_rn __dsqrt_rn __double2hiint __double2loint __double2float_rn
"""
_TWO = """
    atan2 copysign fdim fmax fmin fmod hypot max min nextafter pow remainder rhypot umin umax llmin llmax ullmin ullmax
    fmaxf fminf powf fmodf ldexp scalbn scalbln __mulhi __umulhi __mul64hi __umul64hi __mul24 __umul24 __hadd __rhadd
    __uhadd __urhadd __fadd_rn __fmul_rz __fdiv_ru __dadd_rd __dmul_rn __fdividef __powf __hiloint2double __byte_perm
"""
_THREE = ["fma", "fmaf", "norm3d", "norm3df", "rnorm3d", "__sad", "__usad", "__fmaf_rn", "__fma_rn", "__byte_perm"]
_ATOMIC = ["Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "And", "Or", "Xor"]
_SCOPES = ["", "_block", "_system"]


def functions() -> Iterator[tuple[str, str, list[tuple[str, ...]]]]:
    """A name for the table, the function, and the types of its arguments in every combination."""
    for count, names in ((1, _ONE.split()), (2, _TWO.split()), (3, _THREE)):
        for name in names:
            yield f"{name}/{count}", name, list(itertools.product(VALUES[count], repeat=count))
    for operation, scope in itertools.product(_ATOMIC, _SCOPES):
        name = f"atomic{operation}{scope}"
        yield name, name, [(f"{to}*", value) for to in POINTED for value in VALUES[2]]
    for scope in _SCOPES:
        name = f"atomicCAS{scope}"
        few = ("int", "unsigned int", "unsigned long long")
        yield name, name, [(f"{to}*", a, b) for to in POINTED for a in few for b in few]


def preamble() -> str:
    lines = [
        "template <class...> struct Void { typedef void type; };",
        "template <class T> __device__ T some();",
        "template <class T> struct Code { static constexpr int value = 98; };",
    ]
    lines += [
        f"template <> struct Code<{kind}> {{ static constexpr int value = {number}; }};"
        for number, kind in enumerate(TYPES, 1)
    ]
    for _, name, combinations in functions():
        count = len(combinations[0])
        kinds = [f"class A{i}" for i in range(count)]
        call = f"decltype({name}({', '.join(f'some<A{i}>()' for i in range(count))}))"
        arguments = ", ".join([f"typename Void<{call}>::type", *(f"A{i}" for i in range(count))])
        code = f"Code<{call}>::value"
        lines += [
            f"template <class V, {', '.join(kinds)}> struct {name}_{count} {{ static constexpr int value = 0; }};",
            f"template <{', '.join(kinds)}> struct {name}_{count}<{arguments}> {{ static constexpr int value = {code}; }};",
        ]
    return "\n".join(dict.fromkeys(lines)) + "\n"


def record() -> dict[str, str]:
    """NVRTC's answers. Raises AssertionError where it refuses the question itself."""
    text = [preamble()]
    for number, (_, name, combinations) in enumerate(functions()):
        values = [f"{name}_{len(kinds)}<void, {', '.join(kinds)}>::value" for kinds in combinations]
        text.append(f'extern "C" __device__ const unsigned char table_{number}[] = {{{", ".join(values)}}};')
    compiler = compilers.nvrtc()[LAYOUT]
    options = [b"-arch=compute_80", b"-std=c++17"]
    source = "\n".join(text).encode()
    image = compiler.ptx(source, b"conversions.cu", options, {}, [])
    assert image is not None, compiler.compile(source, b"conversions.cu", options).log[:2000]
    found = dict(re.findall(r"table_(\d+)\[\d+\](?: = \{([\d, ]*)\})?;", image[0].decode()))
    answers = {}
    for number, (label, _, combinations) in enumerate(functions()):
        digits = [int(digit) for digit in found[str(number)].split(",")] if found[str(number)] else []
        digits += [0] * (len(combinations) - len(digits))  # trailing zeros are not written
        answers[label] = "".join(str(min(digit, 9)) for digit in digits)
    return answers


def checks(recorded: dict[str, str]) -> str:
    """A program that does not compile where a call that NVRTC takes is refused, or gives another type."""
    text = [preamble()]
    for label, name, combinations in functions():
        for kinds, digit in zip(combinations, recorded[label], strict=True):
            if digit != "0":
                value = f"{name}_{len(kinds)}<void, {', '.join(kinds)}>::value"
                wanted = f"== {digit}" if digit != "9" else "== 98"
                text.append(f'static_assert({value} {wanted}, "{name}({", ".join(kinds)})");')
    return "\n".join(text) + '\nextern "C" __global__ void kernel() {}\n'


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(record(), indent=0) + "\n")
