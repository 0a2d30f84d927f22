"""Files that people write for cuda_shim itself: its tables, and the values of its settings.

Each reader is given a text, and refuses errors in it with its own exception.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from cuda_shim import settings, unknown_settings
from cuda_shim.errors import SettingError
from cuda_shim.mapping.reader import read_file
from cuda_shim.mapping.text_tables import TEXT_TABLES, read_text

__all__ = [
    "MODULE_TABLES",
    "PIECES_OF_SETTINGS",
    "PIECES_OF_YAML",
    "TABLES",
    "read_module_table",
    "read_settings",
    "text_table",
]

TABLES = Path(__file__).resolve().parents[2] / "tables"
#: With functions, enums, handles, structs and unions; small, so that a change is in a row of each kind often.
MODULE_TABLES = (
    "nvrtc.yaml",
    "driver/event.yaml",
    "driver/virtual_memory.yaml",
    "runtime/memory_pool.yaml",
    "driver/external.yaml",
)

PIECES_OF_YAML = (
    "[", "]", "{", "}", "[[", "{a: ", "- ", "-\n", "? ", ": ", ":\n", "a: ", "a:\n  ", "&a ", "*a", "&a [*a, *a]\n", "<<: *a\n", "!!int ", "!a ",
    "|\n", ">-\n", "'", '"', '"\\x41', "#", "%YAML 1.2\n", "---\n", "...\n", "@", "`", "\t", "0x", "1e9", "-1", "999999999999999999999", "null",
    "~", "[16]", "*", "**", "const ", "x y z", "fields:\n", "since: '13.5'\n", "unsupported: a\n", "enum: {a: 1}\n", "hip: [a, b]\n",
)  # fmt: skip
PIECES_OF_SETTINGS = (
    "0", "1", "9", "-1", "+1", ".5", ".", "1e9", "0x1", "inf", "nan", "on", "off", "auto", "cpu", "13", "13.x", "gfx", "gfx942", ":", ":xnack-", "sramecc+",
    "-", "/", "/dev/null", "..", "%p", "%", "%s", "%n", "~", "$HOME", "`", ";", "'", '"', "\\", "*", "?", "[", "record", "=", ",", " -x ", "\u00b2", "\u0663",
)  # fmt: skip


def _read(text: bytes, name: str, read: Callable[[Path], object]) -> None:
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = Path(folder, name)
        path.write_bytes(text)
        read(path)


def read_module_table(text: bytes) -> None:
    """Read a table of functions and types."""
    _read(text, "driver.yaml", read_file)


def text_table(name: str) -> Callable[[bytes], None]:
    """Return a function that reads texts as one of the other tables."""
    assert name in TEXT_TABLES
    return lambda text: _read(text, f"{name}.yaml", lambda path: read_text(path.parent, name))


def read_settings(text: bytes) -> None:
    """Read the text as the value of every setting, from the environment and as an argument."""
    value = text.replace(b"\0", b"").decode("utf-8", "surrogateescape")
    refused = []
    for item in settings.SETTINGS:
        for arguments, environment in (({}, {item.variable: value}), ({item.name: value}, {})):
            try:
                settings.read(arguments, environment)
            except SettingError as error:
                refused.append(str(error))
    assert all(value in message or "no effect without" in message for message in refused)
    words = value.split() or ["none"]
    list(unknown_settings.unknown_variables({f"CUDA_SHIM_{word}"[:200]: value for word in words[:20]}))
