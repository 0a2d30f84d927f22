"""Time and memory of `from cuda.bindings import driver, runtime, nvrtc`, beside AMD's interop, NVIDIA's wheel and bare
hip-python, in one run: contenders take turns, so that a noisy machine is noisy for all of them.

    python tests/benchmarks/import_cost.py FOLDER

FOLDER keeps the environments for the next run. Prints milliseconds and MiB beyond the bare interpreter.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.lines import Line, show  # noqa: E402 - the checkout's own
from tests.benchmarks.peers import Peers, as_users_start  # noqa: E402

ROUNDS = 15
INTEROP, NVIDIA, HIP_PYTHON = "hip-python-interop", "NVIDIA's wheel", "hip-python"
IMPORT = "from cuda.bindings import driver, runtime, nvrtc; "
NAMES = (
    "driver.cuInit; driver.CUresult; driver.cuLaunchKernel; driver.CUstream; driver.cuMemAlloc; "
    "runtime.cudaError_t; runtime.cudaMalloc; runtime.cudaMemcpyKind; nvrtc.nvrtcResult; nvrtc.nvrtcCreateProgram; "
)
HIP = "from rocm.bindings import hip, hiprtc; "
LIBRARIES = (
    "from cuda_shim import settings; from cuda_shim.backends import host_libraries; "
    "print(host_libraries.ensure_libraries(settings.current()))"
)
MEMORY = "import re; print(re.search(r'VmRSS:\\s+(\\d+)', open('/proc/self/status').read())[1])"


class Contender:
    """A program and the interpreter that runs it."""

    def __init__(self, python: str, code: str, **environment: str) -> None:
        self.command = [python, "-c", code + MEMORY]
        self.environment = as_users_start(**environment)
        self.milliseconds = float("inf")
        self.mebibytes = 0.0

    def turn(self) -> None:
        """Run once and keep the best."""
        start = time.perf_counter()
        done = subprocess.run(
            self.command, env=self.environment, cwd="/", capture_output=True, encoding="utf-8", check=True
        )
        self.milliseconds = min(self.milliseconds, 1e3 * (time.perf_counter() - start))
        self.mebibytes = int(done.stdout) / 1024


def contenders(peers: Peers) -> dict[tuple[str, str], Contender]:
    """By row and column; "" is the column of this package."""
    shim, interop, nvidia = peers.installed(), peers.interop(), peers.nvidia()
    command = [shim, "-c", LIBRARIES]
    libraries = subprocess.check_output(command, env=as_users_start(), cwd="/", encoding="utf-8").strip()
    on = {"CUDA_SHIM": "1", "CUDA_SHIM_BACKEND": "cpu"}
    found = {
        ("bare", ""): Contender(interop or shim, ""),
        ("installed and off", ""): Contender(shim, ""),
        ("modules imported", ""): Contender(shim, IMPORT, **on),
        ("ten names read", ""): Contender(shim, IMPORT + NAMES, **on),
        ("one call", ""): Contender(shim, IMPORT + "runtime.cudaGetDeviceCount(); ", **on),
        ("modules imported", HIP_PYTHON): Contender(shim, HIP),
        ("one call", HIP_PYTHON): Contender(shim, HIP + "hip.hipGetDeviceCount(); ", ROCM_PATH=libraries),
    }
    if interop:
        found["modules imported", INTEROP] = Contender(interop, IMPORT)
    if nvidia:
        found["modules imported", NVIDIA] = Contender(nvidia, IMPORT)
    return found


def measure(peers: Peers, rounds: int = ROUNDS) -> Iterator[Line]:
    """Let all contenders take turns; yield the cost of each beyond the bare interpreter."""
    running = contenders(peers)
    for contender in running.values():
        contender.turn()  # writes compiled modules, builds the CPU runtime
        contender.milliseconds = float("inf")
    for _ in range(rounds):
        for contender in running.values():
            contender.turn()
    bare = running.pop(("bare", ""))
    rows = list(dict.fromkeys(row for row, _ in running))
    for row, spent in ((row, beyond(bare, running, row, "milliseconds")) for row in rows):
        yield Line("imports", row, "milliseconds", spent.pop(""), spent)
    for row, held in ((row, beyond(bare, running, row, "mebibytes")) for row in rows):
        yield Line("imports", f"{row}: memory", "MiB", held.pop(""), held)


def beyond(bare: Contender, running: Mapping[tuple[str, str], Contender], row: str, what: str) -> dict[str, float]:
    """Return the costs of a row's contenders beyond the bare interpreter, by column."""
    own: float = getattr(bare, what)
    return {column: getattr(one, what) - own for (its_row, column), one in running.items() if its_row == row}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="keeps the environments")
    peers = Peers(parser.parse_args().folder.absolute())
    show(measure(peers))
    peers.say_left_out()


if __name__ == "__main__":
    main()
