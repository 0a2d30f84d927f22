"""The same random calls through the C interface: each argument as the bits that a C program would pass.

If the random number says so, a handle, a struct or a plain argument is garbage. Pointers are null only where CUDA
looks, memory that is written has room for all bytes written, and addresses lead to memory of the program's, as with
every C library.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.parameters.list_of import count_of
from cuda_shim.binding.structs.counted import counted_lists
from cuda_shim.c_level import library
from cuda_shim.c_level.interface import Function, functions
from cuda_shim.c_level.raw_arguments import element_of
from cuda_shim.c_level.source import c_parameters
from cuda_shim.mapping.rows import HandleRow, Parameter, StructRow
from tests.fuzz.world import World

#: The most bytes that any call may write to one argument.
ROOM = 1 << 16
#: No array that is given is longer.
ENTRIES = 64
SCALARS: dict[str, Any] = {"float": ctypes.c_float, "double": ctypes.c_double}
#: Values of options are addresses or numbers as the options say, so these get memory that is both.
OPTION_VALUES = ("optionValues", "jitOptionsValues", "libraryOptionValues")


def keep_to_lists(value: Any) -> None:
    """Let a struct count no more entries than its lists have: the memory behind them is the program's."""
    if not hasattr(value, "__struct__"):
        return
    storage = value.__storage__
    arrays = {array.address: array.count for array in storage.arrays()}
    for _, at_list, at_count, number in counted_lists(value.__struct__.layout):
        entries = arrays.get(ctypes.c_uint64.from_buffer(storage.memory, at_list).value)
        if entries is not None:
            number.pack_into(storage.memory, at_count, min(entries, *number.unpack_from(storage.memory, at_count)))


class CCaller:
    """Calls the functions of a layout in C."""

    def __init__(self, world: World, layout: str) -> None:
        self.world = world
        self.library = library.load(layout)
        self.functions = {(f.table, f.name): f for f in functions(layout) if f.layout == layout and f.row is not None}
        self._calls: dict[str, Callable[..., int]] = {}
        self._kept: list[Any] = []
        #: Single values that the last successful call returned: the parameter, and its address.
        self.results: list[tuple[Parameter, int]] = []

    def call(self, table: str, name: str, arguments: list[Any], numbers: random.Random) -> int:
        """Call with the arguments of the row's inputs, and keep the results; the status, 0 for functions not in C."""
        function = self.functions.get((table, name))
        if function is None or function.row is None or "struct" in function.result:
            return 0
        self._kept = []
        given = dict(zip((p.name for p in function.row.inputs), arguments, strict=True))
        for parameter in function.row.parameters:
            count = count_of(parameter, function.row) if parameter.suffix.endswith("[]") else None
            if count is not None:
                number = given.get(count.name)
                given[count.name] = min(number & (1 << 64) - 1, ENTRIES) if isinstance(number, int) else ENTRIES
        for parameter in function.row.parameters:
            if parameter.mode == "inout" and isinstance(number := given.get(parameter.name), int):
                given[parameter.name] = min(number & (1 << 64) - 1, ENTRIES)
        own = [p for p in function.row.parameters if p.mode != "spare"]
        scope = self.world.catalogue.scope(table)
        kinds = c_parameters(function, scope)
        words: list[Any] = []
        for at, (kind, _) in enumerate(kinds):
            passed = own[at] if at < len(own) else None
            spelled = function.arguments[at]
            if kind == "void *" and spelled.startswith("char *"):
                words.append(ctypes.c_void_p(self.world.host_address))  # to be filled, which Python does in place
                continue
            words.append(self._word(passed, kind, given, scope, numbers, spelled.count("*")))
        call = self._calls.get(function.symbol)
        if call is None:
            call = self._calls[function.symbol] = ctypes.CFUNCTYPE(ctypes.c_int64)(
                self.library.address(function.symbol)
            )
        status = ctypes.c_int(call(*words)).value if "char const" not in function.result else int(not call(*words))
        self.results = []
        if status == 0:
            self.results = [
                (parameter, word.value)
                for parameter, word in zip(own, words, strict=False)
                if parameter.mode == "out" and not parameter.suffix and isinstance(word, ctypes.c_void_p) and word.value
            ]
            self._keep_results(function, scope)
        return status

    def _word(
        self,
        parameter: Parameter | None,
        kind: str,
        given: dict[str, Any],
        scope: Any,
        numbers: random.Random,
        stars: int,
    ) -> Any:
        """One argument as C takes it."""
        value: Any = given.get(parameter.name) if parameter is not None else None
        if kind in SCALARS:
            return SCALARS[kind](value if isinstance(value, (int, float)) else 0)
        if kind.startswith("Bytes<"):
            made = type(kind, (ctypes.Structure,), {"_fields_": [("bytes", ctypes.c_char * int(kind[6:-1]))]})()
            if hasattr(value, "getPtr"):
                ctypes.memmove(ctypes.addressof(made), value.getPtr(), ctypes.sizeof(made))
            return made
        if parameter is None or parameter.mode == "out":
            if numbers.random() < 0.02 and stars == 1:
                return ctypes.c_void_p(None)
            large = parameter is not None and parameter.base in ("char", "void") and stars == 1
            return ctypes.c_void_p(self.world.host_address if large else self._room())
        if parameter.mode == "inout":
            room = self._room()
            self._put(room, value, parameter.base, scope)
            return ctypes.c_void_p(room)
        return ctypes.c_uint64(self._bits(parameter, value, scope, stars, numbers) & (1 << 64) - 1)

    def _bits(self, parameter: Parameter, value: Any, scope: Any, stars: int, numbers: random.Random) -> int:
        if parameter.name in ("kernelParams", "args"):
            return self._kernel_parameters()
        if parameter.name == "extra":
            return 0
        if parameter.suffix.endswith("[]") and value is not None and not isinstance(value, (list, tuple)):
            value = []
        if isinstance(value, (list, tuple)):
            return self._array(parameter, list(value), scope)
        if parameter.name == "value" and parameter.base == "void":
            # Python takes the attribute's value; C takes its address, which need not be aligned.
            number = value if isinstance(value, int) else 0
            skipped = numbers.choice((0, 3))
            return skipped + self._memory(bytes(skipped) + (number & (1 << 64) - 1).to_bytes(8, "little") + bytes(4096))
        if isinstance(value, (bytes, bytearray)):
            # The zeros that end a C string or an image stand behind it.
            return self._memory(bytes(value) + bytes(4096))
        if parameter.base == "char":
            return self._memory(b"text\0") if value is not None else 0
        if hasattr(value, "getPtr") and (stars or isinstance(scope.kind(parameter.base), StructRow)):
            self._kept.append(value)
            keep_to_lists(value)
            return int(value.getPtr())
        if stars and (not isinstance(value, int) or parameter.base not in ("void", "char")):
            # A pointer to a type leads to some of it, one to memory anywhere.
            return self._room() if value is not None else 0
        try:
            found = int(value) if value is not None else 0
        except (TypeError, ValueError):
            found = numbers.getrandbits(numbers.choice((3, 32, 64)))
        return found

    def _array(self, parameter: Parameter, values: list[Any], scope: Any) -> int:
        room = self._room()
        if parameter.name in OPTION_VALUES or parameter.name == "data":
            for at in range(ENTRIES):
                ctypes.c_uint64.from_address(room + 8 * at).value = self.world.host_address
            return room
        if parameter.name == "dataSizes":
            values = [min(one, ENTRIES) if isinstance(one, int) and one >= 0 else 4 for one in values]
        if "*" in parameter.suffix:
            texts = parameter.base == "char"  # read until their end, so that each has one
            for at in range(ENTRIES):
                one = values[at] if at < len(values) else 0
                text = one if isinstance(one, bytes) else b""
                number = one if isinstance(one, int) and (one == 0 or not texts) else self._memory(text + b"\0")
                ctypes.c_uint64.from_address(room + 8 * at).value = number & (1 << 64) - 1
            return room
        size = element_of(parameter.base, scope)[0]
        for at, one in enumerate(values):
            self._put(room + size * at, one, parameter.base, scope)
        return room

    def _put(self, address: int, value: Any, base: str, scope: Any) -> None:
        """Write a value into memory; one that does not fit the type leaves zeros."""
        _, _, write = element_of(base, scope)
        try:
            write(address, value if value is not None else 0)
        except (TypeError, ValueError, OverflowError, AttributeError, ctypes.ArgumentError):
            return

    def _kernel_parameters(self) -> int:
        """As many parameters as the largest kernel has, the first of them memory."""
        pointers = self.world.pool.get("CUdeviceptr", [0])
        blob = self._memory(int(pointers[-1]).to_bytes(8, "little") + bytes(248))
        room = self._room()
        for at in range(16):
            ctypes.c_uint64.from_address(room + 8 * at).value = blob
        return room

    def _room(self) -> int:
        return self._memory(bytes(ROOM))

    def _memory(self, contents: bytes) -> int:
        made = ctypes.create_string_buffer(contents, len(contents))
        self._kept.append(made)
        return ctypes.addressof(made)

    def _keep_results(self, function: Function, scope: Any) -> None:
        """Remember handles and memory that the call gave."""
        for parameter, address in self.results:
            if isinstance(scope.kind(parameter.base), HandleRow):
                found = element_of(parameter.base, scope)[1](address)
                if int(found):
                    self.world.keep(self.world.family(parameter.base, function.table), found)
