"""Many threads and streams for a while: everything computed is right, and memory stays where it was.

``CUDA_SHIM_STRESS_SECONDS=600`` makes it ten minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.hip_on_host import hip_program, kernel_modules

SECONDS = float(os.environ.get("CUDA_SHIM_STRESS_SECONDS", "20"))
#: Memory that allocators of many threads keep for themselves; a leak of a few bytes a round would be more.
NOISE = 24 << 20


def test_many_threads_and_streams(runtime_folder: Path) -> None:
    library, module = runtime_folder / "lib/libamdhip64.so", kernel_modules.compile_module("basic")
    done = subprocess.run(
        [sys.executable, str(kernel_modules.HERE / "stress.py"), str(library), str(module), str(SECONDS)],
        capture_output=True, encoding="utf-8", timeout=SECONDS + hip_program.HANG, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert said["failures"] == []
    assert said["idle"] == 0
    assert said["streams"] == 64
    assert said["free"][0] == said["free"][1]
    early, late = said["resident"]
    assert late - early < NOISE, said
