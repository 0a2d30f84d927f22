"""``importlib.metadata.version("cuda-bindings")`` where no real cuda-bindings is installed.

Only queries by name are answered.  Were the distribution listed as well, ``pip list`` would show it, and
pip would take requirements on it as satisfied.
"""

from __future__ import annotations

import os
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path

from cuda_shim.hook.installed import DISTRIBUTIONS, installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ServedDistribution", "find_distributions"]


class ServedDistribution(Distribution):
    """The metadata of a distribution that the shim stands for."""

    def __init__(self, name: str, version: str) -> None:
        self._text = (
            "Metadata-Version: 2.1\n"
            f"Name: {name}\n"
            f"Version: {version}\n"
            "Summary: Served by cuda_shim on AMD's HIP; not NVIDIA's distribution.\n"
        )

    def read_text(self, filename: str) -> str | None:
        """Return METADATA; there is no other file."""
        return self._text if filename == "METADATA" else None

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        """Return the path that a file of the distribution would have.  The distribution lists no files."""
        return Path(os.path.dirname(os.path.dirname(__file__)), path)


def find_distributions(context: DistributionFinder.Context, version: str) -> Iterator[Distribution]:
    """Yield the distribution asked for by name, if it is one of NVIDIA's and not really installed."""
    name = context.name
    if name is None or "path" in vars(context):  # a listing, or a question about certain folders only
        return
    normal = name.lower().replace("_", "-").replace(".", "-")
    if normal in DISTRIBUTIONS and installed(normal) is None:
        yield ServedDistribution(normal, version)
