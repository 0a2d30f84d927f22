"""A newer zig than the one that the `cpu` extra holds: its Clang is the release that AMD's compiler of ROCm 7.2 is.

It is installed into build/ by the first test that asks.
"""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import filelock
import uv

from tests.environments import missing

VERSION = "0.17.1"  # with Clang 22
_FOLDER = Path(__file__).resolve().parents[1] / "build" / f"ziglang-{VERSION}"


@functools.cache
def program() -> Path:
    """Return the path of zig. Without it the test is skipped, or fails in CI."""
    complete = _FOLDER / "complete"
    _FOLDER.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(_FOLDER.with_suffix(".lock")):
        if not complete.exists():
            words: list[str | Path] = [
                "--quiet",
                "--python",
                sys.executable,
                "--target",
                _FOLDER,
                f"ziglang=={VERSION}",
            ]
            install = [uv.find_uv_bin(), "pip", "install", *words]
            done = subprocess.run(install, capture_output=True, encoding="utf-8", check=False)
            if done.returncode != 0:
                missing(f"ziglang {VERSION} cannot be installed: {done.stderr}")
            complete.touch()
    return _FOLDER / "ziglang" / "zig"
