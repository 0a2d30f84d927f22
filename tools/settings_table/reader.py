"""The strict reader of tables/settings.yaml; the top of that file explains the fields."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from cuda_shim.errors import SettingError
from cuda_shim.mapping.nodes import Reader
from cuda_shim.mapping.text_reader import compose, unknown_field
from cuda_shim.setting import KINDS, Setting

SECTIONS = ("activation", "serving", "recording", "cpu")
READERS = ("shim", "runtime", "both")
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
VARIABLE = re.compile(r"CUDA_SHIM[A-Z0-9_]*")
WORD = re.compile(r"[a-z0-9][a-z0-9.+-]*")
RANGE = re.compile(r"(\d+(?:\.\d+)?) to (\d+(?:\.\d+)?)")
#: The largest int of C++.
MAX_INTEGER = 2147483647

#: The fields that a kind must have (True) or may have (False), beside those of every setting.
FIELDS_OF_KINDS: dict[str, dict[str, bool]] = {
    "choice": {"choices": True, "aliases": False},
    "integer": {"range": False, "choices": False},
    "number": {"range": True, "unit": True},
    "text": {"allowed": True},
}
FIELDS_OF_ALL = {
    "variable": False, "kind": True, "default": False, "reader": True, "needs": False, "meaning": True, "detail": False,
}  # fmt: skip


@dataclass
class Row:
    """A setting, the section of the table that it stands in, and its sentence in docs/settings.md."""

    setting: Setting
    section: str
    detail: str


def read_table(path: Path) -> list[Row]:
    """Return the rows in their order. Raises TableError with file, line and column."""
    reader, root = compose(path)
    rows: list[Row] = []
    nodes: dict[str, yaml.Node] = {}
    for section, key, section_node in reader.items(root, "table"):
        reader.one_of(key, "table", SECTIONS)
        for name, name_key, node in reader.items(section_node, section):
            reader.matching(name_key, section, NAME, "a name such as cpu_devices")
            if name in nodes:
                raise reader.error(name_key, f"'{name}' is in another section as well")
            nodes[name] = node
            rows.append(_row(reader, section, name, node))
    settings = {row.setting.name: row.setting for row in rows}
    for row in rows:
        needed = row.setting.needs
        if needed and (needed not in settings or settings[needed].kind not in ("boolean", "choice")):
            raise reader.error(nodes[row.setting.name], f"{row.setting.name}.needs: {needed!r} is no boolean or choice")
    return rows


def _row(reader: Reader, section: str, name: str, node: yaml.Node) -> Row:
    nodes = {}
    known = tuple(FIELDS_OF_ALL | {field: True for fields in FIELDS_OF_KINDS.values() for field in fields})
    for field, key, value in reader.items(node, name):
        if field not in known:
            raise unknown_field(reader, name, key, field, known)
        nodes[field] = value
    texts = {field: reader.scalar(value, f"{name}.{field}") for field, value in nodes.items() if field in _SINGLE}
    _check_fields(reader, name, node, nodes, texts.get("kind", ""))
    setting = Setting(
        name,
        texts.get("variable", f"CUDA_SHIM_{name.upper()}"),
        texts["kind"],
        texts["reader"],
        texts["meaning"],
        texts.get("default", ""),
        choices=_words(reader, f"{name}.choices", nodes.get("choices")),
        aliases=_aliases(reader, f"{name}.aliases", nodes.get("aliases")),
        limits=_limits(reader, f"{name}.range", nodes.get("range")),
        unit=texts.get("unit", ""),
        needs=texts.get("needs", ""),
        allowed=texts.get("allowed", ""),
    )
    _check_values(reader, nodes, setting)
    return Row(setting, section, texts.get("detail", ""))


_SINGLE = (*FIELDS_OF_ALL, "unit", "allowed")


def _check_fields(reader: Reader, name: str, node: yaml.Node, nodes: dict[str, yaml.Node], kind: str) -> None:
    """Refuse a row that lacks a field, or has one that its kind does not take."""
    if "kind" in nodes:
        reader.one_of(nodes["kind"], f"{name}.kind", KINDS)
    fields = FIELDS_OF_ALL | FIELDS_OF_KINDS.get(kind, {})
    for field, needed in fields.items():
        if needed and field not in nodes:
            raise reader.error(node, f"{name}: no field '{field}'")
    for field, value in nodes.items():
        if field not in fields:
            raise reader.error(value, f"{name}.{field}: a setting of the kind {kind} has none")
    if kind == "integer" and ("range" in nodes) == ("choices" in nodes):
        raise reader.error(node, f"{name}: an integer has either 'range' or 'choices'")
    reader.one_of(nodes["reader"], f"{name}.reader", READERS)
    if "variable" in nodes:
        reader.matching(nodes["variable"], f"{name}.variable", VARIABLE, "a variable such as CUDA_SHIM_LOG")


def _check_values(reader: Reader, nodes: dict[str, yaml.Node], setting: Setting) -> None:
    """Refuse aliases, numbers and a default that the setting would not take, and kinds that only Python reads."""
    for alias, choice in setting.aliases.items():
        if choice not in setting.choices:
            raise reader.error(nodes["aliases"], f"{setting.name}.aliases: {alias} stands for no choice: {choice}")
    if setting.kind == "integer":
        for number in filter(None, (*setting.limits, *setting.choices)):
            if not number.isdigit() or int(number) > MAX_INTEGER:
                place = nodes.get("range") or nodes["choices"]
                raise reader.error(place, f"{setting.name}: {number} is no integer from 0 to {MAX_INTEGER}")
    try:
        if setting.default and setting.check(setting.default, f"{setting.name}.default") != setting.default:
            raise reader.error(nodes["default"], f"{setting.name}.default: not in its canonical spelling")
    except SettingError as wrong:
        raise reader.error(nodes["default"], str(wrong)) from None
    if setting.reader != "shim" and setting.kind in ("report", "target"):
        raise reader.error(nodes["kind"], f"{setting.name}.kind: the runtime reads no settings of this kind")


def _words(reader: Reader, what: str, node: yaml.Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    wanted = "a lower-case word such as auto or 12.x"
    return tuple(reader.matching(item, what, WORD, wanted) for item in reader.sequence(node, what))


def _aliases(reader: Reader, what: str, node: yaml.Node | None) -> dict[str, str]:
    if node is None:
        return {}
    wanted = "a lower-case word such as auto or 12.x"
    return {
        reader.matching(key, what, WORD, wanted): reader.scalar(value, what)
        for _, key, value in reader.items(node, what)
    }


def _limits(reader: Reader, what: str, node: yaml.Node | None) -> tuple[str, str]:
    if node is None:
        return "", ""
    lowest, highest = reader.matching(node, what, RANGE, "a range such as 1 to 64").split(" to ")
    if float(lowest) > float(highest):
        raise reader.error(node, f"{what}: {lowest} is above {highest}")
    return lowest, highest
