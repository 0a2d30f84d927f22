"""A function's body in C where its row describes the whole call: convert, call HIP, convert back.

It is the C form of `binding/functions/body.py`. Arguments that it cannot convert (a constant that HIP lacks, a list) it
leaves to Python by not returning, so that there is one answer to such a call.
"""

from __future__ import annotations

from cuda_shim.binding.parameters import resolved
from cuda_shim.binding.structs import same_in_hip
from cuda_shim.c_level.adapted import ADAPTED
from cuda_shim.c_level.types import c_name, c_type
from cuda_shim.mapping.rows import EnumRow, HandleRow, StructRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.parameters.bound import Bound
    from cuda_shim.binding.scope import Scope
    from cuda_shim.c_level.enums import EnumFunctions
    from cuda_shim.c_level.hip_pointers import HipPointers
    from cuda_shim.mapping.rows import FunctionRow

__all__ = ["Direct"]

_ROOM_OF_SPARE = 32


class _NotDirect(Exception):
    """A parameter that C has no conversion for."""


class Direct:
    """Writes the direct bodies of one library."""

    def __init__(self, enums: EnumFunctions, hip: HipPointers) -> None:
        self._enums = enums
        self._hip = hip

    def body(self, row: FunctionRow, scope: Scope, answer: str) -> list[str]:
        """Return the lines of a body, none where the row needs Python; `answer` returns for HIP's `status`."""
        if row.unsupported or row.provided or row.hip is None or row.result is not None:
            return []
        adapted = ADAPTED.get(row.adapter or "")
        if row.adapter and adapted is None:
            return []
        if adapted is not None and adapted.unless:
            answer = f"if (status != {adapted.unless}) {answer}"
        try:
            lines = _Body(row, scope, self._enums, self._hip).lines(answer)
        except _NotDirect:
            return []
        condition = adapted.condition(row) if adapted else ""
        return [f"if ({condition}) {{", *[f"  {line}" for line in lines], "}"] if condition else ["{", *lines, "}"]


class _Body:
    """One body while it is written."""

    def __init__(self, row: FunctionRow, scope: Scope, enums: EnumFunctions, hip: HipPointers) -> None:
        self.row, self.scope, self.enums, self.hip = row, scope, enums, hip
        self.conditions: list[str] = []
        self.before: list[str] = []
        self.after: list[str] = []

    def lines(self, answer: str) -> list[str]:
        passed = {name: self._passed(bound) for name, bound in resolved(self.row, self.scope).items()}
        if self.row.call is None:
            chosen = list(passed.values())
        else:
            chosen = [passed.get(item) or self._fixed(item) for item in self.row.call]
        types = ", ".join(kind for kind, _ in chosen)
        arguments = ", ".join(expression for _, expression in chosen)
        hip = self.hip.name(self.row.hip or "")
        call = [f"auto call = reinterpret_cast<int (*)({types})>(hip_function({hip}));"]
        conditions = " && ".join(["call", *self.conditions])
        after = ["if (status == 0) {", *[f"  {line}" for line in self.after], "}"] if self.after else []
        inside = [f"int status = call({arguments});", *after, answer]
        return [*self.before, *call, f"if ({conditions}) {{", *[f"  {line}" for line in inside], "}"]

    def _passed(self, bound: Bound) -> tuple[str, str]:
        parameter, name = bound.parameter, c_name(bound.parameter)
        if parameter.mode == "spare":
            self.before.append(f"uint64_t spare_{name}[{_ROOM_OF_SPARE // 8}];")
            return "void *", f"spare_{name}"
        own = (c_type(parameter, self.scope), name)
        row = self.scope.kind(parameter.base)
        if name == "extra":
            self.conditions.append(f"!{name}")
        if isinstance(row, StructRow) and not same_in_hip(self.scope.class_of(parameter.base)):
            raise _NotDirect(name)
        if not isinstance(row, EnumRow):
            self._check(bound, row)
            return own
        if parameter.suffix or parameter.mode == "inout":
            raise _NotDirect(name)
        return self._constant(bound)

    def _constant(self, bound: Bound) -> tuple[str, str]:
        """Return an enum constant, given or returned."""
        name, base, catalogue = c_name(bound.parameter), bound.parameter.base, self.scope.catalogue
        if bound.parameter.mode == "in":
            self.before.append(f"int hip_{name} = {self.enums.to_hip(base, self.scope.api, catalogue)}({name});")
            self.conditions.append(f"hip_{name} != no_constant")
            return "int", f"hip_{name}"
        self.before.append(f"int hip_{name} = 0;")
        self.conditions.append(name)
        translated = f"{self.enums.from_hip(base, self.scope.api, catalogue)}(hip_{name})"
        self.after.append(f"*static_cast<int *>({name}) = {translated};")
        return "int *", f"&hip_{name}"

    def _check(self, bound: Bound, row: object) -> None:
        """Raise for a parameter that a generated Python body cannot have either."""
        parameter = bound.parameter
        if parameter.mode == "out" and parameter.suffix.endswith("[]") and not isinstance(row, (HandleRow, StructRow)):
            raise _NotDirect(bound.name)

    def _fixed(self, item: str) -> tuple[str, str]:
        """Return an argument that is the same in every call: a number, or a constant of a HIP enum."""
        enum_name, dot, member = item.partition(".")
        if dot:
            return "int", str(int(getattr(getattr(self.scope.hip_python.hip, enum_name), member)))
        return "long long", item
