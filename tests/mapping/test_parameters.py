"""Descriptions of parameters: each has one, for docstrings and `explain`, which cost nothing unless they are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuda_shim.errors import TableError
from cuda_shim.mapping import store
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.parameter_reader import read_parameters
from cuda_shim.mapping.parameters import chosen, meaning
from cuda_shim.mapping.rows import FunctionRow, Parameter
from cuda_shim.mapping.text_tables import load_text
from tests import environments


def all_parameters() -> Iterator[tuple[FunctionRow, Parameter]]:
    for table in store.TABLES:
        for name in store.load(table).rows:
            for layout in LAYOUTS:
                row = store.load(table).row(name, layout)
                if isinstance(row, FunctionRow):
                    yield from ((row, parameter) for parameter in (*row.inputs, *row.outputs))


def test_every_parameter_has_its_sentence_and_every_sentence_a_parameter() -> None:
    texts = load_text("parameters")
    used, functions, lacking = set(), set(), []
    for row, parameter in all_parameters():
        key = chosen(texts.get(parameter.name, {}), row.name, parameter)
        functions.add(row.name)
        used.add((parameter.name, key))
        if key is None:
            lacking.append((row.name, parameter.name, parameter.mode, parameter.spelling))
    assert len(functions) > 900
    assert lacking == []
    assert [(name, key) for name, row in texts.items() for key in row if (name, key) not in used] == []


def test_sizes_and_times_have_units() -> None:
    """Descriptions of sizes name the unit: bytes, elements, rows, or the counted things."""
    units = re.compile(r"byte|element|number of (?!the )|channels|rows?\b|as the limit is counted", re.IGNORECASE)
    without = {
        parameter.name
        for row, parameter in all_parameters()
        if parameter.base == "size_t" and not units.search(meaning(row.name, parameter))
    }
    assert without == {"attrsIdxs", "errorIndex", "failIdx", "paramIndex", "prefetchLocIdxs"}  # indices into a list
    for name in ("ms", "pMilliseconds"):
        assert "Milliseconds" in load_text("parameters")[name]["any"]


@pytest.mark.parametrize(
    ("function", "parameter", "text"),
    [
        ("cudaMemcpyAsync", Parameter("count", "in", "size_t", ""), "Bytes to copy."),
        ("cudaMemAdvise", Parameter("count", "in", "size_t", ""), "Bytes of the range."),
        ("cuMemcpyBatchAsync", Parameter("count", "in", "size_t", ""), "Number of copies."),
        ("cuDeviceGetCount", Parameter("count", "out", "int", ""), "Number of devices."),
        ("cuLaunchKernel", Parameter("hStream", "in", "CUstream", ""), "The stream; 0 for the default stream."),
        ("nobody", Parameter("unknown", "in", "int", ""), ""),
    ],
)
def test_names_functions_and_types(function: str, parameter: Parameter, text: str) -> None:
    assert meaning(function, parameter) == text


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ("a: no capital.", ":1:4: a: 'no capital.' is not a sentence"),
        ("a: No stop", ":1:4: a: 'No stop' is not a sentence"),
        ("b: It is.\na: It is.", ":2:1: 'a' comes after 'b'"),
        ("a:\n  for cuInit: It is.", ":2:3: a: 'for cuInit' is not any, 'as' and a type, or 'of' and functions"),
        ("a:\n  as int: It is.\n  as int: It is.", "duplicate entry 'as int'"),
    ],
)
def test_a_table_that_is_wrong(tmp_path: Path, lines: str, wrong: str) -> None:
    path = tmp_path / "parameters.yaml"
    path.write_text(lines, encoding="utf-8")
    with pytest.raises(TableError) as raised:
        read_parameters(path)
    assert wrong in str(raised.value)


DOCUMENTED = """
import copy, inspect, io, pickle, pydoc, sys
from contextlib import redirect_stdout
from cuda.bindings import driver

def loaded():
    return [name for name in sys.modules if name.endswith(("_tables.parameters", "mapping.parameters"))]

output = driver.cuMemAllocPitch.__doc__
driver.CUresult, driver.cuLaunchKernel
assert loaded() == [], loaded()
text = inspect.getdoc(driver.cuMemAllocPitch)
assert loaded()
printed = io.StringIO()
with redirect_stdout(printed):
    print(output)
assert printed.getvalue() == text + "\\n"
assert text == output == f"{output}" == str(output) and len(output) == len(text) and output[5:] == text[5:] and text in [output]
assert "Height (size_t): Rows." in output and output.splitlines() == text.splitlines() and hash(output) == hash(text)
assert "Height (size_t): Rows." in pydoc.render_doc(driver.cuMemAllocPitch)
assert copy.deepcopy(output) == text == pickle.loads(pickle.dumps(output)) and isinstance(output, str)
print(text)
"""

EXPECTED = """\
cuMemAllocPitch(WidthInBytes, Height, ElementSizeBytes)

Allocates rows of device memory, their width in bytes, and gives the bytes from one to the next.

Args:
    WidthInBytes (size_t): Bytes in a row.
    Height (size_t): Rows.
    ElementSizeBytes (unsigned int): Bytes of the largest read or write that a thread makes: 4, 8 or 16.

Returns:
    The status.
    dptr (CUdeviceptr): Device address of the memory.
    pPitch (size_t): Bytes from one row to the next.

Served by hipMemAllocPitch, which differs. cuMemAllocPitch: no bytes, no rows, or elements of another size than 4, 8 or 16 bytes are errors.
"""


def test_docstrings_are_made_when_they_are_read(any_shim_python: environments.Python) -> None:
    output = any_shim_python.run("-c", DOCUMENTED, CUDA_SHIM="1", CUDA_SHIM_BACKEND="cpu")
    assert output == EXPECTED
