"""Headers that most units of a folder share, read by the compiler once instead of once a unit.

Reading headers is more than half of the time that the runtime takes to build. Which ones are worth it is
seen from the sources themselves. It is an optimisation only: a unit that does not compile on top of the
shared headers is compiled again in the ordinary way, and only that answer counts.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

__all__ = ["compile_arguments", "header_text", "use_arguments"]

_INCLUDE = re.compile(r'^#include\s+(<[^>]+>|"[^"]+")', re.MULTILINE)
# Below this many units the shared file costs more than it saves.
_FEWEST_UNITS = 8
_SHARE = 0.3
_SUFFIX = {"clang": ".pch", "gcc": ".gch"}


def header_text(units: list[Path], kind: str) -> str:
    """The header to precompile for these units; "" where it does not pay or the compiler kind has none."""
    if kind not in _SUFFIX or len(units) < _FEWEST_UNITS:
        return ""
    seen: Counter[str] = Counter()
    for unit in units:
        seen.update(set(_INCLUDE.findall(unit.read_text(encoding="utf-8", errors="replace"))))
    shared = sorted(name for name, count in seen.items() if count >= _SHARE * len(units))
    return "".join(f"#include {name}\n" for name in shared)


def compile_arguments(header: Path, kind: str) -> list[str]:
    """Arguments that precompile `header` to where the compiler looks for it."""
    return ["-x", "c++-header", str(header), "-o", f"{header}{_SUFFIX[kind]}"]


def use_arguments(header: Path) -> list[str]:
    """Arguments with which a unit starts from the precompiled header."""
    return ["-include", str(header)]
