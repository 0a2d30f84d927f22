"""The aarch64 libraries, under qemu: tools/try_aarch64.py finds nothing that differs from this machine.

Runs where qemu, an aarch64 C library and ziglang are installed. The build stays in build/aarch64.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests import environments

LOADER = "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1"
MISSING = [
    name
    for name, found in (
        ("qemu-aarch64", shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")),
        (LOADER, os.path.exists(LOADER)),
        ("ziglang", find_spec("ziglang")),
        ("x86-64", platform.machine() == "x86_64"),
    )
    if not found
]
HANG = 900


@pytest.mark.skipif(bool(MISSING), reason=f"needs {' and '.join(MISSING)}")
@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(("engine",), id="engine"),
        # With the libraries of the checkout's state still to be built this takes minutes.
        pytest.param(("kernels", "random", "faults"), id="kernels", marks=pytest.mark.long),
    ],
)
def test_aarch64_does_as_this_machine(parts: tuple[str, ...]) -> None:
    chosen = [word for part in parts for word in ("--part", part)]
    done = subprocess.run(
        [sys.executable, str(environments.ROOT / "tools/try_aarch64.py"), *chosen],
        capture_output=True, encoding="utf-8", timeout=HANG, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == "aarch64: all as here"
