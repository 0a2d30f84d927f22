"""The CUDA Python layout that is served, and the reason.

Signatures and return tuples differ between CUDA 11, 12 and 13, so one layout is served at a time: the one
that is set, else the one of an installed cuda-bindings or cuda-python, else the newest.
"""

from __future__ import annotations

from cuda_shim import settings
from cuda_shim.hook.installed import DISTRIBUTIONS, installed
from cuda_shim.mapping.layouts import LAYOUTS, layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["BINDINGS_VERSIONS", "NEWEST", "ServedLayout", "legacy_layout", "served_layout"]

#: The cuda-bindings release whose interface each layout reproduces.
BINDINGS_VERSIONS = {name: layout(name).bindings for name in LAYOUTS}

NEWEST = LAYOUTS[-1]

#: The last layout that had ``cuda.cuda``, ``cuda.cudart`` and ``cuda.nvrtc``.
_LAST_LEGACY = "12.9"


class ServedLayout:
    """The layout served.

    Attributes:
        name: "11.8", "12.9" or "13.5".
        version: the value of ``cuda.bindings.__version__``.
        reason: the reason for this layout, in words.
    """

    __slots__ = ("name", "reason", "version")

    def __init__(self, name: str, reason: str, version: str = "") -> None:
        self.name = name
        self.reason = reason
        self.version = version or BINDINGS_VERSIONS[name]

    def __repr__(self) -> str:
        return f"ServedLayout({self.name!r}, {self.reason!r}, {self.version!r})"


def served_layout(chosen: settings.Settings, path: Iterable[str] | None = None) -> ServedLayout:
    """Return the layout to serve, by the setting ``cuda``, or by the installed packages."""
    if chosen.cuda:
        source = "an argument" if chosen.sources["cuda"] == "argument" else chosen.origin("cuda")
        return ServedLayout(chosen.cuda, f"set by {source}")
    for distribution in DISTRIBUTIONS:
        version = installed(distribution, path)
        if version is not None:
            return ServedLayout(_closest(version), f"{distribution} {version} is installed")
    return ServedLayout(NEWEST, "the default: no cuda-bindings or cuda-python is installed")


def legacy_layout(layout: str) -> str:
    """Return the layout that ``cuda.cuda``, ``cuda.cudart`` and ``cuda.nvrtc`` speak.

    They ended with CUDA 12, so programs that import them were written for 12.9 at the latest.
    """
    return min(layout, _LAST_LEGACY, key=_key)


def _closest(version: str) -> str:
    """Return the layout of the same major version, else the nearest there is."""
    major = version.partition(".")[0]
    exact = settings.setting("cuda").aliases.get(major)
    if exact is not None:
        return exact
    oldest = min(BINDINGS_VERSIONS, key=_key)
    return oldest if major.isdigit() and int(major) < _key(oldest)[0] else NEWEST


def _key(layout: str) -> tuple[int, ...]:
    return tuple(int(part) for part in layout.split("."))
