"""Asks C and Python the same questions: `python -m tests.c_level.alike LAYOUT SEED COUNT`.

The fuzzer's arguments, mostly right and sometimes odd, go to functions that ask and change nothing. Prints a line for
each question with different answers, and the number of those that were answered alike at the end.
"""

from __future__ import annotations

import ctypes
import random
import re
import sys
from collections.abc import Sequence
from typing import Any

import cuda_shim

cuda_shim.enable(backend="cpu", cuda=sys.argv[1])

from cuda_shim.c_level.raw_arguments import element_of  # noqa: E402
from cuda_shim.mapping.rows import EnumRow, Parameter, StructRow  # noqa: E402
from tests.fuzz.arguments import Maker  # noqa: E402
from tests.fuzz.c_calls import CCaller, keep_to_lists  # noqa: E402
from tests.fuzz.world import World  # noqa: E402

ASKING = re.compile(r"Get|Query|Is[A-Z]|Occupancy|CanAccess|Version|Find")
#: Functions whose answers change the next one, or change with time; addresses are the library's own in C, and HIP's in
#: Python.
CHANGING = re.compile(
    r"MemGetInfo|MemInfo|LastError|ElapsedTime|GetId|Retain|ProcAddress|EntryPoint|ExportTable|Ipc|LogsCurrent"
)
#: Python takes a value where C takes the address of one, and so checks another thing first.
NOT_ALIKE = {
    "cuGraphicsResourceGetMappedPointer", "cuPointerGetAttributes",
}  # fmt: skip


def main(layout: str, seed: int, count: int) -> None:
    """Ask `count` questions."""
    world = World(layout)
    world.prepare()
    caller = CCaller(world, layout)
    rows = {
        key: row
        for key, row in world.rows.items()
        if key in caller.functions and ASKING.search(key[1]) and not CHANGING.search(key[1]) and row.result is None
    }
    names, alike, succeeded = sorted(rows), 0, 0
    asked: set[str] = set()
    for number in range(count):
        numbers = random.Random(f"{seed}/{number}")  # noqa: S311 (the sequence must be reproducible)
        table, name = names[number % len(names)]
        arguments = Maker(world, numbers).arguments(rows[table, name], table)
        if name in NOT_ALIKE or any(map(plainly, arguments)):
            continue
        for value in arguments:
            keep_to_lists(value)
        try:
            status, *results = getattr(world.modules[table], name)(*arguments)
        except (TypeError, ValueError, OverflowError, RuntimeError, AttributeError, MemoryError):
            continue
        answer = caller.call(table, name, arguments, Never(f"{seed}/{number}"))
        if answer != int(status):
            print(f"{number} {name}: C says {answer}, Python {status!r} of {arguments!r:.300}")
            continue
        alike += compare(name, rows[table, name].outputs, results, caller, world.catalogue.scope(table))
        asked.add(name)
        succeeded += not answer
    print(f"asked {len(asked)} alike {alike} succeeded {succeeded}")


def plainly(value: object) -> bool:
    """Return whether a value is nonsense that Python refuses and C cannot see."""
    return isinstance(value, (str, type, type(...), float)) or value.__class__ is object


class Never(random.Random):
    """Random numbers that never make a null pointer."""

    def random(self) -> float:
        """Never small."""
        return max(super().random(), 0.5)


def compare(name: str, outputs: Sequence[Parameter], results: list[Any], caller: CCaller, scope: Any) -> bool:
    """Return whether the memory that C filled holds the values that Python returned, as far as they are single ones."""
    found = {parameter.name: address for parameter, address in caller.results}
    for parameter, value in zip(outputs, results, strict=True):
        if parameter.name not in found or value is None or isinstance(value, (bytes, list)) or parameter.base == "char":
            continue
        kind, address = scope.kind(parameter.base), found[parameter.name]
        size, read, _ = element_of(parameter.base, scope)
        if isinstance(kind, StructRow):
            same = ctypes.string_at(address, size) == ctypes.string_at(value.getPtr(), size)
        elif parameter.base == "void":
            same = holds(address, value)
        elif isinstance(kind, EnumRow) or not isinstance(value, float):
            same = int(read(address)) == int(value)
        else:
            same = read(address) == value or value != value
        if not same:
            print(f"{name}: {parameter.name} differs: {read(address)!r} in C, {value!r} in Python")
            return False
    return True


def holds(address: int, value: Any) -> bool:
    """Return whether an attribute is the number that Python made of it: a byte, an int or a word, for any type in C."""
    try:
        number = int(value)
    except (TypeError, ValueError):
        return True
    if isinstance(value, bool):
        return ctypes.c_bool.from_address(address).value == value
    kind = ctypes.c_int if -(1 << 31) <= number < 1 << 31 else ctypes.c_uint64
    return kind.from_address(address).value == kind(number).value


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
