"""The meaning of an opcode: its row of tables/ptx.yaml, its types, and the effect of its modifiers."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from cuda_shim.mapping.text_tables import load_text
from cuda_shim.translate.ptx.types import TYPES, wider
from cuda_shim.translate.ptx.video import InvalidVideo, is_video, video_value

__all__ = [
    "Form",
    "Invalid",
    "Operands",
    "Unknown",
    "form_of",
    "places_of",
    "special",
    "widened",
    "without_cache_policy",
]

_MEMORY_ORDERS = ("weak", "relaxed", "acquire", "release", "acq_rel", "volatile", "mmio")
_SCOPES = ("cta", "cluster", "gpu", "sys")
_STATE_SPACES = ("global", "shared", "local", "param", "const")
_CACHE_POLICY = ".L2::cache_hint"
_WITH_CACHE_POLICY = ("ld.", "st.", "atom.", "red.", "cp.async.c")
_CACHE_HINTS = ("ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc")
_PLACE = re.compile(r"\{(\d|last)(\?)?(?::(\w+))?\}")
_ADDRESSES = ("address", "shared", "generic", "box", "filter", "items")
_REDUCTIONS = ("add", "min", "max", "inc", "dec", "and", "or", "xor")
# Opcodes of the asynchronous proxy, and the parts of them that have no effect here.
_ASYNCHRONOUS = ("mbarrier", "mapa", "getctarank", "cp")
_DIMENSION = re.compile(r"[1-5]d")
_WORD = re.compile(r"\{(\w+)\}")
_LITERAL = re.compile(r"(\d+|0x[0-9a-f]+)u?")
_COMBINING = ("and", "or", "xor")
_TRUE_VALUES = {
    "u32": "0xffffffffu",
    "s32": "-1",
    "f32": "1.0f",
    "u16": "0xffff",
    "s16": "-1",
    "f16": "1.0f",
    "bf16": "1.0f",
}


_Operand = TypeVar("_Operand")


class Unknown(Exception):
    """An opcode has no translation; the message gives the reason."""


class Invalid(Unknown):
    """An opcode is not PTX; the message gives the reason."""


@dataclass(frozen=True)
class Form:
    """An opcode split into its parts.

    Attributes:
        opcode: its text as written.
        value, second, do: C++ with places for operands (see tables/ptx.yaml); "" if there is none.
        memory: "load", "store", "touch", "cvta" or "".
        kind: the last type but `source`, that of the result or the memory; "" if the opcode has none.
        source: the type of the operands that are read.
        result: the type of the result.
        space: the state space: "global", "shared", "local", "param", "const", or "" for generic addresses.
        order: the memory order: "" or one of PTX's orders.
        scope: the scope of the order: "cta", "cluster", "gpu", "sys", or "" if the opcode has none.
        cache: the cache operator, such as "cg"; "" if the opcode has none.
        vector: the number of registers of a vector.
        packed: True if it works on each half of a register separately.
        saturated: True if a floating-point result is clamped to 0..1.
        flushed: the operands and results whose denormal numbers count as zero: "all", "f32", "compared" or "" (see
            tables/ptx.yaml).
        operands: the kind of each operand, as in tables/ptx.yaml; None if the opcode says it (matrices, video).
        only: the only operand that is taken, None if any are.
        to: for cvta: whether it converts from generic addresses.
        constant: C++ in place of `value` if the last operand is a number below the width.
        hosts: why only host cores can run it, "" if AMD GPUs can as well.
    """

    opcode: str
    value: str
    second: str
    do: str
    memory: str
    kind: str
    source: str
    result: str
    space: str
    order: str
    scope: str
    cache: str
    vector: int
    packed: bool
    saturated: bool
    flushed: str
    operands: tuple[str, ...] | None
    only: str | None
    to: bool
    constant: str
    hosts: str

    @property
    def dimensions(self) -> int:
        """The number of axes of the tensor that it copies; 0 for other instructions."""
        return next((int(part[0]) for part in self.opcode.split(".") if _DIMENSION.fullmatch(part)), 0)

    @property
    def reduction(self) -> str:
        """The operation that it does on memory, as PTX names it."""
        return next(part for part in self.opcode.split(".") if part in _REDUCTIONS)


@functools.cache
def form_of(opcode: str) -> Form:
    """Return the meaning of an opcode. Raises Unknown, which names it."""
    if is_video(opcode):
        return _video_form(opcode)
    parts = opcode.split(".")
    is_set = parts[0] == "set"
    if is_set:
        parts = ["setp", *parts[1:-2], parts[-1]]
    space, order, vector, parts = _without_memory(opcode, parts)
    row, flags = _row(opcode, parts)
    if "refuse" in row:
        raise Unknown(f"'{opcode}': {row['refuse']}")
    kinds = flags[len(flags) - ("types" in row) - ("from" in row) :] if flags else []
    flags = flags[: len(flags) - len(kinds)]
    combining = next((flag for flag in flags if flag in _COMBINING), "") if parts[0] == "setp" else ""
    _check(opcode, row, kinds, [flag for flag in flags if flag != combining])
    kind = kinds[0] if kinds else row.get("result", "b32")
    source = kinds[-1] if kinds else kind
    packed = bool(kinds) and TYPES[source].kind == "packed"
    value, second, result = row.get("value", ""), row.get("second", ""), row.get("result", kind)
    if source in TYPES and (TYPES[source].kind == "floating" or packed):
        value = row.get("floating", value)
    if _is_narrow(source) or _is_narrow(kind):
        value = row.get("narrow", value)
    result = {"W": wider(kind), "B": f"b{kind[1:]}"}.get(result, result)
    if parts[0] == "setp" and not packed:
        value, second = _predicates(value, combining)
    if is_set:
        kind = opcode.split(".")[-2]
        element = source[:-2] if packed and kind == source else kind
        if element not in _TRUE_VALUES:
            raise Unknown(f"'{opcode}' is not translated: tables/ptx.yaml does not know it with .{kind}")
        value, second, result = f"({value}) ? {_TRUE_VALUES[element]} : 0", "", kind
        if packed and kind in ("u32", "s32"):
            value = f"({value[: value.rindex('?')].rstrip()}) ? 0xffff : 0"
        if element in ("f16", "bf16"):
            value = f"cuda_shim_ptx::nearest<{{{element}}}>(({value[: value.rindex('?')].rstrip()}) ? 1.0f : 0.0f)"
    operands = tuple(row["operands"]) + (("pred",) if combining else ()) if "operands" in row else None
    if operands and "second" not in row and second:
        operands = ("d|p", *operands[1:])
    return Form(
        opcode, value, second, row.get("do", ""), row.get("memory", row.get("address", "")), kind, source, result,
        space, order, *_scope_and_cache(opcode), vector, packed,
        "sat" in flags and TYPES[result].kind in ("floating", "packed"),
        row.get("flushes", "all") if "ftz" in opcode.split(".") else "", operands, row.get("only"),
        "to" in opcode.split("."), row.get("constant", ""), row.get("hosts", ""),
    )  # fmt: skip


def _video_form(opcode: str) -> Form:
    """Return the meaning of a video instruction's opcode, with the signs and selectors of its operands."""
    try:
        value, result = video_value(opcode, load_text("ptx")["instructions"][opcode.partition(".")[0]])
    except InvalidVideo as invalid:
        raise Invalid(str(invalid)) from None
    return Form(
        opcode, value, second="", do="", memory="", kind=result, source=result, result=result, space="", order="",
        scope="", cache="", vector=1, packed=False, saturated=False, flushed="", operands=None, only=None, to=False,
        constant="", hosts="",
    )  # fmt: skip


def without_cache_policy(opcode: str, operands: Sequence[_Operand]) -> tuple[str, Sequence[_Operand]]:
    """Return an instruction without the hint of a cache policy, which its last operand holds."""
    if not opcode.startswith(_WITH_CACHE_POLICY) or _CACHE_POLICY not in opcode:
        return opcode, operands
    return opcode.replace(_CACHE_POLICY, ""), operands[:-1]


def _flushable(form: Form) -> tuple[str, ...]:
    """Return the types whose denormal numbers .ftz makes zeros."""
    return ("f32",) if form.flushed == "f32" else ("f32", "f16")


def _is_narrow(name: str) -> bool:
    return name.startswith(("f16", "bf16"))


def _without_memory(opcode: str, parts: list[str]) -> tuple[str, str, int, list[str]]:
    """Return space, order, length of vectors, and the opcode without them and without modifiers of no effect here."""
    if parts[0] in _ASYNCHRONOUS:
        return "", "", 1, _without_hints(parts)
    if parts[:2] == ["tensormap", "cp_fenceproxy"]:
        return "", "", 1, _without_hints(parts)
    if parts[0] not in ("ld", "ldu", "st", "atom", "red", "cvta", "isspacep", "tensormap"):
        return "", "", 1, parts
    space, order, vector, remaining = "", "", 1, [parts[0]]
    for part in parts[1:]:
        qualifier = part.partition("::")[0]
        if part == "shared::cluster" and parts[0] != "isspacep":
            space = part
        elif qualifier in _STATE_SPACES and (parts[0] != "isspacep"):
            space = qualifier
        elif parts[0] == "cvta" and part == "to":
            continue
        elif part in _MEMORY_ORDERS:
            order = part
        elif part in ("v2", "v4", "v8") and parts[0] in ("ld", "ldu", "st"):
            vector = int(part[1:])
        elif part not in _SCOPES and part not in _CACHE_HINTS and qualifier not in ("L1", "L2"):
            remaining.append(part)
    return space, order, vector, remaining


def _scope_and_cache(opcode: str) -> tuple[str, str]:
    """Return the scope and the cache operator of a memory instruction, "" for each that it has not."""
    name, *parts = opcode.split(".")
    if name not in ("ld", "ldu", "st", "atom", "red"):
        return "", ""
    scope = next((part for part in parts if part in _SCOPES), "")
    return scope, next((part for part in parts if part in _CACHE_HINTS), "")


def _without_hints(parts: list[str]) -> list[str]:
    """Return an opcode of the asynchronous proxy without orders, scopes, hints, and the kinds of shared memory."""
    if parts[:2] == ["cp", "async"] and parts[2:3] not in (["bulk"], ["mbarrier"]):
        return parts
    ignored = (*_MEMORY_ORDERS, *_SCOPES, "tile", "L2::cache_hint")
    plain = [part for part in parts if part not in ignored and not _DIMENSION.fullmatch(part)]
    if "mbarrier" in parts:
        return [part for part in plain if not part.startswith("shared")]
    return ["shared" if part.startswith("shared::") else part for part in plain]


def _row(opcode: str, parts: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the longest row that the opcode begins with, and the parts behind it."""
    table = load_text("ptx")["instructions"]
    for count in range(len(parts), 0, -1):
        row = table.get(".".join(parts[:count]))
        if row is not None:
            return row, parts[count:]
    raise Unknown(f"'{opcode}' is not translated: tables/ptx.yaml has no row for it")


_WRONG_TYPE_COUNT = "this number of types"


def _check(opcode: str, row: dict[str, str], kinds: list[str], flags: list[str]) -> None:
    allowed = [row.get("types", ()), row.get("from", ())]
    unknown = [flag for flag in flags if flag not in row.get("modifiers", ())]
    unknown += [name for name, allowed_names in zip(kinds, allowed, strict=False) if name not in allowed_names]
    if "types" in row and len(kinds) != 1 + ("from" in row):
        unknown = unknown or [_WRONG_TYPE_COUNT]
    if unknown:
        problem = unknown[0] if unknown[0] == _WRONG_TYPE_COUNT else f".{unknown[0]}"
        raise Unknown(f"'{opcode}' is not translated: its row in tables/ptx.yaml does not have {problem}")


def _predicates(value: str, combined: str) -> tuple[str, str]:
    """Return a comparison's result and its opposite, each combined with the predicate that follows."""
    if not combined:
        return value, f"!({value})"
    sign = {"and": "&&", "or": "||", "xor": "!="}[combined]
    return f"({value}) {sign} {{3:pred}}", f"(!({value})) {sign} {{3:pred}}"


def widened(text: str, type_: str) -> str:
    """Return a number as one of a type of 64 bits or less; a literal with its ending, as people write it."""
    suffix = {"s64": "ll", "u64": "ull"}.get(type_, "")
    return f"{text.rstrip('u')}{suffix}" if suffix and _LITERAL.fullmatch(text) else f"({TYPES[type_].cxx}){text}"


def special(name: str) -> str | None:
    """Return the C++ of a special register, by its name without the percent sign."""
    text = load_text("ptx")["registers"].get(name)
    return None if text is None else str(text)


@functools.cache
def places_of(form: Form) -> tuple[tuple[int, str], ...]:
    """Return each operand that a form reads, with the type that it is read as; "" stands for bits of any type.

    The last operand has the number -1.
    """
    places: list[tuple[int, str]] = []
    for template in (form.value, form.second, form.do):
        for number, _, type_mark in _PLACE.findall(template):
            if (number, type_mark) != ("", ""):
                places.append((-1 if number == "last" else int(number), _place_type(form, type_mark)))
    return tuple(dict.fromkeys(places))


def _place_type(form: Form, type_mark: str) -> str:
    if type_mark in ("", "S", "X"):
        return form.source
    if type_mark == "U":
        return f"*{form.source}" if TYPES[form.source].is_number else form.source
    if type_mark == "B":
        return f"b{form.source[1:]}"
    if type_mark == "W":
        return wider(form.source)
    return form.kind if type_mark == "T" else type_mark


class Operands:
    """The operands that fill the places of a form.

    `value(number, type)` gives an operand as C++ of that type, where a type that begins with `*` may be of either sign;
    `address(number, kind)` gives a pointer, or the arguments that stand for another operand that is no number;
    `word(name)` gives the text for any other place; `count` is the number of operands.
    """

    def __init__(
        self,
        value: Callable[[int, str], str],
        address: Callable[[int, str], str],
        word: Callable[[str], str],
        count: int,
    ) -> None:
        self._value, self._address, self._word, self._count = value, address, word, count

    def fill(self, form: Form, template: str) -> str:
        """Return a template with everything in its places."""
        if not template:
            return ""
        if form.packed and form.memory == "" and "address" not in template:
            return self._packed(form, template)
        return self._filled(form, template, None)

    def _packed(self, form: Form, template: str) -> str:
        low, high = (self._filled(form, template, half) for half in (0, 1))
        element = TYPES[form.source[:-2]].cxx if form.kind == form.source else "unsigned short"
        return f"cuda_shim_ptx::packed(({element})({low}), ({element})({high}))"

    def half(self, form: Form, template: str, half: int) -> str:
        """Return the C++ of one half of a packed form's result."""
        return self._filled(form, template, half)

    def _filled(self, form: Form, template: str, half: int | None) -> str:
        element = form.source[:-2] if half is not None else form.source
        flushes = form.flushed != "" and element in _flushable(form)

        def place(match: re.Match[str]) -> str:
            number = -1 if match[1] == "last" else int(match[1])
            mark = match[3] or ""
            if match[2]:  # an operand that may be left out, with the comma before it
                return f", {place_of(number, mark)}" if number < self._count else ""
            return place_of(number, mark)

        def place_of(number: int, mark: str) -> str:
            if mark in _ADDRESSES:
                return self._address(number, mark)
            type_name = _place_type(form, mark)
            if half is not None and type_name.lstrip("*") == form.source:
                text = f"cuda_shim_ptx::half_of<{TYPES[element].cxx}, {half}>({self._value(number, 'b32')})"
            else:
                text = self._value(number, type_name)
            if mark == "X":
                return widened(text, wider(form.source))
            is_source = mark != "T" and type_name.lstrip("*") == form.source
            return f"cuda_shim_ptx::flushed({text})" if flushes and is_source else text

        def word(match: re.Match[str]) -> str:
            return self._words(form, match[1], half)

        text = _WORD.sub(word, _PLACE.sub(place, template))
        if form.saturated:
            text = f"cuda_shim_ptx::saturated({text})"
        if form.flushed not in ("", "compared") and (form.result in _flushable(form) or (half is not None and flushes)):
            text = f"cuda_shim_ptx::flushed({text})"
        return text

    def _words(self, form: Form, name: str, half: int | None) -> str:
        kind = form.kind[:-2] if half is not None and form.kind[-2:] == "x2" else form.kind
        if name in TYPES:
            return TYPES[name].cxx
        if name == "T":
            return TYPES[kind].cxx
        if name == "reduction":
            return form.reduction
        if name == "TB":
            return TYPES[f"b{kind[1:]}"].cxx
        if name in ("F", "f"):
            return {"f32": "f", "f64": "d"}[kind] if name == "F" else {"f32": "f", "f64": ""}[kind]
        return self._word(name)
