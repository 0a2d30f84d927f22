"""What the shim adds to the start of Python: installed and off, on, `run` beside plain python, `enable()`.

    python tests/benchmarks/start_cost.py [FOLDER]

FOLDER keeps the environments for the next run. Contenders take turns in one run, so that a noisy machine is noisy for
all of them; the medians are printed, and their ratios to plain python.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests import environments  # noqa: E402 - the checkout's own helpers

ROUNDS = 40


def contenders(folder: Path) -> dict[str, tuple[list[str], dict[str, str]]]:
    """Commands and variables by label, in environments that are made where they are not there yet."""
    wheel = str(environments.build_wheel(folder))
    plain = str(environments.make(folder / "plain", "filelock").executable)
    shim = str(environments.make(folder / "installed", wheel, "--no-deps").executable)
    nothing = ["-c", "pass"]
    cuda = ["-c", "import cuda.bindings.driver"]
    enabled = ["-c", "import cuda_shim; cuda_shim.enable(); import cuda.bindings.driver"]
    run = ["-m", "cuda_shim", "run"]
    return {
        "python -c pass": ([plain, *nothing], {}),
        "the same, shim installed and off": ([shim, *nothing], {}),
        "the same, CUDA_SHIM=1": ([shim, *nothing], {"CUDA_SHIM": "1"}),
        "the same, CUDA_SHIM_REPORT=record too": ([shim, *nothing], {"CUDA_SHIM": "1", "CUDA_SHIM_REPORT": "record"}),
        "python -m cuda_shim run -c pass": ([shim, *run, *nothing], {}),
        "import cuda.bindings.driver, CUDA_SHIM=1": ([shim, *cuda], {"CUDA_SHIM": "1"}),
        "the same, after enable()": ([shim, *enabled], {}),
    }


def milliseconds(command: list[str], environment: dict[str, str]) -> float:
    """The time of one start."""
    # Programs as users start them: with compiled modules written.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run(command, env={**kept, **environment}, cwd="/", check=True)
    return 1e3 * (time.perf_counter() - start)


def gate_microseconds(folder: Path) -> float:
    """The line of cuda_shim.pth alone, off, as `site` executes it: median of many."""
    line = next((folder / "installed").rglob("cuda_shim.pth")).read_text(encoding="utf-8")
    code = (
        "import timeit, os, statistics; os.environ.pop('CUDA_SHIM', None); "
        f"print(statistics.median(timeit.repeat(lambda: exec({line!r}), number=100, repeat=50)) * 1e4)"
    )
    return float(subprocess.check_output([folder / "installed" / "bin" / "python", "-c", code], encoding="utf-8"))


def main(folder: Path) -> None:
    """Take turns, then print."""
    all_of_them = contenders(folder)
    times: dict[str, list[float]] = {label: [] for label in all_of_them}
    for turn in range(ROUNDS + 2):
        for label, (command, environment) in all_of_them.items():
            spent = milliseconds(command, environment)
            if turn >= 2:  # the first ones compile modules and fill the disk's cache
                times[label].append(spent)
    base = statistics.median(times["python -c pass"])
    print(f"{'median of ' + str(ROUNDS):42} {'ms':>8} {'ratio':>7}")
    for label, all_spent in times.items():
        median = statistics.median(all_spent)
        print(f"{label:42} {median:8.1f} {median / base:7.2f}")
    print(f"{'the line in cuda_shim.pth, off':42} {gate_microseconds(folder) / 1e3:8.3f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]).absolute())
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
