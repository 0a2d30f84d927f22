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
    return _TypeInference(instructions, registers, fixed, shared).found()


def pointer_operand(item: Instruction, kinds: dict[str, Type]) -> int:
    """Return the index of a sum's operand that is the pointer moved by the others, 0 if none is known to be."""
    name, _, rest = item.opcode.partition(".")
    places = {"add": (1, 2), "sub": (1,), "mad": (3,)}.get(name, ())
    if rest.startswith(("cc", "hi", "sat")) or rest.endswith(".cc"):
        return 0
    pointers = [place for place in places if place < len(item.operands) and _is_pointer(item.operands[place], kinds)]
    return pointers[0] if len(pointers) == 1 else 0


def _is_pointer(operand: Operand, kinds: dict[str, Type]) -> bool:
    return isinstance(operand, Register) and kinds.get(operand.name) is POINTER


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
        self._above: dict[str, str] = {}
        self._votes: dict[str, dict[str, float]] = {}

    def found(self) -> dict[str, Type]:
        for item in self._instructions:
            self._join(item)
        pointers = self._pointers()
        for item in self._instructions:
            self._vote(item)
        kinds: dict[str, Type] = {}
        for name, type_ in self._registers.items():
            if name in self._fixed:
                kinds[name] = self._fixed[name]
            elif self._group(name) in pointers:
                kinds[name] = POINTER
            else:
                kinds[name] = self._chosen(name, type_)
        return kinds

    def _group(self, name: str) -> str:
        while name in self._above:
            name = self._above[name]
        return name

    def _join(self, item: Instruction) -> None:
        """Give registers that are copied to each other one type, if they are declared with one."""
        if item.opcode.partition(".")[0] not in _COPIES or not item.operands:
            return
        names = [operand.name for operand in item.operands[:3] if isinstance(operand, Register)]
        for name in names[1:]:
            first, second = self._group(names[0]), self._group(name)
            free = names[0] not in self._fixed and name not in self._fixed
            if first != second and free and self._registers[names[0]] == self._registers[name]:
                self._above[second] = first

    # Votes.

    def _vote(self, item: Instruction) -> None:
        if isinstance(item, Call):
            return
        try:
            form = form_of(item.opcode)
        except Unknown:
            return
        weight = 0.1 if item.opcode.partition(".")[0] in _WEAK_VOTES else 1.0
        for name, wanted in self._asked(item, form):
            type_ = TYPES.get(wanted)
            if (
                type_ is None
                or type_.bits != self._registers[name].bits
                or type_.kind not in ("floating", "signed", "unsigned")
            ):
                continue
            votes = self._votes.setdefault(self._group(name), {})
            votes[type_.name] = votes.get(type_.name, 0.0) + weight

    def _asked(self, item: Instruction, form: Form) -> Iterator[tuple[str, str]]:
        """Yield the registers of an instruction with the types that it reads or writes them as."""
        operands = item.operands
        if form.memory in ("load", "store"):
            place = 0 if form.memory == "load" else 1
            for operand in operands[place : place + 1]:
                for found in operand.items if isinstance(operand, Vector) else (operand,):
                    if isinstance(found, Register):
                        yield found.name, form.kind
            return
        for number, wanted in places_of(form):
            read = operands[number] if number < len(operands) else None
            if isinstance(read, Register):
                yield read.name, wanted.lstrip("*")
        if form.value and operands:
            first = operands[0].first if isinstance(operands[0], ResultPair) else operands[0]
            if isinstance(first, Register):
                yield first.name, form.result

    def _chosen(self, name: str, declared: Type) -> Type:
        if declared.kind in ("floating", "predicate") or declared.bits == 128:
            return declared
        votes = self._votes.get(self._group(name), {})
        best = max(votes, key=lambda kind: votes[kind], default="")
        floating = [kind for kind in votes if TYPES[kind].kind == "floating"]
        if floating and sum(votes[kind] for kind in floating) * 2 >= sum(votes.values()):
            best = max(floating, key=lambda kind: votes[kind])
        elif best and TYPES[best].kind == "floating":
            best = max((kind for kind in votes if kind not in floating), key=lambda kind: votes[kind], default="")
        if best:
            return TYPES[best]
        return TYPES[f"{'s' if declared.kind == 'signed' else 'u'}{declared.bits}"]

    # Pointers.

    def _pointers(self) -> set[str]:
        """Return the groups of registers that hold addresses."""
        writers: dict[str, list[Instruction]] = {}
        for item in self._instructions:
            for name in writes_of(item):
                writers.setdefault(self._group(name), []).append(item)
        sure, maybe = self._sources(writers)
        sure -= self._mixed(writers, sure)
        numbers = {group for group, items in writers.items() if any(_yields_number(item) for item in items)}
        sure, maybe = sure - numbers, maybe - numbers
        found: set[str] = set()
        waiting = [self._group(name) for item in self._instructions for name in self._bases(item)]
        while waiting:
            group = waiting.pop()
            if group in found or group in numbers or not self._may_be_pointer(group, sure, maybe):
                continue
            found.add(group)
            for item in writers.get(group, []):
                waiting += self._sources_of(item, sure, maybe, found)
        return found

    def _may_be_pointer(self, group: str, sure: set[str], maybe: set[str]) -> bool:
        bits = self._registers[group].bits
        if group in self._fixed or self._registers[group].kind in ("floating", "predicate"):
            return False
        return bits == 64 or (bits == 32 and group in sure)

    def _bases(self, item: Instruction) -> Iterator[str]:
        """Yield the registers that an instruction takes for addresses."""
        for operand in item.operands:
            if isinstance(operand, Address) and isinstance(operand.base, Register) and not operand.coordinates:
                yield operand.base.name
        if item.opcode.startswith(("cvta", "isspacep")) and len(item.operands) == 2:
            yield from (operand.name for operand in item.operands if isinstance(operand, Register) and operand.name)

    def _sources(self, writers: dict[str, list[Instruction]]) -> tuple[set[str], set[str]]:
        """Return the groups that certainly hold addresses, and those that may: loaded, passed or returned values."""
        sure: set[str] = set()
        maybe: set[str] = {
            self._group(name)
            for name, type_ in self._registers.items()
            if type_.bits == 64 and self._group(name) not in writers
        }
        for group, items in writers.items():
            for item in items:
                if item.opcode.startswith("cvta") or (item.opcode.startswith("mov") and self._takes_address(item)):
                    sure.add(group)
                elif isinstance(item, Call) or item.opcode.startswith("ld"):
                    maybe.add(group)
        for found in (sure, maybe):
            changed = True
            while changed:
                changed = False
                for group, items in writers.items():
                    if group not in found and any(self._derives(item, found) for item in items):
                        found.add(group)
                        changed = True
        return sure, maybe | sure

    def _mixed(self, writers: dict[str, list[Instruction]], sure: set[str]) -> set[str]:
        """Return the groups of 32 bits that hold other numbers too, which cannot become pointers to shared memory."""
        found: set[str] = set()
        changed = True
        while changed:
            changed = False
            for group, items in writers.items():
                if group in found or self._registers[group].bits != 32 or group not in sure:
                    continue
                known = sure - found
                if not all(self._is_shared_address(item, group, known) for item in items):
                    found.add(group)
                    changed = True
        return found

    def _is_shared_address(self, item: Instruction, group: str, known: set[str]) -> bool:
        name = item.opcode.partition(".")[0]
        if name == "mov" and len(item.operands) == 2:
            source = item.operands[1]
            if isinstance(source, Register):
                return self._group(source.name) in known
            return self._takes_address(item)
        return name in ("add", "sub") and len(self._sources_of(item, known, set(), {group})) == 1

    def _takes_address(self, item: Instruction) -> bool:
        operand = item.operands[1] if len(item.operands) > 1 else None
        if not isinstance(operand, Symbol):
            return False
        target = item.operands[0]
        wide = isinstance(target, Register) and self._registers[target.name].bits == 64
        return wide or operand.name in self._shared

    def _derives(self, item: Instruction, known: set[str]) -> bool:
        name = item.opcode.partition(".")[0]
        if name in _ADDITIONS:
            places = {"add": (1, 2), "sub": (1,), "mad": (3,)}[name]
        elif name in _COPIES:
            places = (1, 2)
        else:
            return False
        return any(
            isinstance(operand, Register) and self._group(operand.name) in known
            for operand in (item.operands[place] for place in places if place < len(item.operands))
        )

    def _sources_of(self, item: Instruction, sure: set[str], maybe: set[str], found: set[str]) -> list[str]:
        """Return the groups that hold the address which an instruction moves."""
        name = item.opcode.partition(".")[0]
        operands = item.operands
        if name in ("mov", "cvta"):
            return [self._group(operand.name) for operand in operands[1:2] if isinstance(operand, Register)]
        if name == "selp":
            return [self._group(operand.name) for operand in operands[1:3] if isinstance(operand, Register)]
        if name not in _ADDITIONS or item.opcode.endswith(".cc"):
            return []
        places = {"add": (1, 2), "sub": (1,), "mad": (3,)}[name]
        summed = [operands[place] for place in places if place < len(operands)]
        groups = [self._group(operand.name) for operand in summed if isinstance(operand, Register)]
        for known in (sure, found, maybe):
            chosen = [group for group in groups if group in known]
            if len(chosen) == 1:
                return chosen
            if len(chosen) == 2:
                return []
        return []
