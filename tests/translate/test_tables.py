"""The tables of options and of device code, and their strict readers."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from cuda_shim.cli.tables import tables
from cuda_shim.errors import TableError
from cuda_shim.mapping import text_tables
from cuda_shim.mapping.compiler import compile_tables
from cuda_shim.mapping.device_reader import read_device
from cuda_shim.mapping.option_reader import read_options
from cuda_shim.mapping.ptx_reader import read_ptx
from cuda_shim.mapping.store import source_folder
from cuda_shim.mapping.text_tables import TEXT_TABLES, load_text, read_text


def option_error(tmp_path, text):
    path = tmp_path / "options.yaml"
    path.write_text(text)
    with pytest.raises(TableError) as caught:
        read_options(path)
    return str(caught.value).removeprefix(f"{path}:")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the table is empty"),
        ("a: [", "while parsing"),
        (
            "b: {spellings: [--b], drop: x}\na: {spellings: [--a], drop: x}\n",
            "2:1: 'a' comes after 'b'; rows are sorted by name",
        ),
        (
            "a: {spellings: [--a], drop: x}\na: {spellings: [--b], drop: x}\n",
            "duplicate entry 'a' (first defined on line 1)",
        ),
        ("a: {spellings: [--a], dropp: x}\n", "a: unknown field 'dropp'; did you mean 'drop'?"),
        ("a: {drop: x}\n", "1:4: a: an option needs spellings"),
        ("a: {spellings: [--a]}\n", "has none of hiprtc, rule, messages, drop, refuse"),
        ("a: {spellings: [--a], drop: x, refuse: y}\n", "this one has drop and refuse"),
        ("a: {spellings: [a], drop: x}\n", "'a' is not an option such as --fmad"),
        (
            "a: {spellings: [--a], value: bool, drop: x}\n",
            "'bool' is not one of boolean, integer, text, any; did you mean 'boolean'?",
        ),
        ("a: {spellings: [--a], value: boolean, hiprtc: [-x]}\n", "a boolean, and only a boolean"),
        ("a: {spellings: [--a], value: boolean, hiprtc: {'true': [-x]}}\n", "both for true and for false"),
        ("a: {spellings: [--a], form: equals, drop: x}\n", "only an option with a value has a form"),
        ("a: {spellings: [--a], rule: standard, cpu: [-y]}\n", "a rule speaks for every device"),
        ("a: {spellings: [--a], since: '10.0', drop: x}\n", "is not one of 11.8, 12.9, 13.5"),
        ("a: {spellings: [--x], drop: x}\nb: {spellings: [--x], drop: x}\n", "'--x' is also a spelling of 'a'"),
        ("a: {spellings: [--a], among: [b], drop: x}\n", "among and otherwise go together"),
        ("a: {spellings: [--a], among: 1..2, otherwise: no, drop: x}\n", "a list of values, or a range such as 0-101"),
        ("a: {spellings: [--a], excludes: c, excluded: no, drop: x}\n", "a.excludes: no option 'c' in the table"),
        ("a: {spellings: [--a], messages: all}\n", "'all' is not one of errors, suppressed, shown, unnumbered"),
    ],
)
def test_the_reader_of_options_names_what_is_wrong(tmp_path, text, message):
    assert message in option_error(tmp_path, text)


EMPTY = {
    "functions": "{}",
    "declared": "{}",
    "names": "{}",
    "refused": "{}",
    "own": "[]",
    "headers": "{}",
    "same": "[]",
}


def device_error(tmp_path, **sections):
    path = tmp_path / "device.yaml"
    path.write_text("".join(f"{name}: {text}\n" for name, text in {**EMPTY, **sections}.items() if text))
    with pytest.raises(TableError) as caught:
        read_device(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"own": ""}, "no section 'own'"),
        ({"extra": "{}"}, "unknown field 'extra'"),
        ({"headers": "{a.h: {provide: x}}"}, "give exactly one of provided, nothing, like, refuse"),
        ({"headers": "{a.h: {like: b.h}}"}, "'b.h' is not provided"),
        ({"headers": "{b.h: {nothing: x}, a.h: {nothing: x}}"}, "'a.h' comes after 'b.h'"),
        ({"functions": "{a.h: [f], b.h: [f]}"}, "'f' is defined in a.h already"),
        ({"functions": "{a.h: [not-a-name]}"}, "'not-a-name' is not a name"),
    ],
)
def test_the_reader_of_device_code_names_what_is_wrong(tmp_path, sections, message):
    assert message in device_error(tmp_path, **sections)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("registers: {}\ninstructions: {add: {types: u33, value: x}}", "'u33' is not a type of PTX"),
        (
            "registers: {}\ninstructions: {add: {types: u32}}",
            "give exactly one of value, do, memory, address, special, refuse",
        ),
        ("registers: {}\ninstructions: {add: {kinds: u32, value: x}}", "unknown field 'kinds'"),
        ("registers: {}\ninstructions: {add: {result: V, value: x}}", "'V' is not one of"),
        ("registers: {}\ninstructions: {ld: {memory: fetch}}", "'fetch' is not one of load, store, touch"),
        ("registers: {'%laneid': x}\ninstructions: {}", "'%laneid' is not a name that fits here"),
        ("registers: {b: x, a: x}\ninstructions: {}", "'a' comes after 'b'"),
        ("registers: {}", "no section 'instructions'"),
    ],
)
def test_the_reader_of_ptx_names_what_is_wrong(tmp_path, text, message):
    path = tmp_path / "ptx.yaml"
    path.write_text(text)
    with pytest.raises(TableError) as caught:
        read_ptx(path)
    assert message in str(caught.value)


def test_compiled_tables_are_the_same(tmp_path):
    compile_tables(source_folder(), tmp_path)
    for name in TEXT_TABLES:
        namespace: dict[Any, Any] = {}
        exec((tmp_path / f"{name}.py").read_text(encoding="utf-8"), namespace)
        assert namespace["ROWS"] == read_text(source_folder(), name)


def test_every_function_is_defined_by_its_header():
    """A row that names a header which does not define the name would break every program that uses it."""
    from cuda_shim.translate.headers import texts

    device = load_text("device")
    for name, (target, header) in device["functions"].items():
        included = dict(texts([header], set()))
        portable = b"".join(text for name, text in included.items() if name.startswith(b"portable/"))
        text = (included[header.encode()] + portable).decode()
        stem = target.removeprefix("cuda_on_hip_")
        # Families are made by macros, which put the names together of parts.
        parts = [stem, *(stem[:cut] for cut in range(len(stem) - 1, 2, -1))]
        assert any(part in text for part in parts), (name, target, header)
    for name, header in device["declared"].items():
        assert name.removeprefix("std::") in dict(texts([header], set()))[header.encode()].decode(), (name, header)


def message_error(tmp_path: Path, text: str) -> str:
    (tmp_path / "nvrtc_messages.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(TableError) as error:
        read_text(tmp_path, "nvrtc_messages")
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: {clang: [x], nvrtc: x, number: 0}\n", "a.number: '0' is not a number"),
        ("a: {nvrtc: x}\n", "a: a row has clang or flag, and nvrtc"),
        ("a: {clang: [x], flag: y, nvrtc: x}\n", "a: a row has clang or flag, and nvrtc"),
        ("a: {clang: ['x {0}'], nvrtc: 'x {1}'}\n", "nvrtc has places that 'x {0}' lacks"),
        ("a: {flag: x, nvrtc: y, refused: c++20}\n", "'c++20' is not one of true, c++14, c++17"),
        ("a: {flag: x, nvrtc: y, words: z}\n", "a: unknown field 'words'"),
    ],
)
def test_the_reader_of_messages_names_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    assert message in message_error(tmp_path, text)


def with_a_nonsense_key(text: str) -> str:
    """The table with an unknown field in the first row that is a mapping of several lines."""
    lines = text.splitlines(keepends=True)
    at = next(
        at for at, line in enumerate(lines) if re.match(r"  +[\w-]+: ", line) and re.match(r"\s*\S+:\n", lines[at - 1])
    )
    indent = re.match(r" +", lines[at])
    assert indent is not None
    return "".join([*lines[:at], f"{indent[0]}nonsense: 1\n", *lines[at:]])


@pytest.mark.parametrize("name", TEXT_TABLES)
def test_the_check_reads_every_table(name, tmp_path, monkeypatch):
    folder = tmp_path / "tables"
    shutil.copytree(source_folder(), folder)
    table = folder / f"{name}.yaml"
    table.write_text(with_a_nonsense_key(table.read_text(encoding="utf-8")), encoding="utf-8")
    monkeypatch.setattr(text_tables, "source_folder", lambda: folder)
    load_text.cache_clear()
    with pytest.raises(TableError, match="nonsense"):
        tables(["check"])
    load_text.cache_clear()
