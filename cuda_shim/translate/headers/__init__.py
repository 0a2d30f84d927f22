"""The headers that replace CUDA's if hiprtc has none: C++ text, passed to hiprtc by name.

Functions that are the same for AMD GPUs and for host cores are in the portable headers of `hip_on_host`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from pathlib import Path

from cuda_shim.backends import host
from cuda_shim.mapping.text_tables import load_text

__all__ = ["portable_folder", "texts"]

_PORTABLE = "portable/"

_INCLUDE = re.compile(rb"^#include <([^>]+)>", re.MULTILINE)
# hiprtc takes no header without a text.
_NOTHING = b"#pragma once\n"


def texts(wanted: Iterable[str], own: set[bytes]) -> list[tuple[bytes, bytes]]:
    """Return name and text of the wanted headers and of all headers that they include, except the program's `own`."""
    found: dict[str, bytes] = {}
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        if name in found or name.encode() in own:
            continue
        found[name] = _text(name)
        waiting += (include.decode() for include in _INCLUDE.findall(found[name]))
    return [(name.encode(), found[name]) for name in sorted(found)]


@functools.cache
def _text(name: str) -> bytes:
    """Return a header's text; an alias includes the other header, an unavailable one is an `#error` with the reason."""
    row = load_text("device")["headers"].get(name, {})
    if "refuse" in row:
        return f'#error "{name}: {row["refuse"]}"\n'.encode()
    if "nothing" in row:
        return _NOTHING
    if "like" in row:
        return f"#pragma once\n#include <{row['like']}>\n".encode()
    folder = portable_folder().parent if name.startswith(_PORTABLE) else Path(__file__).parent
    return folder.joinpath(name).read_bytes()


def portable_folder() -> Path:
    """Return the folder of the headers that host cores have as well; programs include them as `portable/NAME`."""
    return Path(host.device_headers(), _PORTABLE)
