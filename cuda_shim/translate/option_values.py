"""The values that NVRTC takes for its options, and what it says of others."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["complaint_about", "titled"]


def complaint_about(row: dict[str, Any], value: str | None) -> str | None:
    """Return NVRTC's message about an option's value, None for a value that it takes. An integer may be missing."""
    kind = row.get("value")
    if kind == "boolean" and value not in ("true", "false"):
        return f"{titled(row)} expects true or false"
    if kind == "integer" and value and not re.fullmatch(r"-?\d+", value):
        return f"{titled(row)} expects an integer value"
    if kind == "text" and not value and "optional" not in row:
        return f"{titled(row)} expects a value"
    if not value or "among" not in row or _is_among(row["among"], value.split(",")):
        return None
    return str(row["otherwise"]).replace("{value}", value)


def _is_among(among: list[str] | str, values: list[str]) -> bool:
    if isinstance(among, list):
        return all(value in among for value in values)
    least, _, most = among.partition("-")
    return all(
        value.isascii() and value.isdigit() and int(least) <= int(value) and (not most or int(value) <= int(most))
        for value in values
    )


def titled(row: dict[str, Any]) -> str:
    """Return an option as NVRTC's messages name it."""
    spellings = row["spellings"]
    return f"{spellings[0]} ({spellings[-1]})" if len(spellings) > 1 else str(spellings[0])
