"""Cost of the shim at the start of Python: installed and off, on, `run` beside plain python, `enable()`.

    python tests/benchmarks/start_cost.py FOLDER

FOLDER keeps the environments for the next run. Contenders take turns in one run, so that a noisy machine is noisy for
all of them; the medians are printed, and their ratios to plain python.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.lines import Line, show  # noqa: E402 - the checkout's own
from tests.benchmarks.peers import Peers, as_users_start  # noqa: E402

ROUNDS, UNIT, PLAIN = 40, "milliseconds", "plain python"


def contenders(peers: Peers) -> dict[str, tuple[list[str], dict[str, str]]]:
    """Commands and variables by label."""
    plain, shim = peers.plain(), peers.shim_alone()
    nothing = ["-c", "pass"]
    cuda = ["-c", "import cuda.bindings.driver"]
    enabled = ["-c", "import cuda_shim; cuda_shim.enable(); import cuda.bindings.driver"]
    run = ["-m", "cuda_shim", "run"]
    return {
        PLAIN: ([plain, *nothing], {}),
        "installed and off": ([shim, *nothing], {}),
        "CUDA_SHIM=1": ([shim, *nothing], {"CUDA_SHIM": "1"}),
        "CUDA_SHIM_REPORT=record too": ([shim, *nothing], {"CUDA_SHIM": "1", "CUDA_SHIM_REPORT": "record"}),
        "python -m cuda_shim run -c pass": ([shim, *run, *nothing], {}),
        "import cuda.bindings.driver, CUDA_SHIM=1": ([shim, *cuda], {"CUDA_SHIM": "1"}),
        "the same, after enable()": ([shim, *enabled], {}),
    }


def milliseconds(command: list[str], environment: dict[str, str]) -> float:
    """The time of one start."""
    start = time.perf_counter()
    subprocess.run(command, env=as_users_start(**environment), cwd="/", check=True)
    return 1e3 * (time.perf_counter() - start)


def gate_milliseconds(shim: Path) -> float:
    """The line of cuda_shim.pth alone, off, as `site` executes it: median of many."""
    line = next(shim.parents[1].rglob("cuda_shim.pth")).read_text(encoding="utf-8")
    code = (
        "import timeit, os, statistics; os.environ.pop('CUDA_SHIM', None); "
        f"print(statistics.median(timeit.repeat(lambda: exec({line!r}), number=100, repeat=50)) * 10)"
    )
    return float(subprocess.check_output([shim, "-c", code], encoding="utf-8"))


def measure(peers: Peers, rounds: int = ROUNDS) -> Iterator[Line]:
    """Take turns."""
    all_of_them = contenders(peers)
    times: dict[str, list[float]] = {label: [] for label in all_of_them}
    for turn in range(rounds + 2):
        for label, (command, environment) in all_of_them.items():
            spent = milliseconds(command, environment)
            if turn >= 2:  # the first ones compile modules and fill the disk's cache
                times[label].append(spent)
    plain = statistics.median(times.pop(PLAIN))
    for label, all_spent in times.items():
        yield Line("starts", label, UNIT, statistics.median(all_spent), {PLAIN: plain})
    yield Line("starts", "the line in cuda_shim.pth, off", UNIT, gate_milliseconds(Path(peers.shim_alone())))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="keeps the environments")
    show(measure(Peers(parser.parse_args().folder.absolute())))


if __name__ == "__main__":
    main()
