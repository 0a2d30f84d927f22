"""Structs in tables: anonymous members, HIP's own layout, and the errors of a wrong line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.errors import TableError
from cuda_shim.mapping.reader import read_file
from cuda_shim.mapping.rows import Cases, Field, StructRow, row_from_body


def struct(tmp_path: Path, text: str, cuda: str = "12.9") -> StructRow:
    path = tmp_path / "table.yaml"
    path.write_text(text)
    (name, bodies), *_ = read_file(path).items()
    row = row_from_body(name, bodies[-1], cuda)
    assert isinstance(row, StructRow)
    return row


def error(tmp_path: Path, text: str) -> str:
    with pytest.raises(TableError) as raised:
        struct(tmp_path, text)
    return str(raised.value).removeprefix(f"{tmp_path / 'table.yaml'}:")


def test_members_of_an_anonymous_union_are_marked(tmp_path: Path) -> None:
    row = struct(tmp_path, "S:\n  struct:\n    type: int\n    place:\n      inline union: {id: int, name: 'char[8]'}\n")
    place = row.fields[1]
    assert place.inline
    assert place.nested is not None
    assert place.nested.union
    assert [field.name for field in place.nested.fields] == ["id", "name"]


def test_hip_members_name_the_cuda_members_that_they_stand_for(tmp_path: Path) -> None:
    row = struct(
        tmp_path,
        "S:\n  struct: {x: int, kind: E, a: int, b: int}\n  hip: hipS\n  hip_fields:\n"
        "    pad: hidden char[4]\n    y: int = x\n    kind: E\n"
        "    value: {by: kind, bytes: 8, cases: {FIRST: a, NOTHING: none}, otherwise: b}\n",
    )
    assert row.hip_fields == (
        Field("pad", "char", 4, hidden=True),
        Field("y", "int", cuda="x"),
        Field("kind", "E"),
        Field("value", "", cases=Cases("kind", 8, (("FIRST", "a"), ("NOTHING", "none")), "b")),
    )


def test_a_cuda_member_of_any_version_may_be_named(tmp_path: Path) -> None:
    text = (
        "S:\n  versions:\n    - until: '11.8'\n      struct: {x: int}\n"
        "    - since: '12.9'\n      struct: {x: int, later: int}\n  hip: hipS\n  hip_fields: {x: int, later: int}\n"
    )
    assert [field.name for field in struct(tmp_path, text).hip_fields] == ["x", "later"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "S:\n  struct: {width: int}\n  hip: hipS\n  hip_fields: {wdith: int}\n",
            "2:3: S.hip_fields: CUDA's struct has no member 'wdith'; did you mean 'width'?",
        ),
        (
            "S:\n  struct: {width: int}\n  hip: hipS\n  hip_fields: {pad: int}\n",
            "2:3: S.hip_fields: CUDA's struct has no member 'pad'; write 'hidden', or '= member' after its type",
        ),
        (
            "S:\n  struct: {x: int = y}\n",
            "2:11: S.struct: member 'x' has a CUDA member or cases, which only hip_fields may have",
        ),
        (
            "S:\n  struct:\n    inner:\n      union: {x: int = y}\n",
            "3:5: S.struct: member 'inner.x' has a CUDA member or cases, which only hip_fields may have",
        ),
        (
            "S:\n  struct:\n    inner: {union: {list: int* by cuont, count: int}}\n",
            "3:5: S.struct: there is no member 'cuont' beside 'inner.list' that counts its entries",
        ),
        (
            "S:\n  struct: {entry: int by count, count: int}\n",
            (
                "2:19: S.struct.entry: 'int by count' is not a C type; words allowed together are bool, char, double, float, "
                "int, long, long long, short, signed char, size_t, unsigned, unsigned char, unsigned int, unsigned long, "
                "unsigned long long, unsigned short, void"
            ),
        ),
        (
            "S:\n  struct:\n    inner: {unoin: {x: int}}\n",
            "3:12: S.struct.inner: expected 'struct:', 'union:' or 'inline union:' with its members, or 'cases:'",
        ),
        (
            "S:\n  struct:\n    inner: {'inline union[3]': {x: int}}\n",
            "3:12: S.struct.inner: expected 'struct:', 'union:' or 'inline union:' with its members, or 'cases:'",
        ),
        (
            "S:\n  struct: {k: E}\n  hip_fields:\n    v: {cases: {A: k}}\n",
            "4:8: S.hip_fields.v: 'cases:' needs 'by:' and 'bytes:', and allows 'otherwise:' and no more",
        ),
        (
            "S:\n  struct: {k: E}\n  hip_fields:\n    v: {by: k, bytes: 0, cases: {A: k}}\n",
            "4:23: S.hip_fields.v.bytes: '0' is not a size in bytes",
        ),
        (
            "S:\n  struct: {k: int, k: int}\n",
            "2:20: S.struct: duplicate entry 'k' (first defined on line 2)",
        ),
        (
            "S:\n  struct: {k: 'int[x]'}\n",
            "2:15: S.struct.k: 'int[x]' is not a field type such as 'size_t', 'char[64]' or 'hidden int[2]'",
        ),
    ],
)
def test_a_wrong_line_is_named_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    assert error(tmp_path, text) == message
