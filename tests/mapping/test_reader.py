"""The strict reader: every broken rule is an error that names the file, the line, the column and the cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.errors import TableError
from cuda_shim.mapping.reader import read_file, read_module
from cuda_shim.mapping.rows import EnumRow, FunctionRow, HandleRow, StructRow, body_for, row_from_body
from cuda_shim.mapping.text_tables import read_text


def read(tmp_path: Path, text: str) -> dict[str, object]:
    path = tmp_path / "table.yaml"
    path.write_text(text, encoding="utf-8")
    return dict(read_file(path))


def row(tmp_path: Path, text: str, name: str, cuda: str = "13.5") -> object:
    bodies = read(tmp_path, text)[name]
    body = body_for(bodies, cuda)  # type: ignore[arg-type]
    assert body is not None
    return row_from_body(name, body, cuda)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cuInit:\n  function: {Flags: int}\n  hpi: hipInit\n", ":3:8: cuInit: unknown field 'hpi' of a function; did you mean 'hip'?"),
        ("cuInit:\n  function: {}\n  hip: a\ncuInit:\n  function: {}\n", ":4:1: table: duplicate entry 'cuInit' (first defined on line 1)"),
        ("b:\n  constant: 1\na:\n  constant: 1\n", ":3:1: 'a' comes after 'b'; rows are sorted by name"),
        ("cuInit:\n  hip: hipInit\n", ":2:3: cuInit: a row defines its name by exactly one field; this one has none of"),
        ("x:\n  constant: 1\n  handle: int\n", ":2:3: x: a row defines its name by exactly one field; this one has handle and constant"),
        ("x:\n  constant: one\n", ":2:13: x.constant: invalid literal"),
        ("f:\n  function: {}\n", ":2:3: f: nothing serves this function"),
        ("f:\n  function: {a: 'size t'}\n  hip: h\n", ":2:17: f.function.a: 'size t' is not a C type"),
        ("f:\n  function: {a: '5'}\n  hip: h\n", ":2:17: f.function.a: '5' is not a parameter type"),
        ("f:\n  function: {size: size_t}\n  hip: h\n  call: [siez]\n", "f.call: 'siez' is not a parameter; did you mean 'size'?"),
        ("f:\n  function: {a: int}\n  hip: h\n  since: '12.8'\n", ":4:10: f.since: '12.8' is not one of 11.8, 12.9, 13.5"),
        ("f:\n  function: {a: int}\n  adapter: nowhere\n", ":3:12: f.adapter: 'nowhere' is not 'module.function' of cuda_shim.adapters"),
        ("E:\n  enum: hipE\n", ":2:3: E: an enum needs members"),
        ("E:\n  enum: hipE\n  members: {A: x}\n", ":3:16: E.members.A: 'x' is not an enum member"),
        ("E:\n  enum: hipE\n  members: {A: {hip: b}}\n", ":3:16: E.members.A: a member needs a value"),
        ("E:\n  enum: hipE\n  from_hip: {hipX: B}\n  members: {A: 1}\n", "E.from_hip.hipX: 'B' is no member of E"),
        ("S:\n  struct: {a: 'int['}\n", ":2:15: S.struct.a: 'int[' is not a field type"),
        ("f: [1]\n", ":1:4: f: expected a mapping"),
        ("f:\n  function: {a: int\n", "table.yaml: while parsing a flow mapping"),
        ("f:\n  versions:\n    - until: '11.8'\n      constant: 1\n      note: a\n  note: b\n", "field 'note' is given both for the row and for a version"),
    ],
)  # fmt: skip
def test_a_broken_rule(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TableError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "table.yaml"))


def test_a_name_in_two_files(tmp_path: Path) -> None:
    folder = tmp_path / "driver"
    folder.mkdir()
    for name in ("a.yaml", "b.yaml"):
        (folder / name).write_text("X:\n  constant: 1\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"b\.yaml: 'X' is also defined in .*a\.yaml"):
        read_module(tmp_path, "driver")


def test_a_function_row(tmp_path: Path) -> None:
    text = (
        "f:\n  function: {out_: out CUstream, list: 'CUgraphNode[]', n: inout size_t = 0}\n  hip: h\n  native: ['7']\n"
    )
    function = row(tmp_path, text, "f")
    assert isinstance(function, FunctionRow)
    assert [parameter.name for parameter in function.inputs] == ["list", "n"]
    assert [parameter.name for parameter in function.outputs] == ["out_", "n"]
    assert function.parameters[1].spelling == "CUgraphNode[]"
    assert function.native == (7,)
    assert function.support == "mapped"


def test_a_row_by_version(tmp_path: Path) -> None:
    text = (
        "f:\n  versions:\n    - until: '12.9'\n      function: {a: int}\n"
        "    - since: '13.5'\n      function: {a: int, b: int}\n  hip: h\n"
    )
    counts = {cuda: len(row(tmp_path, text, "f", cuda).inputs) for cuda in ("11.8", "12.9", "13.5")}  # type: ignore[attr-defined]
    assert counts == {"11.8": 1, "12.9": 1, "13.5": 2}


def test_enum_members_by_version(tmp_path: Path) -> None:
    text = (
        "E:\n  enum: hipE\n  members:\n    A: 1 hipA\n    B: {value: {'11.8': 2, '12.9': 3, '13.5': 3}}\n"
        "    C: {value: 9, since: '13.5', text: words}\n"
    )
    for cuda, values in (("11.8", [1, 2]), ("12.9", [1, 3]), ("13.5", [1, 3, 9])):
        enum = row(tmp_path, text, "E", cuda)
        assert isinstance(enum, EnumRow)
        assert [member.value for member in enum.members] == values
    assert isinstance(enum, EnumRow)
    assert enum.members[0].hip == "hipA"
    assert enum.members[2].text == "words"


def test_words_that_yaml_would_turn_into_something_else(tmp_path: Path) -> None:
    struct = row(tmp_path, "S:\n  struct: {on: int, y: int, no: 'char[4]'}\n", "S")
    assert isinstance(struct, StructRow)
    assert [field.name for field in struct.fields] == ["on", "y", "no"]
    assert isinstance(row(tmp_path, "H:\n  handle: pointer\n", "H"), HandleRow)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cuFree:\n  function: {dptr: CUdevceptr}\n  hip: hipFree\n", ":2:20: cuFree.function.dptr: no row defines the type 'CUdevceptr'; did you mean 'CUdeviceptr'?"),
        ("S:\n  struct: {at: 'CUdevceptr*'}\n", ":2:16: S.struct.at: no row defines the type 'CUdevceptr'"),
        ("S:\n  struct:\n    u:\n      union: {at: CUdevceptr}\n", ":4:19: S.struct.u.at: no row defines the type 'CUdevceptr'"),
        ("cudaFree_t:\n  extends: driver.CUdevceptr\n", ":2:12: cudaFree_t.extends: no row defines the type 'CUdevceptr'"),
        ("H:\n  handle: pionter\n", ":2:11: H.handle: 'pionter' is not pointer, callback or a C integer type"),
    ],
)  # fmt: skip
def test_a_type_that_no_row_defines(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "driver.yaml").write_text("CUdeviceptr:\n  handle: unsigned long long\n", encoding="utf-8")
    (tmp_path / "runtime.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(TableError) as caught:
        read_module(tmp_path, "runtime")
    assert str(tmp_path / "runtime.yaml") + message in str(caught.value)


def test_types_of_other_tables_and_opaque_ones_are_known(tmp_path: Path) -> None:
    (tmp_path / "driver.yaml").write_text("CUdeviceptr:\n  handle: unsigned long long\n", encoding="utf-8")
    text = "f:\n  function: {a: CUdeviceptr, b: 'cudaGraphicsResource*', c: 'uint64_t[]'}\n  hip: h\n"
    (tmp_path / "runtime.yaml").write_text(text, encoding="utf-8")
    assert set(read_module(tmp_path, "runtime")) == {"f"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"A: &a\n  constant: 1\n\nB: *a\n", ":1:4: a table has no anchors and aliases"),
        (b"A:\n  struct: &a\n    u:\n      struct: *a\n", "a table has no anchors and aliases"),
        (b"a0: &a0 [1]\n" + b"".join(b"a%d: &a%d [*a%d, *a%d]\n" % (at, at, at - 1, at - 1) for at in range(1, 60)), "a table has no anchors"),
        (b"A:\n  text: \xff\n", "can't decode byte 0xff"),
        (b"[" * 20_000, "driver.yaml: "),
    ],
    ids=["alias", "alias within itself", "aliases that double", "not UTF-8", "deep"],
)  # fmt: skip
def test_files_that_are_no_table(tmp_path: Path, content: bytes, message: str) -> None:
    for name, read in (
        ("driver", lambda folder: read_module(folder, "driver")),
        ("ptx", lambda folder: read_text(folder, "ptx")),
    ):
        (tmp_path / f"{name}.yaml").write_bytes(content)
        with pytest.raises(TableError) as caught:
            read(tmp_path)
        assert message.replace("driver", name) in str(caught.value)
