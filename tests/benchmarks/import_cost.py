"""Time and memory of `from cuda.bindings import driver, runtime, nvrtc`, beside AMD's interop, NVIDIA's wheel and bare
hip-python, in one run: contenders take turns, so that a noisy machine is noisy for all of them.

    python tests/benchmarks/import_cost.py [FOLDER]

FOLDER keeps the environments for the next run. Prints milliseconds and MiB beyond the bare interpreter.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests import environments  # noqa: E402 - the checkout's own helpers

ROUNDS = 15
IMPORT = "from cuda.bindings import driver, runtime, nvrtc; "
NAMES = (
    "driver.cuInit; driver.CUresult; driver.cuLaunchKernel; driver.CUstream; driver.cuMemAlloc; "
    "runtime.cudaError_t; runtime.cudaMalloc; runtime.cudaMemcpyKind; nvrtc.nvrtcResult; nvrtc.nvrtcCreateProgram; "
)
HIP = "from rocm.bindings import hip, hiprtc; "
MEMORY = "import re; print(re.search(r'VmRSS:\\s+(\\d+)', open('/proc/self/status').read())[1])"


class Contender:
    """A program and the interpreter that runs it."""

    def __init__(self, label: str, python: environments.Python, code: str, **environment: str) -> None:
        self.label = label
        self.command = [str(python.executable), "-c", code + MEMORY]
        # Programs as users start them: with compiled modules written.
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self.environment = {**kept, "CUDA_SHIM_QUIET": "1", **environment}
        self.milliseconds: list[float] = []
        self.mebibytes = 0.0

    def turn(self) -> None:
        """Run once and note what it took."""
        start = time.perf_counter()
        done = subprocess.run(
            self.command, env=self.environment, cwd="/", capture_output=True, encoding="utf-8", check=True
        )
        self.milliseconds.append(1e3 * (time.perf_counter() - start))
        self.mebibytes = int(done.stdout) / 1024


def contenders(folder: Path) -> list[Contender]:
    """The environments, made where they are not there yet."""
    wheel, hip = str(environments.build_wheel(folder)), environments.HIP_PYTHON["10.0"]
    shim = environments.make(folder / "shim", wheel, hip)
    interop = environments.make(folder / "interop", hip, "hip-python-interop")
    nvidia = environments.make(folder / "nvidia", environments.NVIDIA["13.5"])
    libraries = shim.run(
        "-c",
        "from cuda_shim import settings; from cuda_shim.backends.cpu import build; "
        "print(build.ensure_libraries(settings.current()))",
    ).strip()
    on = {"CUDA_SHIM": "1", "CUDA_SHIM_BACKEND": "cpu"}
    return [
        Contender("bare interpreter", interop, ""),
        Contender("cuda_shim, installed and off", shim, ""),
        Contender("cuda_shim, modules imported", shim, IMPORT, **on),
        Contender("cuda_shim, ten names read", shim, IMPORT + NAMES, **on),
        Contender("cuda_shim, one HIP call", shim, IMPORT + "runtime.cudaGetDeviceCount(); ", **on),
        Contender("hip-python, imported", interop, HIP),
        Contender("hip-python, one call", interop, HIP + "hip.hipGetDeviceCount(); ", ROCM_PATH=libraries),
        Contender("hip-python-interop, imported", interop, IMPORT),
        Contender("NVIDIA's wheel, imported", nvidia, IMPORT),
    ]


def main(folder: Path) -> None:
    """Run all contenders in turn and print the medians."""
    running = contenders(folder)
    for contender in running:
        contender.turn()  # writes compiled modules, builds the CPU runtime
        contender.milliseconds.clear()
    for _ in range(ROUNDS):
        for contender in running:
            contender.turn()
    bare = running[0]
    base = min(bare.milliseconds)
    interop = min(next(c for c in running if "interop" in c.label).milliseconds) - base
    print(f"{'':32}{'ms':>8}{'MiB':>8}{'of interop':>12}")
    for contender in running[1:]:
        beyond = min(contender.milliseconds) - base
        memory = contender.mebibytes - bare.mebibytes
        print(f"{contender.label:32}{beyond:8.1f}{memory:8.1f}{beyond / interop:12.2f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
