"""Generated calls pass the types that HIP's C functions take, read from AMD's own declarations in hip-python.

A row's types are CUDA's. ctypes does not check that HIP's function has the same number of arguments of the same widths
in the same order, so this test does, for every row that is served without an adapter.
"""

from __future__ import annotations

import ctypes
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuda_shim.binding.catalogue import Catalogue
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.parameters.bound import Bound
from cuda_shim.mapping import LAYOUTS, store
from cuda_shim.mapping.rows import EnumRow, FunctionRow, HandleRow, StructRow

_WIDTHS: dict[str, int | str] = {
    "char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned int": 4, "uint32_t": 4,
    "size_t": 8, "long": 8, "long long": 8, "unsigned long long": 8, "uint64_t": 8, "float": "float",
    "double": "double",
}  # fmt: skip
Kind = int | str


class Declarations:
    """HIP's functions and typedefs, as hip-python's .pxd files have them."""

    def __init__(self) -> None:
        spec = importlib.util.find_spec("rocm.bindings") or importlib.util.find_spec("hip")
        assert spec is not None
        assert spec.submodule_search_locations is not None
        folder = Path(spec.submodule_search_locations[0])
        self._text = "".join(path.read_text() for path in sorted(folder.glob("c*hip*.pxd")))
        self._typedefs = {
            match[2]: match[1] for match in re.finditer(r"ctypedef ([\w ]+?[\w*]) (\w+)\s*$", self._text, re.M)
        }
        self._enums = set(re.findall(r"(?:ctypedef|cdef) enum (\w+)", self._text))
        self._callbacks = set(re.findall(r"ctypedef [\w ]+\**\s?\(\s?\*\s?(\w+)\)", self._text))
        self.functions = {
            match[1]: match[2]
            for match in re.finditer(r"^cdef [\w ]+?\** ?(\w+)\((.*?)\)[^()]* nogil", self._text, re.M)
        }

    def arguments(self, function: str) -> list[Kind]:
        """The kind of each argument: bytes of an integer or pointer, "float", "double" or "struct"."""
        return [self._kind(argument) for argument in _split(self.functions[function])]

    def _kind(self, argument: str) -> Kind:
        argument = argument.replace("const ", "").strip()
        if "*" in argument or "[" in argument:
            return 8
        name = argument.rpartition(" ")[0].strip()
        while name in self._typedefs:
            name = self._typedefs[name].replace("const ", "").strip()
            if name.endswith("*"):
                return 8
        if name in self._callbacks:
            return 8
        return 4 if name in self._enums else _WIDTHS.get(name, "struct")


def _split(arguments: str) -> Iterator[str]:
    depth, start = 0, 0
    for at, character in enumerate(arguments):
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            yield arguments[start:at]
            start = at + 1
    if arguments.strip():
        yield arguments[start:]


def _kind(bound: Bound) -> Kind:
    """The kind of the value that a generated call passes for a parameter."""
    parameter = bound.parameter
    if parameter.mode != "in" or parameter.suffix:
        return 8
    row = bound.scope.kind(parameter.base)
    if isinstance(row, StructRow):
        return "struct"
    assert row is None or isinstance(row, (EnumRow, HandleRow))
    return parameter.base if parameter.base in ("float", "double") else ctypes.sizeof(bound.c_type())


@pytest.fixture(scope="module")
def declarations() -> Declarations:
    return Declarations()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_mapped_row_passes_what_its_c_function_takes(layout: str, declarations: Declarations) -> None:
    catalogue = Catalogue(layout, {table: f"cuda.bindings.{table}" for table in store.TABLES})
    compared, wrong = 0, []
    for table in store.TABLES:
        for name in sorted(store.load(table).names(layout)):
            row = catalogue.row(table, name)
            if not isinstance(row, FunctionRow) or row.support != "mapped" or row.hip not in declarations.functions:
                continue
            binding = Binding(row, catalogue.scope(table))
            kinds = {item: _kind(bound) for item, bound in binding.parameters.items()}
            assert row.hip is not None
            expected = declarations.arguments(row.hip)
            # A number or a constant of a row's `call` has the width of the parameter.
            actual = [kinds.get(item, expected[at]) for at, item in enumerate(row.call or kinds) if at < len(expected)]
            if actual != expected or len(row.call or kinds) != len(expected):
                wrong.append(f"{name}: {row.hip} takes {expected}, the row passes {actual}")
            compared += 1
    assert wrong == []
    assert compared > 300


def test_a_row_that_passes_something_else_would_show(declarations: Declarations) -> None:
    assert declarations.arguments("hipMemcpy") == [8, 8, 8, 4]
    assert declarations.arguments("hipMalloc3DArray")[2] == "struct"
    assert declarations.arguments("hipMemsetD8") == [8, 1, 8]
