"""Conversion of the memory of a CUDA struct to the memory of its HIP struct, and back.

A plan is a list of steps, each from a place in one memory to a place in the other: bytes that are the same
in both, enum constants that the two number differently, pointers to arrays of structs that differ
themselves, and places whose meaning another member decides. It is made from the rows when a struct is first
passed; a struct that HIP takes as it is has an empty plan.
"""

from __future__ import annotations

import ctypes
import struct
from typing import Any, Protocol

from cuda_shim.binding.enums.translation import HipEnums, Refused
from cuda_shim.binding.scope import Scope
from cuda_shim.binding.structs.counted import CountedList, counted_lists
from cuda_shim.binding.structs.layout import Place, StructLayout, layout_of
from cuda_shim.binding.structs.memory import ArrayMemory
from cuda_shim.binding.structs.packing import Piece, constants, packing
from cuda_shim.binding.structs.scalars import enum_word
from cuda_shim.errors import TableError
from cuda_shim.mapping.rows import Cases, EnumRow, Row, StructRow

__all__ = ["ConversionContext", "HipScope", "Plan", "hip_layout", "plan_for"]

_NUMBER = struct.Struct("I")
_WORD = struct.Struct("P")


class ConversionContext:
    """The context of one conversion: the arrays that pointers may lead to, and the memory to keep alive."""

    __slots__ = ("arrays", "owners")

    def __init__(self, arrays: dict[int, ArrayMemory]) -> None:
        self.arrays = arrays
        self.owners: list[Any] = []


class Step(Protocol):
    """One step; `cuda` and `hip` are the memories, `at_cuda` and `at_hip` where the struct starts in each."""

    def to_hip(self, cuda: Any, at_cuda: int, hip: Any, at_hip: int, context: ConversionContext, /) -> None:
        """Write this step's part of HIP's memory."""

    def from_hip(self, hip: Any, at_hip: int, cuda: Any, at_cuda: int, /) -> None:
        """Write this step's part of CUDA's memory."""

    def piece_to_hip(self) -> Piece | None:
        """Return the step as one of a packing; None where it is more than bytes or a constant."""

    def piece_from_hip(self) -> Piece | None:
        """Return the step as one of the packing that goes back; None as for the other way."""


class Plan:
    """The steps of a struct, the size of HIP's, and whether CUDA's own memory will do for HIP.

    `packed` moves all of them to HIP at once, where that can be; `room` is the type of memory for HIP's struct.
    `lists` are the lists that the struct has counts of.
    """

    __slots__ = ("_unpacked", "hip_size", "lists", "packed", "room", "same", "steps")

    def __init__(self, steps: tuple[Step, ...], hip_size: int, same: bool, lists: tuple[CountedList, ...]) -> None:
        self.steps = steps
        self.lists = lists
        self.hip_size = hip_size
        self.same = same
        self.room = ctypes.c_char * hip_size
        self.packed = packing([step.piece_to_hip() for step in steps])
        self._unpacked = packing([step.piece_from_hip() for step in steps])

    def to_hip(self, cuda: Any, at_cuda: int, hip: Any, at_hip: int, context: ConversionContext) -> None:
        """Fill HIP's memory, which is new. Raises Refused for an enum constant that HIP lacks."""
        if self.packed is not None:
            self.packed.move(cuda, at_cuda, hip, at_hip)
            return
        for step in self.steps:
            step.to_hip(cuda, at_cuda, hip, at_hip, context)

    def from_hip(self, hip: Any, at_hip: int, cuda: Any, at_cuda: int) -> None:
        """Fill CUDA's memory from HIP's; members that HIP lacks stay as they are."""
        for step in self.steps:
            step.from_hip(hip, at_hip, cuda, at_cuda)

    def into_new(self, hip: Any, at_hip: int, cuda: Any, at_cuda: int) -> None:
        """As `from_hip`, for memory that is new: members that HIP lacks are zero."""
        if self._unpacked is not None:
            self._unpacked.move(hip, at_hip, cuda, at_cuda)
        else:
            self.from_hip(hip, at_hip, cuda, at_cuda)


class _Bytes:
    """Bytes that are the same in both."""

    def __init__(self, at_cuda: int, at_hip: int, size: int) -> None:
        self.at_cuda, self.at_hip, self.size = at_cuda, at_hip, size

    def to_hip(self, cuda: Any, at_cuda: int, hip: Any, at_hip: int, _: ConversionContext) -> None:
        # Assigning to a slice of a ctypes array takes each byte by itself.
        source, target = ctypes.addressof(cuda) + at_cuda, ctypes.addressof(hip) + at_hip
        ctypes.memmove(target + self.at_hip, source + self.at_cuda, self.size)

    def from_hip(self, hip: Any, at_hip: int, cuda: Any, at_cuda: int) -> None:
        source, target = ctypes.addressof(hip) + at_hip, ctypes.addressof(cuda) + at_cuda
        ctypes.memmove(target + self.at_cuda, source + self.at_hip, self.size)

    def piece_to_hip(self) -> Piece:
        return Piece(self.at_cuda, self.at_hip, self.size)

    def piece_from_hip(self) -> Piece:
        return Piece(self.at_hip, self.at_cuda, self.size)


class _UnpackableStep:
    """A step that cannot be packed."""

    def piece_to_hip(self) -> None:
        return None

    def piece_from_hip(self) -> None:
        return None


class _Constant:
    """An enum constant. Zero is also the value of an untouched member, so it passes where the enum lacks it."""

    def __init__(self, at_cuda: int, at_hip: int, enums: HipEnums, row: EnumRow) -> None:
        self.at_cuda, self.at_hip, self.enums = at_cuda, at_hip, enums
        self.word = enum_word(row)
        self.read = struct.Struct(self.word).unpack_from

    def to_hip(self, cuda: Any, at_cuda: int, hip: Any, at_hip: int, _: ConversionContext) -> None:
        number = self.read(cuda, at_cuda + self.at_cuda)[0]
        if number or number in self.enums.to_hip:
            number = int(self.enums.to_hip[number])
        _NUMBER.pack_into(hip, at_hip + self.at_hip, number & 0xFFFFFFFF)

    def from_hip(self, hip: Any, at_hip: int, cuda: Any, at_cuda: int) -> None:
        number = self.read(hip, at_hip + self.at_hip)[0]
        if number or number in self.enums.from_hip:
            number = int(self.enums.from_hip[number])
        _NUMBER.pack_into(cuda, at_cuda + self.at_cuda, number & 0xFFFFFFFF)

    def piece_to_hip(self) -> Piece:
        return Piece(self.at_cuda, self.at_hip, _NUMBER.size, self.word, constants(self.enums.to_hip))

    def piece_from_hip(self) -> Piece:
        return Piece(self.at_hip, self.at_cuda, _NUMBER.size, self.word, constants(self.enums.from_hip))


class _Array(_UnpackableStep):
    """A pointer to an array of structs that differ from HIP's."""

    def __init__(self, at_cuda: int, at_hip: int, plan: Plan) -> None:
        self.at_cuda, self.at_hip, self.plan = at_cuda, at_hip, plan

    def to_hip(self, cuda: Any, at_cuda: int, hip: Any, at_hip: int, context: ConversionContext) -> None:
        address = _WORD.unpack_from(cuda, at_cuda + self.at_cuda)[0]
        array = context.arrays.get(address)
        if array is not None:  # else the program wrote an address itself, and answers for its memory
            converted = (ctypes.c_char * (self.plan.hip_size * array.count))()
            for index in range(array.count):
                self.plan.to_hip(array.memory, array.element * index, converted, self.plan.hip_size * index, context)
            context.owners.append(converted)
            address = ctypes.addressof(converted)
        _WORD.pack_into(hip, at_hip + self.at_hip, address)

    def from_hip(self, hip: Any, at_hip: int, cuda: Any, at_cuda: int) -> None:
        _WORD.pack_into(cuda, at_cuda + self.at_cuda, _WORD.unpack_from(hip, at_hip + self.at_hip)[0])


class _Inner(_UnpackableStep):
    """A struct inside the struct."""

    def __init__(self, at_cuda: int, at_hip: int, plan: Plan) -> None:
        self.at_cuda, self.at_hip, self.plan = at_cuda, at_hip, plan

    def to_hip(self, cuda: Any, at_cuda: int, hip: Any, at_hip: int, context: ConversionContext) -> None:
        self.plan.to_hip(cuda, at_cuda + self.at_cuda, hip, at_hip + self.at_hip, context)

    def from_hip(self, hip: Any, at_hip: int, cuda: Any, at_cuda: int) -> None:
        self.plan.from_hip(hip, at_hip + self.at_hip, cuda, at_cuda + self.at_cuda)


class _Choice(_UnpackableStep):
    """A place in HIP's struct with several meanings: the steps for each value of the CUDA member that decides."""

    def __init__(
        self, by: Place, steps: dict[int, tuple[Step, ...]], otherwise: tuple[Step, ...] | None, struct_name: str
    ) -> None:
        self.by, self.steps, self.otherwise, self.struct_name = by, steps, otherwise, struct_name

    def _steps_for(self, cuda: Any, at_cuda: int) -> tuple[Step, ...] | None:
        number = _NUMBER.unpack_from(cuda, at_cuda + self.by.offset)[0]
        return self.steps.get(number, self.otherwise)

    def to_hip(self, cuda: Any, at_cuda: int, hip: Any, at_hip: int, context: ConversionContext) -> None:
        steps = self._steps_for(cuda, at_cuda)
        if steps is None:
            number = _NUMBER.unpack_from(cuda, at_cuda + self.by.offset)[0]
            raise Refused(f"{self.struct_name}.{self.by.field.name}: HIP has nothing for {number}", supported=False)
        for step in steps:
            step.to_hip(cuda, at_cuda, hip, at_hip, context)

    def from_hip(self, hip: Any, at_hip: int, cuda: Any, at_cuda: int) -> None:
        for step in self._steps_for(cuda, at_cuda) or ():
            step.from_hip(hip, at_hip, cuda, at_cuda)


class HipScope:
    """A scope seen from HIP's side: a struct's members are HIP's where the row gives them."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def base_row(self, base: str) -> tuple[HipScope, Row | None]:
        """Return the row of a type, its members replaced by HIP's, and the scope of the table that has it."""
        home, row = self._scope.base_row(base)
        if isinstance(row, StructRow) and row.hip_fields:
            row = StructRow(row.name, row.hip_fields)
        return HipScope(home), row


def hip_layout(row: StructRow, scope: Scope) -> StructLayout:
    """Return the layout of HIP's struct for a row."""
    fields = row.hip_fields or row.fields
    return layout_of(StructRow(row.name, fields, row.union and not row.hip_fields), HipScope(scope))


def plan_for(row: StructRow, scope: Scope) -> Plan:
    """Return the plan of a struct row. Raises TableError when a HIP member has another size than the CUDA member."""
    return _Planner(row, scope).plan()


class _Planner:
    """Makes the plan of one row."""

    def __init__(self, row: StructRow, scope: Scope) -> None:
        self.row, self.scope = row, scope
        self.cuda = layout_of(row, scope)
        self.hip = hip_layout(row, scope)

    def plan(self) -> Plan:
        lists = counted_lists(self.cuda)
        if self.row.union and not self.row.hip_fields:
            # The row does not show which member of the union is in use: HIP gets the bytes.
            return Plan((_Bytes(0, 0, self.cuda.size),), self.cuda.size, True, lists)
        steps = _joined(self._steps(self.hip, "", 0))
        return Plan(tuple(steps), self.hip.size, self._same(steps), lists)

    def _steps(self, hip: StructLayout, prefix: str, start: int) -> list[Step]:
        steps: list[Step] = []
        for place in hip.places:
            field, at_hip = place.field, start + place.offset
            if field.hidden and self.row.hip_fields:
                continue
            if field.cases is not None:
                steps.append(self._choice(field.cases, at_hip))
            elif place.nested is not None and field.nested is not None and not self._whole(place, prefix):
                steps.extend(self._steps(place.nested, f"{prefix}{field.name}.", at_hip))
            else:
                steps.extend(self._one(field.cuda or prefix + field.name, at_hip, place.size))
        return steps

    def _whole(self, place: Place, prefix: str) -> bool:
        """Return whether an anonymous member is copied as it is: an array, or a union of the same size in both."""
        if place.field.count:
            return True
        union = place.field.nested is not None and place.field.nested.union
        try:
            return union and self.cuda.place(prefix + place.field.name).size == place.size
        except KeyError:
            return False

    def _one(self, path: str, at_hip: int, size: int) -> list[Step]:
        """Return the steps for one HIP member and the CUDA member that it stands for, none in layouts without it."""
        try:
            place = self.cuda.place(path)
        except KeyError:
            return []
        if isinstance(place.kind, StructRow) and not place.field.count:
            inner = plan_for(place.kind, self._home(place))
            if not inner.same or inner.hip_size != place.size:
                self._check(path, inner.hip_size, size)
                return [_Inner(place.offset, at_hip, inner)]
        self._check(path, place.size, size)
        if isinstance(place.kind, EnumRow) and not place.field.count:
            enums = self.scope.enums(place.kind.name)
            if _renumbered(place.kind, enums):
                return [_Constant(place.offset, at_hip, enums, place.kind)]
        base = place.field.base
        if base.endswith("*") and not base.endswith("**") and not place.field.count:
            home, row = self.scope.base_row(base[:-1])
            # A struct that points to its own kind (a list of resources) is passed as it is.
            if isinstance(row, StructRow) and row.name != self.row.name:
                element = plan_for(row, home)
                if not element.same:
                    return [_Array(place.offset, at_hip, element)]
        return [_Bytes(place.offset, at_hip, place.size)]

    def _choice(self, cases: Cases, at_hip: int) -> _Choice:
        by = self.cuda.place(cases.by)
        if not isinstance(by.kind, EnumRow):
            raise TableError(f"{self.row.name}.hip_fields: 'by: {cases.by}' is not an enum")
        numbers = {member.name: member.value for member in by.kind.members}
        steps: dict[int, tuple[Step, ...]] = {}
        for constant, path in cases.members:
            if constant in numbers:
                steps[numbers[constant]] = () if path == "none" else self._placed(path, at_hip)
        otherwise = self._placed(cases.otherwise, at_hip) if cases.otherwise else None
        return _Choice(by, steps, otherwise, self.row.name)

    def _placed(self, path: str, at_hip: int) -> tuple[Step, ...]:
        """Return the steps that put a CUDA member, as HIP's struct of that kind, at one place."""
        try:
            place = self.cuda.place(path)
        except KeyError:
            return ()
        size = place.size
        if isinstance(place.kind, StructRow):
            size = plan_for(place.kind, self._home(place)).hip_size
        return tuple(self._one(path, at_hip, size))

    def _home(self, place: Place) -> Scope:
        return self.scope.base_row(place.field.base)[0]

    def _check(self, path: str, cuda_size: int, hip_size: int) -> None:
        if cuda_size != hip_size:
            raise TableError(
                f"{self.row.name}.hip_fields: '{path}' has {hip_size} bytes in HIP and {cuda_size} in CUDA"
            )

    def _same(self, steps: list[Step]) -> bool:
        """Return whether HIP can be given CUDA's memory: each member is at HIP's place, and none is unknown to HIP."""
        if self.hip.size > self.cuda.size or not all(
            isinstance(step, _Bytes) and step.at_cuda == step.at_hip for step in steps
        ):
            return False
        copied: set[int] = set()
        for step in steps:
            if isinstance(step, _Bytes):
                copied.update(range(step.at_cuda, step.at_cuda + step.size))
        return all(
            copied.issuperset(range(place.offset, min(place.offset + place.size, self.hip.size)))
            for place in self.cuda.places
            if not place.field.hidden
        )


def _renumbered(row: EnumRow, enums: HipEnums) -> bool:
    """Return whether some number has another meaning in HIP's enum than in CUDA's, or one that CUDA lacks."""
    numbers = {name: int(constant) for name, constant in enums.hip_constants.items()}
    used = set(numbers.values())
    return any(
        numbers[member.hip] != member.value if member.hip in numbers else member.value in used for member in row.members
    )


def _joined(steps: list[Step]) -> list[Step]:
    """Return the steps, with copies joined where one follows another directly in both memories."""
    joined: list[Step] = []
    for step in steps:
        last = joined[-1] if joined else None
        if (
            isinstance(step, _Bytes)
            and isinstance(last, _Bytes)
            and step.at_cuda - last.at_cuda == step.at_hip - last.at_hip
            and last.at_cuda + last.size == step.at_cuda
        ):
            joined[-1] = _Bytes(last.at_cuda, last.at_hip, last.size + step.size)
        else:
            joined.append(step)
    return joined
