"""Operands and literals as C++ expressions, converted to the type that a use needs."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

from cuda_shim.translate.ptx.module import Immediate, Operand, Special, Symbol
from cuda_shim.translate.ptx.types import POINTER, TYPES, Type

__all__ = [
    "Expression",
    "converted",
    "is_cast",
    "is_constant",
    "literal",
    "name_of_register",
    "name_of_symbol",
    "with_names_of_amd",
]

_INTEGER_SUFFIXES = {"u32": "u", "s64": "ll", "u64": "ull"}
_PRIMARY = re.compile(r"\w+(\.\w+)?|\w+\([^()]*\)")
_SHORT_NAME = re.compile(r"%?([a-z]{1,3}\d+)")


@dataclass
class Expression:
    """C++ text with its type.

    Attributes:
        text: the expression.
        type: its type; for a whole number `exact` says whether C++ has it in exactly that type, or only in one of its
            width or wider.
    """

    text: str
    type: Type
    exact: bool = True

    @property
    def primary(self) -> str:
        """The text as an operand of any operator."""
        return self.text if _is_operand(self.text) else f"({self.text})"


def is_cast(text: str, to: Type) -> bool:
    """Return whether a text as a whole, and not its first operand alone, is turned into a type."""
    cast = f"({to.cxx})"
    return text.startswith(cast) and _is_operand(text.removeprefix(cast))


def _is_operand(text: str) -> bool:
    """Return whether a text can be the operand of any operator without parentheses."""
    return _PRIMARY.fullmatch(text) is not None or _is_wrapped(text)


def _is_wrapped(text: str) -> bool:
    """Return whether one pair of parentheses is around all of a text."""
    if not text.startswith("(") or not text.endswith(")"):
        return False
    depth = 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and index < len(text) - 1:
            return False
    return True


def converted(expression: Expression, target: Type) -> str:
    """Return an expression as an operand of another type: the same bits, the low ones of a wider number."""
    source = expression.type
    if source == target and expression.exact:
        return expression.primary
    if target.kind == "predicate":
        return expression.primary if source.kind == "predicate" else f"({_as_number(expression)} != 0)"
    if target is POINTER:
        return f"((char*){_as_number(expression)})"
    if target.is_number:
        if source is POINTER:
            number = f"(unsigned long long){expression.primary}"
            return f"({number})" if target.cxx == "unsigned long long" else f"(({target.cxx})({number}))"
        if source.kind == "floating":
            return _cast(
                target,
                f"cuda_shim_ptx::as<{TYPES[f'u{source.bits}'].cxx}>({expression.text})",
                source.bits == target.bits and target.kind != "signed",
            )
        if source.cxx == target.cxx and expression.exact:
            return expression.primary
        if not expression.exact and source.bits < target.bits:
            return f"({target.cxx})({source.cxx}){expression.primary}"
        return (
            f"({target.cxx}){expression.primary}"
            if _PRIMARY.fullmatch(expression.text)
            else f"(({target.cxx}){expression.primary})"
        )
    if source.kind == "floating" and source.bits == target.bits:
        own_bits = f"cuda_shim_ptx::as<{TYPES[f'u{source.bits}'].cxx}>({expression.text})"
        return f"cuda_shim_ptx::as<{target.cxx}>({own_bits})"
    number = converted(expression, TYPES[f"u{target.bits}"]) if target.bits in (16, 32, 64) else expression.text
    return f"cuda_shim_ptx::as<{target.cxx}>({number})"


def _cast(target: Type, text: str, is_same_type: bool) -> str:
    return text if is_same_type else f"({target.cxx}){text}"


def _as_number(expression: Expression) -> str:
    if expression.type is POINTER:
        return f"(unsigned long long){expression.primary}"
    if expression.type.kind == "floating":
        return f"cuda_shim_ptx::as<{TYPES[f'u{expression.type.bits}'].cxx}>({expression.text})"
    return expression.primary


def literal(number: Immediate, target: Type) -> str:
    """Return a number as a literal of a type."""
    if target.kind == "floating":
        return _floating(number, target)
    value = number.value
    if number.kind == "f64" and target.bits == 32:
        value = int.from_bytes(struct.pack("<f", _double(value)), "little")
    if target.kind == "predicate":
        return "true" if value else "false"
    if target is POINTER:
        return f"((char*){literal(Immediate(value, 'int'), TYPES['u64'])})"
    if target.bits == 128:
        return f"((unsigned __int128){_integer(value, TYPES['s64'])})"
    return _integer(value, target)


def _integer(value: int, target: Type) -> str:
    bits = max(target.bits, 8)
    value &= (1 << bits) - 1
    if target.kind == "signed" and value >> (bits - 1):
        value -= 1 << bits
    suffix = _INTEGER_SUFFIXES.get(f"{'s' if target.kind == 'signed' else 'u'}{bits}", "")
    if value == -(1 << (bits - 1)) and bits >= 32:
        return f"({value + 1}{suffix} - 1)"
    text = f"{value}{suffix}" if abs(value) < 1 << 16 else f"{'-' if value < 0 else ''}0x{abs(value):x}{suffix}"
    if bits < 32:
        return f"({target.cxx}){text}" if value >= 0 else f"({target.cxx})({text})"
    return text if value >= 0 else f"({text})"


def _double(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", bits & (1 << 64) - 1))[0])


def _floating(number: Immediate, target: Type) -> str:
    if target.bits == 16:
        return f"cuda_shim_ptx::as<{target.cxx}>((unsigned short){number.value & 0xFFFF:#x})"
    if number.kind == "int":  # the bits, as a register had them
        number = Immediate(number.value & ((1 << target.bits) - 1), f"f{target.bits}")
    if number.kind == "f32":
        if target.bits == 64:
            value = float(struct.unpack("<f", struct.pack("<I", number.value))[0])
        else:
            return _single(number.value)
    else:
        value = _double(number.value)
        if target.bits == 32:
            try:
                return _single(int.from_bytes(struct.pack("<f", value), "little"))
            except OverflowError:
                return _single(0x7F800000 if value > 0 else 0xFF800000)
    if value != value or value in (float("inf"), float("-inf")):
        return f"cuda_shim_ptx::as<double>({number.value:#x}ull)"
    text = repr(value)
    return text if value >= 0 and not text.startswith("-") else f"({text})"


def _single(bits: int) -> str:
    value = float(struct.unpack("<f", struct.pack("<I", bits))[0])
    if value != value or value in (float("inf"), float("-inf")):
        return f"cuda_shim_ptx::as<float>({bits:#x}u)"
    digits = f"{value:.9g}"
    text = (digits if any(mark in digits for mark in ".e") else f"{digits}.0") + "f"
    return f"({text})" if text.startswith("-") else text


def name_of_register(name: str, reserved_names: frozenset[str]) -> str:
    """Return the C++ name of a register: its own if that is short and not taken."""
    match = _SHORT_NAME.fullmatch(name)
    if match is not None and match[1] not in reserved_names:
        return match[1]
    return "reg_" + re.sub(r"\W", "_", name.lstrip("%"))


def name_of_symbol(name: str) -> str:
    """Return the C++ name of a variable or function.

    A name that C++ has for something else, or cannot have, is spelt behind a prefix from which hiprtc takes it again
    (symbol_labels.cpp): an underscore is two, and another character its number between two.
    """
    if re.fullmatch(r"[A-Za-z_]\w*", name) and name not in _KEYWORDS and name not in _LIBRARY:
        return name
    return "cuda_shim_symbol_" + re.sub(
        r"\W|_", lambda match: f"_{'' if match[0] == '_' else format(ord(match[0]), 'x')}_", name
    )


_KEYWORDS = frozenset((
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch",
    "char", "class", "const", "constexpr", "continue", "decltype", "default", "delete", "do", "double", "else",
    "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int",
    "long", "mutable", "namespace", "new", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
    "protected", "public", "register", "return", "short", "signed", "sizeof", "static", "struct", "switch",
    "template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
    "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "threadIdx", "blockIdx", "blockDim",
    "gridDim", "warpSize", "main", "typeof", "concept", "requires",
))  # fmt: skip

_MATHEMATICS = """
    abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf
    erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim fdivide floor fma fmax fmin fmod frexp hypot ilogb
    j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround max min modf nan nearbyint
    nextafter norm norm3d norm4d normcdf normcdfinv pow rcbrt remainder remquo rhypot rint rnorm rnorm3d rnorm4d
    round rsqrt scalbln scalbn sin sincos sincospi sinh sinpi sqrt tan tanh tgamma trunc y0 y1 yn
"""
_OTHERS = """
    abort assert calloc clock clock64 free isfinite isinf isnan labs llabs llmax llmin malloc memchr memcmp
    memcpy memmove memset powi printf realloc signbit size_t snprintf strcmp strcpy strlen texture ullmax ullmin
    umax umin wall_clock64
"""
#: Functions of C and CUDA that the headers of translated modules declare; those of floats have an f behind.
_LIBRARY = frozenset([*_OTHERS.split(), *_MATHEMATICS.split(), *(name + "f" for name in _MATHEMATICS.split())])


def with_names_of_amd(source: str) -> str:
    """Return a module's C++ with the names that AMD's compiler can have, where a program finds its kernels by them."""
    return re.sub(r"\bcuda_shim_symbol_\w+", lambda match: _NAMES_OF_AMD.get(match[0], match[0]), source)


_NAMES_OF_AMD = {name_of_symbol(name): name for name in _LIBRARY}


def is_constant(operand: Operand) -> bool:
    """Return whether an operand has one value everywhere in a thread."""
    return isinstance(operand, (Immediate, Symbol)) or (isinstance(operand, Special) and _fixed_special(operand.name))


def _fixed_special(name: str) -> bool:
    return name.partition(".")[0] in ("tid", "ntid", "ctaid", "nctaid", "laneid", "warpid")
