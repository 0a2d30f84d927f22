"""The environments that benchmarks run in: this package as users install it, and its peers."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests import environments  # noqa: E402 - the checkout's own helpers

__all__ = ["NoFolder", "Peers", "as_users_start", "output_of"]


def as_users_start(**more: str) -> dict[str, str]:
    """The environment of a program that a user starts: compiled modules are written, and nothing is logged."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "CUDA_SHIM_QUIET": "1", **more}


def output_of(command: Sequence[str], **settings: str) -> str:
    """Run a benchmark's process, as users start it, and return its output. Raises RuntimeError when it fails."""
    done = subprocess.run(
        command, cwd=ROOT, env=as_users_start(**settings), capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr or done.stdout}")
    return done.stdout


class NoFolder(Exception):
    """A benchmark needs an environment, and there is no folder to make it in."""


class Peers:
    """Interpreters by their packages. Missing ones are made in `folder`.

    Without a folder no environment is made: this package runs from the checkout, where its tables are read from YAML,
    and hip-python where this interpreter has it. `left_out` names the missing ones, with the reasons.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.left_out: dict[str, str] = {}

    def shim(self) -> str:
        """An interpreter with this package, numpy and hip-python."""
        return sys.executable if self._folder is None else self.installed()

    def installed(self) -> str:
        """The same, and the package as users install it. Raises NoFolder without a folder."""
        return self._made(f"shim-{self._identity()}", self._wheel(), environments.HIP_PYTHON["10.0"], "numpy")

    def shim_alone(self) -> str:
        """An interpreter with this package and nothing that it may use. Raises NoFolder without a folder."""
        return self._made(f"installed-{self._identity()}", self._wheel(), "--no-deps")

    def plain(self) -> str:
        """An interpreter with next to nothing. Raises NoFolder without a folder."""
        return self._made("plain", "filelock")

    def numba(self) -> str:
        """As `installed`, and numba-cuda. Raises NoFolder without a folder."""
        needed = (self._wheel(), environments.HIP_PYTHON["10.0"], "numpy", "numba-cuda[cu13]")
        return self._made(f"shim-numba-{self._identity()}", *needed)

    def triton(self) -> str:
        """As `installed`, and Triton with PyTorch's build for host cores. Raises NoFolder without a folder."""
        from tests.triton.environment import with_torch

        return str(with_torch(self._needed() / f"shim-triton-{self._identity()}", self._wheel()).executable)

    def say_left_out(self) -> None:
        """Name the omitted interpreters on stderr."""
        for label, reason in self.left_out.items():
            print(f"without {label}: {reason}", file=sys.stderr)

    def interop(self) -> str | None:
        """An interpreter with AMD's hip-python-interop; it has the dependencies of a checkout, too."""
        return self._other("hip-python-interop", "interop", environments.HIP_PYTHON["10.0"], "hip-python-interop",
                           "numpy", "filelock")  # fmt: skip

    def nvidia(self) -> str | None:
        """An interpreter with NVIDIA's wheel."""
        return self._other("NVIDIA's wheel", "nvidia", environments.NVIDIA["13.5"])

    def _wheel(self) -> str:
        """This checkout's wheel; a wheel of an older state is removed, with the environments that have it."""
        folder = self._needed()
        mine = folder / f"wheel-{self._identity()}"
        for older in folder.glob("*-*"):
            if older.name.startswith(("wheel-", "shim-", "installed-")) and self._identity() not in older.name:
                shutil.rmtree(older, ignore_errors=True)
        mine.mkdir(exist_ok=True)
        return str(environments.build_wheel(mine))

    @functools.cache  # noqa: B019 - there is one of these in a run
    def _identity(self) -> str:
        """Return a checksum that changes with the package, by the sizes and times of its files."""
        seen = []
        for path in sorted(
            file for name in ("cuda_shim", "hip_on_host", "tables") for file in (ROOT / name).rglob("*.*")
        ):
            if "__pycache__" not in path.parts:
                status = path.stat()
                seen.append(f"{path} {status.st_size} {status.st_mtime_ns}")
        return f"{zlib.crc32(chr(10).join(seen).encode()):08x}"

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
        return str(environments.make(self._needed() / name, *requirements).executable)

    def _needed(self) -> Path:
        if self._folder is None:
            raise NoFolder("it needs environments, and no folder to make them in is given")
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder
