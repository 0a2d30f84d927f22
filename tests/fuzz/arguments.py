"""Random arguments by type: fitting ones, freed ones, ones that belong elsewhere, and nonsense.

Arguments that no C library can check, and that NVIDIA's does not survive either, are left out: addresses of functions
that are none, buffers shorter than the size beside them, and waiting for a value in memory that no one writes.
"""

from __future__ import annotations

import ctypes
import math
import random
from typing import Any

from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.parameters.list_of import count_of
from cuda_shim.mapping.rows import EnumRow, Field, FunctionRow, HandleRow, Parameter, StructRow
from tests.fuzz.world import World

SMALL = (0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64, 100, 255, 256, 1000, 4096)
#: No sizes between: memory of a few gigabytes may be had, and many times as many cannot.
HUGE = (2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 8, 2**64 - 1, 256777518)
NEGATIVE = (-1, -2, -(2**31), -(2**63))
NONSENSE: tuple[Any, ...] = (
    None,
    "text",
    b"bytes",
    [],
    [1],
    (),
    {},
    1.5,
    True,
    object(),
    int,
    1 << 70,
    -(1 << 70),
    "\udc80",
    ...,
)
#: Not one of them is an address of memory.
MADE_UP = (1, 2, 8, 32, 0x1000, 0xDEAD0000, 1 << 47, (1 << 64) - 8)
HOST_NODE = 3  # CU_GRAPH_NODE_TYPE_HOST
WORDS = (
    b"",
    b"nothing",
    b"fill",
    b"many",
    b"variable",
    b"factor",
    b"no such name",
    b"\0",
    b"a" * 300,
    b"\xff\xfe",
    b"fuzz.dot",
)
#: Calls that write a file of the program's choice: it is never one outside of the program's folder.
WRITING = ("cuGraphDebugDotPrint", "cudaGraphDebugDotPrint")
#: Calls and operations of streams that wait for a value in memory.
WAITS = ("cuStreamWaitValue", "hipStreamWaitValue", "WAIT_VALUE")
#: A launch of more blocks may take minutes, even of an empty kernel.
MOST_BLOCKS = 1 << 24


def _blocks(made: dict[str, Any]) -> int:
    """Return the number of a launch's blocks, where its grid is one that may be launched."""
    sides = [made.get(f"gridDim{axis}") for axis in "XYZ"]
    whole = [side for side in sides if isinstance(side, int) and 0 < side < 1 << 31]
    return math.prod(whole) if len(whole) == len(sides) else 0


class Maker:
    """Makes the arguments of one call from its random numbers."""

    def __init__(self, world: World, numbers: random.Random) -> None:
        self.world = world
        self.random = numbers
        self.words: tuple[bytes, ...] = (*WORDS, *world.paths)

    def arguments(self, row: FunctionRow, table: str) -> list[Any]:
        """The arguments of a call. Most calls have at most one that is odd, so that they get far."""
        odd = self.random.choice((0, 0, 0.1, 0.3, 1))
        made: dict[str, Any] = {}
        if row.name.startswith(WRITING):
            self.words = WORDS
        if row.name.startswith(WAITS):
            return [self.value("CUstream", "driver", odd > 0), self.random.choice(MADE_UP), 0, 0]
        counts = {}
        for parameter in row.inputs:
            if parameter.suffix.endswith("[]") and (count := count_of(parameter, row)) is not None:
                counts[count.name] = parameter.name
        for parameter in sorted(row.inputs, key=lambda p: p.name in counts):
            value = self.one(parameter, table, self.random.random() < odd)
            if parameter.name in counts and self.random.random() > odd:
                listed = made[counts[parameter.name]]
                value = len(listed) if isinstance(listed, (list, tuple)) else 0
            made[parameter.name] = value
        if _blocks(made) > MOST_BLOCKS:
            made["gridDimX"] = 7
        return [made[parameter.name] for parameter in row.inputs]

    def one(self, parameter: Parameter, table: str, odd: bool) -> Any:
        """One argument; `odd` ones are of another type half the time."""
        name, base, suffix = parameter.name, parameter.base, parameter.suffix
        _, row = self.world.catalogue.base_row(base, table)
        if isinstance(row, HandleRow) and row.storage == "callback":
            odd = False
        if odd and self.random.random() < 0.4:
            return self.random.choice(NONSENSE) if not is_memory(base, suffix) else self.random.choice(NONSENSE[8:])
        if suffix.endswith("[]"):
            return self.listed(base, suffix, table, odd)
        if name in ("kernelParams", "extra"):
            return self.kernel_parameters() if name == "kernelParams" else 0
        if base == "char":
            return self.random.choice(self.words) if "image" not in name else self.image()
        if is_memory(base, suffix):
            return self.memory(name)
        return self.value(base, table, odd, name)

    def value(self, base: str, table: str, odd: bool = False, name: str = "") -> Any:
        """A value of a type."""
        if base in C_INTEGERS or base in ("cuuint32_t", "cuuint64_t"):
            return self.integer(odd)
        if base in ("float", "double"):
            return self.random.choice((0.0, 1.0, -1.5, 1e30, float("nan"), float("inf"), 3))
        if base == "void":
            return self.memory(name)
        _, row = self.world.catalogue.base_row(base, table)
        if isinstance(row, EnumRow):
            return self.constant(base, table, odd)
        if isinstance(row, StructRow):
            return self.struct(base, row, table)
        if isinstance(row, HandleRow):
            return self.handle(base, row, table, odd)
        return self.integer(odd)

    def integer(self, odd: bool) -> int:
        if odd:
            return self.random.choice(HUGE + NEGATIVE)
        return self.random.choice(SMALL[: self.random.choice((3, 8, len(SMALL)))])

    def constant(self, base: str, table: str, odd: bool) -> Any:
        cls = self.world.class_of(base, table)
        if odd:
            return self.random.choice(
                (0, 1, 255, -1, 1 << 20, 1 << 40, None, self.world.class_of("CUresult", "driver")(1))
            )
        constants = [constant for constant in cls if not any(word in constant.name for word in WAITS)]
        return self.random.choice(constants)

    def handle(self, base: str, row: HandleRow, table: str, odd: bool) -> Any:
        cls = self.world.class_of(base, table)
        if row.storage == "callback":
            return cls(self.random.choice((0, self.world.host_function)))
        if odd and self.random.random() < 0.5:
            return self.foreign(row, cls)
        known = self.world.pool.get(self.world.family(base, table))
        if known and self.random.random() < 0.9:
            return self.random.choice(known)
        if row.storage == "pointer":
            return self.random.choice((0, cls(), cls(0), 1, 2, cls(2)))
        return self.random.choice((0, cls(0), cls(1), 0))

    def foreign(self, row: HandleRow, cls: Any) -> Any:
        """Return a number that is no handle of the class: one of another, made up, or memory of another kind.

        For memory, made up alone: the program may use all memory that it can read and write.
        """
        others = [one for name, objects in self.world.pool.items() if name != row.name for one in objects]
        numbers = [*MADE_UP, self.world.host_address]
        if row.name != "CUdeviceptr":
            numbers += [int(one) for one in others if hasattr(one, "__int__")]
        number = self.random.choice(numbers)
        try:
            return self.random.choice((number, cls(number)))
        except OverflowError:
            return number

    def memory(self, name: str = "") -> Any:
        """The address of memory: the host's, a device's, or none."""
        if "image" in name.lower() or name in ("code", "data", "fatCubin"):
            return self.image()
        device = self.world.pool.get("CUdeviceptr", [0])
        host = self.world.host_address + self.random.choice((0, 0, 8, 64, 4096, 3))
        return self.random.choice((host, host, int(self.random.choice(device)), None, 0))

    def image(self) -> Any:
        """A module, whole or broken, as a program would have read it from a file."""
        image = bytearray(self.random.choice(self.world.images))
        damage = self.random.randrange(6)
        if damage == 0:
            del image[self.random.randrange(len(image)) :]
        elif damage == 1:
            for _ in range(self.random.choice((1, 8, 64))):
                image[self.random.randrange(len(image))] = self.random.randrange(256)
        elif damage == 2:
            at = self.random.randrange(4096)
            image[at : at + 8] = self.random.randbytes(8)
        elif damage == 3:
            image = bytearray(self.random.choice((b"", b"\0", b"\x7fELF", b".version 8.0\n", b"x" * 100)))
        return bytes(image)

    def listed(self, base: str, suffix: str, table: str, odd: bool) -> Any:
        length = self.random.choice((0, 1, 1, 2, 3, 5))
        if base == "char":
            return [self.random.choice(self.words) for _ in range(length)]
        if base == "void":
            return [self.memory() for _ in range(length)]
        values = [self.value(base, table, odd and self.random.random() < 0.3) for _ in range(length)]
        return self.random.choice((values, values, values, tuple(values), None)) if odd else values

    def kernel_parameters(self) -> Any:
        pointer = int(self.random.choice(self.world.pool.get("CUdeviceptr", [0])))
        values = (pointer, self.random.randrange(100), 5, 2.5, 7)[: self.random.randrange(6)]
        kinds = (ctypes.c_void_p, ctypes.c_int, ctypes.c_short, ctypes.c_double, ctypes.c_ubyte)[: len(values)]
        cases = [
            0,
            None,
            ((), ()),
            (values, kinds),
            (values, kinds[:-1]),
            ((pointer, 1), (ctypes.c_void_p, ctypes.c_int)),
        ]
        return self.random.choice(cases)

    def struct(self, base: str, row: StructRow, table: str) -> Any:
        """A struct: as it is made, or with members filled at random; now and then an older one again."""
        known = self.world.pool.get(row.name)
        if known and self.random.random() < 0.2:
            return self.random.choice(known)
        made = self.world.class_of(base, table)()
        share = self.random.choice((0, 0.3, 1))
        self.fill(made, row, table, share, 0.3 if self.random.random() < 0.3 else 0)
        if made.__class__.__name__.endswith("raphNodeParams"):
            self.call_what_is_there(made)
        if self.random.random() < 0.2:
            self.world.keep(row.name, made)
        return made

    def call_what_is_there(self, made: Any) -> None:
        """Give a host node a function that exists: other members of the union share its bytes with random numbers."""
        try:
            is_host_node = int(made.type) == HOST_NODE
        except ValueError:  # no kind of node at all
            return
        if is_host_node:
            made.host.fn = self.world.host_function

    def fill(self, made: Any, row: StructRow, table: str, share: float, odd: float) -> None:
        for field in row.fields:
            if field.hidden or self.random.random() >= share:
                continue
            if field.inline and field.nested:
                self.fill(made, field.nested, table, share, odd)
                continue
            inner = field.nested or self.world.catalogue.base_row(field.base.rstrip("*"), table)[1]
            if isinstance(inner, StructRow) and not field.base.endswith("*") and not field.count:
                self.fill(getattr(made, field.name), inner, table, share, odd)
                continue
            try:
                setattr(made, field.name, self.member(made, field, table, self.random.random() < odd))
            except (TypeError, ValueError, OverflowError, AttributeError, IndexError, MemoryError):
                continue  # the member keeps its value where the class refuses the new one

    def member(self, made: Any, field: Field, table: str, odd: bool) -> Any:
        base = field.base.rstrip("*")
        if field.name in ("fn", "userFunc", "func") and base in ("void", "CUhostFn", "cudaHostFn_t"):
            return self.world.host_function
        if field.name in ("kernelParams", "extra"):
            return self.kernel_parameters() if field.name == "kernelParams" else 0
        if field.name.startswith(("num", "count", "nb")) and self.random.random() < 0.7:
            return self.random.choice((0, 1, 2))
        if isinstance(current := getattr(made, field.name), (list, bytes)) and field.count:
            one = self.value(base, table, odd) if base != "char" else 0
            return [one] * len(current) if isinstance(current, list) else self.random.randbytes(len(current))
        if field.base.endswith("*"):
            if base == "void":
                return self.memory()
            return [self.value(base, table, odd) for _ in range(self.random.randrange(3))]
        return self.value(base, table, odd, field.name)


def is_memory(base: str, suffix: str) -> bool:
    """Return whether a parameter is an address of memory."""
    return base == "void" and suffix in ("*", "**")
