"""The table of PyGPU: its rows, and the errors of its reader."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest

from cuda_shim.errors import TableError
from cuda_shim.mapping import store
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.pygpu_reader import read_pygpu
from cuda_shim.mapping.rows import FunctionRow
from cuda_shim.mapping.text_tables import load_text

ROWS = load_text("pygpu")


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if "calls" in row])
def test_a_function_calls_one_that_is_served(name):
    for cuda in LAYOUTS:
        called = store.load("runtime").row(ROWS[name]["calls"], cuda)
        assert isinstance(called, FunctionRow)
        assert not called.unsupported
        assert len(called.inputs) == len(ROWS[name]["takes"])


def test_each_dtype_of_the_table_is_one_of_the_code(gpu):
    assert {row["dtype"] for row in ROWS.values()} - {None} == set(gpu.SUPPORTED_DTYPES)
    assert len([name for name in ROWS if name.startswith("DeviceArray_")]) == len(gpu.SUPPORTED_DTYPES)


def test_every_row_has_its_object(gpu):
    for name, row in ROWS.items():
        found = getattr(gpu, name)
        if row["dtype"] is not None:
            assert found.dtype.name == row["dtype"]
            assert found.__module__ == "PyGPU"
        elif "code" in row:
            module, _, attribute = row["code"].partition(".")
            assert found is getattr(importlib.import_module(f"cuda_shim.pygpu.{module}"), attribute)
        else:
            assert found.__doc__ == row["text"]
            assert list(inspect.signature(found).parameters) == [taken for taken, _, _ in row["takes"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("b: {code: a.b, text: t}\na: {code: a.b, text: t}\n", "2:1: 'a' comes after 'b'"),
        ("a: {code: a.b}\n", "a: 'text' is missing"),
        ("a: {text: t}\n", "a row has 'calls' or 'code', and not both"),
        ("a: {code: a.b, calls: c, text: t}\n", "a row has 'calls' or 'code', and not both"),
        ("a: {code: nowhere, text: t}\n", "'nowhere' is not a module.name"),
        ("a: {cals: b, text: t}\n", "unknown field 'cals'; did you mean 'calls'?"),
        ("a: {calls: b, takes: {x: float}, text: t}\n", "a.takes.x: 'float' is not a type of PyGPU's calls"),
        ("a: {calls: b, gives: both, text: t}\n", "'both' is not one of status, text"),
        ("a: {code: a.b, gives: text, text: t}\n", "'takes' and 'gives' belong to 'calls'"),
        ("a_<dtype>: {code: a.b, text: t}\n", "'<dtype>' in the name and 'dtypes' belong together"),
        ("a: {code: a.b, dtypes: [int16], text: t}\n", "'<dtype>' in the name and 'dtypes' belong together"),
    ],
)
def test_what_the_reader_refuses(tmp_path: Path, text: str, message: str):
    path = tmp_path / "pygpu.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TableError) as caught:
        read_pygpu(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{path}:")


def test_what_the_reader_makes_of_a_row(tmp_path: Path):
    path = tmp_path / "pygpu.yaml"
    path.write_text("a: {calls: b, takes: {x: int, y: cudaStream_t = 0}, text: t}\nc_<dtype>: {code: d.e, dtypes: [int16, int32], text: t}\n")  # fmt: skip
    assert read_pygpu(path) == {
        "a": {"calls": "b", "takes": [("x", "int", None), ("y", "cudaStream_t", "0")], "gives": "status", "text": "t", "dtype": None},
        "c_int16": {"code": "d.e", "text": "t", "dtype": "int16"},
        "c_int32": {"code": "d.e", "text": "t", "dtype": "int32"},
    }  # fmt: skip
