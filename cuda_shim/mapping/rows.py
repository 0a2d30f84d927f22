"""The row model: a table's description of one CUDA name in one CUDA layout.

Rows are built from the compiled form (plain dicts and tuples, see `compiler`) when a name is first asked
for, so that a program pays for the names that it uses.
"""

from __future__ import annotations

from collections.abc import Mapping

from cuda_shim.frozen_record import Record
from cuda_shim.mapping.layouts import LAYOUTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "GENERATIONS",
    "Body",
    "Cases",
    "ConstantRow",
    "EnumRow",
    "ExtendsRow",
    "Field",
    "FunctionRow",
    "HandleRow",
    "Member",
    "Parameter",
    "Row",
    "StructRow",
    "body_for",
    "row_from_body",
]

#: The code of functions that return a value without a status before it.
_BARE = ("values.size", "values.extent", "values.position", "values.pitched_pointer")

GENERATIONS = (10, 7)
"""The generations of hip-python: of `rocm.bindings`, and of the older `hip` package."""

Body = Mapping[str, "Any"]
"""One version of a row in the compiled form: its `kind` and the fields of that kind."""


class Parameter(Record):
    """One parameter of the C function, in C's order.

    `mode` is "in" (a Python argument), "out" (an element of the returned tuple), "inout" (both) or "spare"
    (written by HIP's function, and no part of CUDA's).
    `base` is the C type without `suffix`: "" for a value, "*" for a pointer to one, "[]" for a list,
    "**" for a pointer to pointers. `default` is the text of the Python default, or None.
    """

    name: str
    mode: str
    base: str
    suffix: str
    default: str | None = None

    @property
    def spelling(self) -> str:
        """The type as a table spells it."""
        return self.base + self.suffix


class FunctionRow(Record):
    """A function: its C parameters and the code that serves it.

    `text` describes it, in a sentence that names the units of its arguments and results.
    `hip` names the HIP function; `call` gives its arguments where they are not CUDA's own, `native` the
    hip-python generations whose binding of it is broken, `hip_python` the generations that have it at
    all. `adapter` names the code that serves a difference of substance, `provided` the code that serves it
    without HIP, `unsupported` gives the reason why nothing serves it, and the remedy.
    `context` is "needed" where CUDA's driver requires a current context, and "unchanged" for calls of the runtime that
    make none current. `uninitialized` is CUDA's status for null arguments before cuInit, where it is another than that
    the driver is not initialised.
    """

    name: str
    parameters: tuple[Parameter, ...]
    order: tuple[str, ...] = ()
    result: str | None = None
    hip: str | None = None
    call: tuple[str, ...] | None = None
    hip_python: tuple[int, ...] = GENERATIONS
    native: tuple[int, ...] = ()
    adapter: str | None = None
    provided: str | None = None
    unsupported: str | None = None
    status: str | None = None
    note: str | None = None
    text: str = ""
    context: str | None = None
    uninitialized: str | None = None

    @property
    def inputs(self) -> tuple[Parameter, ...]:
        """The Python arguments, in Python's order."""
        arguments = {p.name: p for p in self.parameters if p.mode in ("in", "inout")}
        return tuple(arguments[name] for name in self.order) if self.order else tuple(arguments.values())

    @property
    def outputs(self) -> tuple[Parameter, ...]:
        """The values that the call returns after its status, in order."""
        return tuple(p for p in self.parameters if p.mode in ("out", "inout"))

    @property
    def has_status(self) -> bool:
        """Return whether the first value that a call returns is its status."""
        return self.result is None or self.provided not in _BARE

    @property
    def support(self) -> str:
        """One of "mapped", "adapted", "provided" and "unsupported"."""
        if self.unsupported:
            return "unsupported"
        if self.provided:
            return "provided"
        return "adapted" if self.adapter else "mapped"


class Member(Record):
    """One enum constant: CUDA's name and value, the HIP constant that stands for it, CUDA's message."""

    name: str
    value: int
    hip: str | None = None
    text: str | None = None


class EnumRow(Record):
    """An enum class; `hip` is the HIP enum whose members its own are translated to.

    `from_hip` gives the CUDA constants for HIP ones that no member names, since HIP has the finer distinction.
    `hip_python` lists the generations that have the HIP enum, `newer` the constants of it that came after generation 7.
    """

    name: str
    members: tuple[Member, ...]
    hip: str | None = None
    from_hip: tuple[tuple[str, str], ...] = ()
    hip_python: tuple[int, ...] = GENERATIONS
    newer: tuple[str, ...] = ()
    note: str | None = None


class HandleRow(Record):
    """A handle class: `storage` is "pointer" for opaque pointers, else the C type of the integer."""

    name: str
    storage: str
    note: str | None = None


class ExtendsRow(Record):
    """A class that only gives another one a second name, as a subclass. `base` may name its module."""

    name: str
    base: str
    hip: str | None = None
    note: str | None = None


class Cases(Record):
    """A place in a HIP struct that holds one of several members, by the value of the CUDA member `by`.

    `members` pairs constants of that member's enum with the CUDA member that is meant; `otherwise` is the
    CUDA member whose bytes are meant with any other value, "" for none.
    """

    by: str
    size: int
    members: tuple[tuple[str, str], ...]
    otherwise: str = ""


class Field(Record):
    """A struct or union member.

    `nested` holds the members of an anonymous struct or union type, and with `inline` these are members of
    the struct around it; `count` is the length of an array member, 0 for none; `counted_by` names the member
    that holds the number of a list's entries; a `hidden` member takes space but is no attribute. In `hip_fields`
    only: `cuda` names the CUDA member that this one stands for where its name is another, `cases` the members
    that may be there.
    """

    name: str
    base: str
    count: int = 0
    counted_by: str | None = None
    hidden: bool = False
    cuda: str | None = None
    nested: StructRow | None = None
    inline: bool = False
    cases: Cases | None = None


class StructRow(Record):
    """A struct or union in CUDA's layout, and the HIP struct that it is passed as.

    `hip_fields` are HIP's members in C's order, where HIP's memory is not laid out as CUDA's: their types
    are CUDA's names, read as HIP's type of that name.
    """

    name: str
    fields: tuple[Field, ...]
    union: bool = False
    hip: str | None = None
    note: str | None = None
    hip_fields: tuple[Field, ...] = ()


class ConstantRow(Record):
    """A macro or constant."""

    name: str
    value: int
    note: str | None = None


Row = FunctionRow | EnumRow | HandleRow | ExtendsRow | StructRow | ConstantRow


def in_layout(body: Mapping[str, Any], cuda: str) -> bool:
    """Return whether a row body, or an enum member, with optional `since` and `until`, exists in layout `cuda`."""
    at = LAYOUTS.index(cuda)
    since, until = body.get("since"), body.get("until")
    return (since is None or LAYOUTS.index(since) <= at) and (until is None or at <= LAYOUTS.index(until))


def body_for(bodies: tuple[Body, ...], cuda: str) -> Body | None:
    """Return the version of a row that layout `cuda` has, or None."""
    for body in bodies:
        if in_layout(body, cuda):
            return body
    return None


def row_from_body(name: str, body: Body, cuda: str) -> Row:
    """Return the typed row of `name` in layout `cuda`."""
    fields = {key: value for key, value in body.items() if key not in ("kind", "since", "until")}
    kind = body["kind"]
    if kind == "function":
        fields["parameters"] = tuple(Parameter(*parts) for parts in fields["parameters"])
        return FunctionRow(name, **fields)
    if kind == "enum":
        return EnumRow(name, _members(fields.pop("members"), cuda), **fields)
    if kind == "handle":
        return HandleRow(name, **fields)
    if kind == "extends":
        return ExtendsRow(name, **fields)
    if kind == "constant":
        return ConstantRow(name, _value(fields.pop("value"), cuda), **fields)
    return _struct(name, body)


def _value(value: int | Mapping[str, int], cuda: str) -> int:
    return value if isinstance(value, int) else value[cuda]


def _members(members: tuple[tuple[Any, ...], ...], cuda: str) -> tuple[Member, ...]:
    present = []
    for name, value, hip, text, since, until in members:
        if in_layout({"since": since, "until": until}, cuda):
            present.append(Member(name, _value(value, cuda), hip, text))
    return tuple(present)


def _struct(name: str, body: Body) -> StructRow:
    return StructRow(
        name,
        _struct_fields(body["fields"]),
        body["kind"] == "union",
        body.get("hip"),
        body.get("note"),
        _struct_fields(body.get("hip_fields", ())),
    )


def _struct_fields(fields: tuple[Body, ...]) -> tuple[Field, ...]:
    structure = []
    for field in fields:
        plain = dict(field)
        nested = plain.pop("nested", None)
        cases = plain.pop("cases", None)
        structure.append(
            Field(**plain, nested=_struct("", nested) if nested else None, cases=Cases(*cases) if cases else None)
        )
    return tuple(structure)
