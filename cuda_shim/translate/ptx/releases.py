"""The releases of PTX, and the targets that each knows.

The data are the answers of CUDA 13.0's driver on an H100 for each version and target, and of NVRTC 13.5 for later ones
(tests/ptx/record_releases.py).
"""

from __future__ import annotations

__all__ = ["NEWEST", "VERSIONS", "first_version_of"]

_LAST_MINOR = {1: 5, 2: 3, 3: 2, 4: 3, 5: 1, 6: 5, 7: 8, 8: 8, 9: 5}

VERSIONS = frozenset((major, minor) for major, last in _LAST_MINOR.items() for minor in range(last + 1))
"""Every version of PTX, as (major, minor)."""

NEWEST = max(VERSIONS)

_TARGETS = {
    (1, 0): "10 11",
    (1, 2): "12 13",
    (2, 0): "20 21",
    (3, 0): "30 35",
    (4, 0): "32 50",
    (4, 1): "37 52",
    (4, 2): "53",
    (5, 0): "60 61 62",
    (5, 1): "70",
    (6, 1): "72",
    (6, 2): "82",
    (6, 3): "75",
    (7, 0): "80",
    (7, 1): "86",
    (7, 3): "88",
    (7, 4): "87",
    (7, 8): "89 90",
    (8, 0): "90a",
    (8, 6): "100 100a 101 101a",
    (8, 7): "120 120a",
    (8, 8): "100f 101f 103 103a 103f 120f 121 121a 121f",
    (9, 0): "110 110a 110f",
}
_FIRST_VERSIONS = {target: version for version, targets in _TARGETS.items() for target in targets.split()}


def first_version_of(target: str) -> tuple[int, int] | None:
    """Return the first version of PTX that knows a target ("sm_80", "compute_80"), None for an unknown target."""
    family, _, number = target.partition("_")
    return _FIRST_VERSIONS.get(number) if family in ("sm", "compute") else None
