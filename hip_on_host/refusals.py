"""HIP's functions that the libraries export and do not support: read from the C++ file that refuses them."""

from __future__ import annotations

import re
from pathlib import Path

from hip_on_host import sources

__all__ = ["unsupported"]

_REASON = re.compile(r'constexpr char (\w+)\[\] = "([^"]*)";')
_REFUSED = re.compile(r"^NOT_SUPPORTED\((\w+), (\w+)\)", re.MULTILINE)


def unsupported() -> dict[str, str]:
    """Return each function's reason by its name. Raises OSError where the sources did not come along."""
    text = Path(sources.source_folder(), "hip", "not_supported.cpp").read_text(encoding="utf-8")
    reasons = dict(_REASON.findall(text))
    return {function: reasons[reason] for function, reason in _REFUSED.findall(text)}
