"""Any values as kernelParams, `void*` arguments, handles and struct members, beside NVIDIA's own conversions.

NVIDIA's wheel packs values without a driver, so no GPU is needed. It runs as a process that answers one question
after the other; the questions are hypothesis's.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.catalogue import Catalogue
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.kernel_parameters import pack
from cuda_shim.binding.structs import is_struct_class
from cuda_shim.binding.structs.layout import StructLayout
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import EnumRow, HandleRow, StructRow
from tests import environments
from tests.binding import values_probe
from tests.binding.members import single_members
from tests.interpreters import clean_environment

LAYOUTS = ("12.9", "13.5")
TABLES = ("driver", "runtime")
Ask = Callable[[dict[str, Any]], Any]

# The same examples in every run, without those that failed before: they belong to one layout, and there are several.
PROPERTY = settings(deadline=None, derandomize=True, database=None)

# The limits of C's types and one beyond, which random numbers seldom meet.
EDGES = [sign * (1 << bits) + by for bits in (7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1) for by in (-1, 0, 1)]
integers = st.one_of(st.sampled_from([*EDGES, 0]), st.integers(-(2**66), 2**66))
addresses = st.integers(0, 2**64 - 1)
words = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=4)
block = st.binary(min_size=8, max_size=40).map(bytes.hex)
reals = st.one_of(st.floats(), st.integers(-(2**130), 2**130).map(float)).map(float.hex)


def tagged(kind: str, *parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.tuples(st.just(kind), *parts).map(list)


number = st.one_of(tagged("int", integers), tagged("float", reals), tagged("bool", st.booleans()))
wrong = st.sampled_from([["none"], ["thing"], ["text", "x"], ["text", "12"], ["list", []], ["tuple", []]])
pointer_handle = tagged("handle", st.sampled_from(["CUdeviceptr", "CUstream", "CUtexObject", "cuuint64_t"]), addresses)
enum_member = tagged("enum", st.just("CUresult"), st.sampled_from([0, 1, 2, 100, 999]))
structure = tagged("structure", words)

SIMPLE = [
    "c_bool", "c_byte", "c_ubyte", "c_short", "c_ushort", "c_int", "c_uint", "c_long", "c_ulong", "c_longlong",
    "c_ulonglong", "c_size_t", "c_float", "c_double", "c_int8", "c_uint8", "c_int64", "c_uint64",
]  # fmt: skip


def of_ctypes(name: str) -> st.SearchStrategy[Any]:
    """An object of a ctypes type; integers are cut to it by ctypes itself."""
    real = name in ("c_float", "c_double")
    given_value = (
        tagged("float", st.floats(width=32, allow_nan=False).map(float.hex)) if real else tagged("int", integers)
    )
    return tagged("ctypes", st.just(name), given_value)


def parameter(name: str) -> st.SearchStrategy[Any]:
    """A value for one type of kernelParams, mostly a right one."""
    if name == "None":
        values = st.one_of(pointer_handle, enum_member, structure, number, wrong)
    elif name == "c_void_p":
        values = st.one_of(
            tagged("int", integers), pointer_handle, tagged("ctypes", st.just(name), tagged("int", addresses)), wrong
        )
    elif name in SIMPLE:
        values = st.one_of(number, of_ctypes(name), wrong, of_ctypes("c_float"))
    else:
        values = number
    return st.tuples(values, st.just(name)).map(list)


parameters = st.lists(
    st.sampled_from([*SIMPLE, "None", "None", "c_void_p", "c_longdouble", "int"]).flatmap(parameter), max_size=6
)
buffer = st.one_of(
    tagged("bytes", block), tagged("bytearray", block), tagged("memoryview", block), tagged("array", words),
    tagged("ctypes array", words), structure, tagged("ctypes", st.sampled_from(["c_void_p", "c_int64"]), tagged("int", addresses)),
)  # fmt: skip
argument = st.one_of(
    buffer, number.filter(lambda spec: spec[0] != "float"), pointer_handle, tagged("number", integers), wrong
)


@pytest.fixture(scope="module", params=LAYOUTS)
def layout(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def catalogue(layout: str) -> Catalogue:
    return Catalogue(layout, {table: f"cuda.bindings.{table}" for table in store.TABLES})


@pytest.fixture(scope="module")
def driver(catalogue: Catalogue) -> Any:
    class Names(SimpleNamespace):
        def __getattr__(self, name: str) -> Any:
            return catalogue.object("driver", name)

    return Names()


@pytest.fixture(scope="module")
def nvidia(layout: str, shared_folder: Any) -> Iterator[Ask]:
    python = environments.nvidia(layout, shared_folder)
    with subprocess.Popen(
        [str(python.executable), values_probe.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
        env=clean_environment(),
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        questions, answers = process.stdin, process.stdout

        def ask(question: dict[str, Any]) -> Any:
            questions.write(json.dumps(question) + "\n")
            questions.flush()
            return json.loads(answers.readline())

        yield ask
        process.stdin.close()


def own_pack(given_parameters: Any) -> tuple[int, Any]:
    owner = pack(given_parameters)
    return int(owner), owner


def own_address(value: Any) -> tuple[int, Any]:
    owner, address = memory_address(value)
    return address, owner


@settings(PROPERTY, max_examples=150)
@given(parameters=parameters)
def test_kernel_parameters(nvidia: Ask, driver: Any, parameters: list[Any]) -> None:
    question = {"what": "parameters", "parameters": parameters}
    assert values_probe.parameters(question, driver, own_pack) == nvidia(question)


@settings(PROPERTY, max_examples=150)
@given(value=argument)
def test_void_pointers(nvidia: Ask, driver: Any, value: list[Any]) -> None:
    question = {"what": "pointer", "value": value}
    assert values_probe.pointer(question, driver, own_address) == nvidia(question)


@settings(PROPERTY, max_examples=150)
@given(
    name=st.sampled_from(["CUdeviceptr", "CUstream", "CUdevice", "CUtexObject", "cuuint32_t", "cuuint64_t"]),
    value=st.one_of(number, pointer_handle, tagged("number", integers), wrong),
)
def test_handles(nvidia: Ask, driver: Any, name: str, value: list[Any]) -> None:
    question = {"what": "handle", "class": name, "value": value}
    assert values_probe.handle(question, driver) == nvidia(question)


def numbers_of(layout: StructLayout) -> Iterator[tuple[str, Any]]:
    """The members of a struct, also of those inside, that hold one number: their paths and the assigned values."""
    for path, place in single_members(layout):
        if place.field.base in C_INTEGERS or isinstance(place.kind, HandleRow):
            yield path, st.one_of(tagged("int", integers), number)
        elif place.field.base in ("float", "double"):
            yield path, number
        elif isinstance(place.kind, EnumRow):
            yield path, tagged("int", st.sampled_from([member.value for member in place.kind.members]))


@pytest.fixture(scope="module")
def structs(catalogue: Catalogue, layout: str) -> list[tuple[str, str, Any, list[tuple[str, Any]]]]:
    """Every struct with such members: its module, name, class and those."""
    classes = []
    for table in TABLES:
        for name in sorted(store.load(table).names(layout)):
            if isinstance(catalogue.row(table, name), StructRow):
                cls = catalogue.object(table, name)
                assert is_struct_class(cls)
                members = list(numbers_of(cls.__struct__.layout))
                if members:
                    classes.append((table, name, cls, members))
    assert len(classes) > 100
    return classes


@settings(PROPERTY, max_examples=150)
@given(data=st.data())
def test_structs(nvidia: Ask, driver: Any, structs: list[Any], data: st.DataObject) -> None:
    table, name, cls, members = data.draw(st.sampled_from(structs))
    assigned = data.draw(st.lists(st.sampled_from(members), max_size=6))
    question = {
        "what": "struct", "module": table, "class": name, "size": cls.__struct__.layout.size,
        "assignments": [[path, data.draw(value)] for path, value in assigned],
    }  # fmt: skip
    assert values_probe.struct(question, SimpleNamespace(**{name: cls}), driver) == nvidia(question)
