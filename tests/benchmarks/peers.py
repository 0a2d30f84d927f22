"""The environments that benchmarks run in: this package as users install it, and what runs beside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests import environments  # noqa: E402 - the checkout's own helpers

__all__ = ["ROOT", "Peers", "as_users_start"]


def as_users_start(**more: str) -> dict[str, str]:
    """The environment of a program that a user starts: compiled modules are written, and nothing is said."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "CUDA_SHIM_QUIET": "1", **more}


class Peers:
    """Interpreters by what they have. Those of `folder` are made where they are not there yet.

    Without a folder nothing is made: this package runs from the checkout, where its tables are read from YAML, and
    hip-python where this interpreter has it. `left_out` names what is missing, and why.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.left_out: dict[str, str] = {}

    def shim(self) -> str:
        """An interpreter with this package, numpy and hip-python."""
        if self._folder is None:
            return sys.executable
        wheel = str(environments.build_wheel(self._folder))
        return self._made("shim", wheel, environments.HIP_PYTHON["10.0"], "numpy")

    def interop(self) -> str | None:
        """An interpreter with AMD's hip-python-interop; it has what a checkout needs to run, too."""
        return self._other("hip-python-interop", "interop", environments.HIP_PYTHON["10.0"], "hip-python-interop",
                           "numpy", "filelock")  # fmt: skip

    def nvidia(self) -> str | None:
        """An interpreter with NVIDIA's wheel."""
        return self._other("NVIDIA's wheel", "nvidia", environments.NVIDIA["13.5"])

    def _other(self, label: str, name: str, *requirements: str) -> str | None:
        if self._folder is None:
            self.left_out[label] = "no folder for environments is given"
            return None
        try:
            return self._made(name, *requirements)
        except AssertionError as error:  # pip's own words
            self.left_out[label] = str(error).strip().rpartition("\n")[2]
            return None

    def _made(self, name: str, *requirements: str) -> str:
        assert self._folder is not None
        return str(environments.make(self._folder / name, *requirements).executable)
