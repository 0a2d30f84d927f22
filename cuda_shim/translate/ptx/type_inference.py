"""Type inference: the C++ type of each register, from the instructions that use it.

A PTX register holds integers, floating-point numbers and addresses of its width alike. A register gets the type that
most of its instructions read or write it as; an instruction that needs another type reinterprets the bits, so a choice
is never wrong, only more or less readable. Addresses become pointers if it is known which operand of a sum is one:
compilers cannot see the memory behind a number that was a pointer.
"""

from __future__ import annotations

from collections.abc import Iterator

from cuda_shim.translate.ptx.def_use import writes_of
from cuda_shim.translate.ptx.instructions import Form, Unknown, form_of, places_of
from cuda_shim.translate.ptx.module import Address, Call, Instruction, Operand, Register, ResultPair, Symbol, Vector
from cuda_shim.translate.ptx.types import POINTER, TYPES, Type

__all__ = ["infer_types", "pointer_operand"]

_COPIES = ("mov", "selp")
_WEAK_VOTES = ("add", "sub", "mul", "mad", "mov", "selp", "ld", "st")
_ADDITIONS = ("add", "sub", "mad")
# Instructions that may give an address: a register that others write too may hold a number instead.
_ADDRESS_OPCODES = (*_ADDITIONS, *_COPIES, "cvta", "ld", "ldu", "call", "atom", "tex", "shfl")


def infer_types(
    instructions: list[Instruction], registers: dict[str, Type], fixed: dict[str, Type], shared: frozenset[str]
) -> dict[str, Type]:
    """Return the type of each register. `fixed` are decided already; `shared` are the names of shared variables."""
    return _TypeInference(instructions, registers, fixed, shared).infer()


def pointer_operand(item: Instruction, cxx_types: dict[str, Type]) -> int:
    """Return the index of a sum's operand that is the pointer moved by the others, 0 if none is known to be."""
    name, _, rest = item.opcode.partition(".")
    indices = {"add": (1, 2), "sub": (1,), "mad": (3,)}.get(name, ())
    if rest.startswith(("cc", "hi", "sat")) or rest.endswith(".cc"):
        return 0
    pointers = [
        index for index in indices if index < len(item.operands) and _is_pointer(item.operands[index], cxx_types)
    ]
    return pointers[0] if len(pointers) == 1 else 0


def _is_pointer(operand: Operand, cxx_types: dict[str, Type]) -> bool:
    return isinstance(operand, Register) and cxx_types.get(operand.name) is POINTER


def _yields_number(item: Instruction) -> bool:
    """Return whether an instruction's result is no address, however its register is used elsewhere.

    A number in a pointer would become the base of an address, and compilers take the base for the accessed object.
    """
    name = item.opcode.partition(".")[0]
    return name not in _ADDRESS_OPCODES or item.opcode.startswith("mad.hi")


class _TypeInference:
    def __init__(
        self,
        instructions: list[Instruction],
        registers: dict[str, Type],
        fixed: dict[str, Type],
        shared: frozenset[str],
    ) -> None:
        self._instructions = instructions
        self._registers = registers
        self._fixed = fixed
        self._shared = shared
        self._parent: dict[str, str] = {}
        self._votes: dict[str, dict[str, float]] = {}

    def infer(self) -> dict[str, Type]:
        for item in self._instructions:
            self._unite_copies(item)
        pointers = self._pointer_groups()
        for item in self._instructions:
            self._vote(item)
        cxx_types: dict[str, Type] = {}
        for name, type_ in self._registers.items():
            if name in self._fixed:
                cxx_types[name] = self._fixed[name]
            elif self._representative(name) in pointers:
                cxx_types[name] = POINTER
            else:
                cxx_types[name] = self._voted_type(name, type_)
        return cxx_types

    def _representative(self, name: str) -> str:
        while name in self._parent:
            name = self._parent[name]
        return name

    def _unite_copies(self, item: Instruction) -> None:
        """Give registers that are copied to each other one type, if they are declared with one."""
        if item.opcode.partition(".")[0] not in _COPIES or not item.operands:
            return
        names = [operand.name for operand in item.operands[:3] if isinstance(operand, Register)]
        for name in names[1:]:
            first, second = self._representative(names[0]), self._representative(name)
            both_free = names[0] not in self._fixed and name not in self._fixed
            if first != second and both_free and self._registers[names[0]] == self._registers[name]:
                self._parent[second] = first

    # Votes.

    def _vote(self, item: Instruction) -> None:
        if isinstance(item, Call):
            return
        try:
            form = form_of(item.opcode)
        except Unknown:
            return
        weight = 0.1 if item.opcode.partition(".")[0] in _WEAK_VOTES else 1.0
        for name, type_name in self._typed_operands(item, form):
            type_ = TYPES.get(type_name)
            if (
                type_ is None
                or type_.bits != self._registers[name].bits
                or type_.kind not in ("floating", "signed", "unsigned")
            ):
                continue
            votes = self._votes.setdefault(self._representative(name), {})
            votes[type_.name] = votes.get(type_.name, 0.0) + weight

    def _typed_operands(self, item: Instruction, form: Form) -> Iterator[tuple[str, str]]:
        """Yield the registers of an instruction with the types that it reads or writes them as."""
        operands = item.operands
        if form.memory in ("load", "store"):
            index = 0 if form.memory == "load" else 1
            for operand in operands[index : index + 1]:
                for element in operand.items if isinstance(operand, Vector) else (operand,):
                    if isinstance(element, Register):
                        yield element.name, form.kind
            return
        for number, type_name in places_of(form):
            source = operands[number] if number < len(operands) else None
            if isinstance(source, Register):
                yield source.name, type_name.lstrip("*")
        if form.value and operands:
            first = operands[0].first if isinstance(operands[0], ResultPair) else operands[0]
            if isinstance(first, Register):
                yield first.name, form.result

    def _voted_type(self, name: str, declared: Type) -> Type:
        if declared.kind in ("floating", "predicate") or declared.bits == 128:
            return declared
        votes = self._votes.get(self._representative(name), {})
        best_name = max(votes, key=lambda kind: votes[kind], default="")
        floating = [kind for kind in votes if TYPES[kind].kind == "floating"]
        if floating and sum(votes[kind] for kind in floating) * 2 >= sum(votes.values()):
            best_name = max(floating, key=lambda kind: votes[kind])
        elif best_name and TYPES[best_name].kind == "floating":
            best_name = max((kind for kind in votes if kind not in floating), key=lambda kind: votes[kind], default="")
        if best_name:
            return TYPES[best_name]
        return TYPES[f"{'s' if declared.kind == 'signed' else 'u'}{declared.bits}"]

    # Pointers.

    def _pointer_groups(self) -> set[str]:
        """Return the groups of registers that hold addresses."""
        writers: dict[str, list[Instruction]] = {}
        for item in self._instructions:
            for name in writes_of(item):
                writers.setdefault(self._representative(name), []).append(item)
        certain, possible = self._address_sources(writers)
        certain -= self._mixed_groups(writers, certain)
        numeric = {group for group, items in writers.items() if any(_yields_number(item) for item in items)}
        certain, possible = certain - numeric, possible - numeric
        pointers: set[str] = set()
        worklist = [self._representative(name) for item in self._instructions for name in self._address_registers(item)]
        while worklist:
            group = worklist.pop()
            if group in pointers or group in numeric or not self._may_be_pointer(group, certain, possible):
                continue
            pointers.add(group)
            for item in writers.get(group, []):
                worklist += self._base_groups(item, certain, possible, pointers)
        return pointers

    def _may_be_pointer(self, group: str, certain: set[str], possible: set[str]) -> bool:
        bits = self._registers[group].bits
        if group in self._fixed or self._registers[group].kind in ("floating", "predicate"):
            return False
        return bits == 64 or (bits == 32 and group in certain)

    def _address_registers(self, item: Instruction) -> Iterator[str]:
        """Yield the registers that an instruction takes for addresses."""
        for operand in item.operands:
            if isinstance(operand, Address) and isinstance(operand.base, Register) and not operand.coordinates:
                yield operand.base.name
        if item.opcode.startswith(("cvta", "isspacep")) and len(item.operands) == 2:
            yield from (operand.name for operand in item.operands if isinstance(operand, Register) and operand.name)

    def _address_sources(self, writers: dict[str, list[Instruction]]) -> tuple[set[str], set[str]]:
        """Return the groups that certainly hold addresses, and those that may: loaded, passed or returned values."""
        certain: set[str] = set()
        possible: set[str] = {
            self._representative(name)
            for name, type_ in self._registers.items()
            if type_.bits == 64 and self._representative(name) not in writers
        }
        for group, items in writers.items():
            for item in items:
                if item.opcode.startswith("cvta") or (
                    item.opcode.startswith("mov") and self._loads_symbol_address(item)
                ):
                    certain.add(group)
                elif isinstance(item, Call) or item.opcode.startswith("ld"):
                    possible.add(group)
        for groups in (certain, possible):
            changed = True
            while changed:
                changed = False
                for group, items in writers.items():
                    if group not in groups and any(self._derives_from(item, groups) for item in items):
                        groups.add(group)
                        changed = True
        return certain, possible | certain

    def _mixed_groups(self, writers: dict[str, list[Instruction]], certain: set[str]) -> set[str]:
        """Return the groups of 32 bits that hold other numbers too, which cannot become pointers to shared memory."""
        mixed: set[str] = set()
        changed = True
        while changed:
            changed = False
            for group, items in writers.items():
                if group in mixed or self._registers[group].bits != 32 or group not in certain:
                    continue
                certain_pointers = certain - mixed
                if not all(self._is_shared_address(item, group, certain_pointers) for item in items):
                    mixed.add(group)
                    changed = True
        return mixed

    def _is_shared_address(self, item: Instruction, group: str, pointers: set[str]) -> bool:
        name = item.opcode.partition(".")[0]
        if name == "mov" and len(item.operands) == 2:
            source = item.operands[1]
            if isinstance(source, Register):
                return self._representative(source.name) in pointers
            return self._loads_symbol_address(item)
        return name in ("add", "sub") and len(self._base_groups(item, pointers, set(), {group})) == 1

    def _loads_symbol_address(self, item: Instruction) -> bool:
        operand = item.operands[1] if len(item.operands) > 1 else None
        if not isinstance(operand, Symbol):
            return False
        target = item.operands[0]
        wide = isinstance(target, Register) and self._registers[target.name].bits == 64
        return wide or operand.name in self._shared

    def _derives_from(self, item: Instruction, pointers: set[str]) -> bool:
        name = item.opcode.partition(".")[0]
        if name in _ADDITIONS:
            indices = {"add": (1, 2), "sub": (1,), "mad": (3,)}[name]
        elif name in _COPIES:
            indices = (1, 2)
        else:
            return False
        return any(
            isinstance(operand, Register) and self._representative(operand.name) in pointers
            for operand in (item.operands[index] for index in indices if index < len(item.operands))
        )

    def _base_groups(self, item: Instruction, certain: set[str], possible: set[str], pointers: set[str]) -> list[str]:
        """Return the groups that hold the address which an instruction moves."""
        name = item.opcode.partition(".")[0]
        operands = item.operands
        if name in ("mov", "cvta"):
            return [self._representative(operand.name) for operand in operands[1:2] if isinstance(operand, Register)]
        if name == "selp":
            return [self._representative(operand.name) for operand in operands[1:3] if isinstance(operand, Register)]
        if name not in _ADDITIONS or item.opcode.endswith(".cc"):
            return []
        indices = {"add": (1, 2), "sub": (1,), "mad": (3,)}[name]
        addends = [operands[index] for index in indices if index < len(operands)]
        groups = [self._representative(operand.name) for operand in addends if isinstance(operand, Register)]
        for candidates in (certain, pointers, possible):
            matches = [group for group in groups if group in candidates]
            if len(matches) == 1:
                return matches
            if len(matches) == 2:
                return []
        return []
