"""The tables of settings in docs/settings.md."""

from __future__ import annotations

import re

from settings_table.reader import Row


def full_table(rows: list[Row]) -> str:
    """Return every setting with its variable, allowed values, default and meaning."""
    lines = ["| variable | values | default | meaning |", "| --- | --- | --- | --- |"]
    for row in rows:
        item = row.setting
        default = f"`{item.default}`" if item.default else "unset"
        lines.append(f"| `{item.variable}` | {item.allowed} | {default} | {item.description} |")
    return "\n".join(lines)


def section_table(rows: list[Row], section: str) -> str:
    """Return the settings of a section with their flags and variables, and more about each."""
    lines = ["| flag of `run` | variable | |", "| --- | --- | --- |"]
    for row in rows:
        if row.section == section:
            item = row.setting
            flag = f"--{item.name.replace('_', '-')}"
            lines.append(f"| `{flag}` | `{item.variable}` | {row.detail or item.description} |")
    return "\n".join(lines)


def fill(text: str, tables: dict[str, str]) -> str:
    """Return a document with each table below its mark, ``<!-- NAME -->``. Raises SystemExit for a missing mark."""
    for mark, table in tables.items():
        place = re.search(rf"(?<=<!-- {mark} -->\n)(\|[^\n]*\n)*", text)
        if not place:
            raise SystemExit(f"no line <!-- {mark} --> for the table of that name")
        text = f"{text[: place.start()]}{table}\n{text[place.end() :]}"
    return text
