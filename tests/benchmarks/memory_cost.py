"""Memory of a process: after the import and one call, beside NVIDIA's wheel, and the growth by 100,000 launches.

    python tests/benchmarks/memory_cost.py [--launches 100000] [FOLDER]

FOLDER keeps the environments: this package as users install it, and NVIDIA's wheel, whose import needs no GPU (and a
call of which would need one). Resident memory, in MiB, beyond that of the interpreter alone; the least of some
processes counts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.lines import Line, show  # noqa: E402 - the checkout's own
from tests.benchmarks.peers import Peers, as_users_start  # noqa: E402

ROUNDS, LAUNCHES = 5, 100_000
UNIT, NVIDIA = "MiB", "NVIDIA's wheel"
RESIDENT = (
    "\ndef resident():\n"
    "    pages = int(open('/proc/self/statm').read().split()[1])\n"
    "    return pages * __import__('resource').getpagesize() / (1 << 20)\n"
)
IMPORT = "from cuda.bindings import driver, runtime, nvrtc\n"
CALL = "assert runtime.cudaGetDeviceCount()[0] == 0\n"
SAY = "print(resident())\n"
GROWTH = r"""
import ctypes, json
from cuda.bindings import driver, nvrtc, runtime

LAUNCHES = %d

def ok(answer):
    assert answer[0] == 0, answer
    return answer[1] if len(answer) > 1 else None

ok(runtime.cudaFree(0))
program = ok(nvrtc.nvrtcCreateProgram(b'extern "C" __global__ void k(float a, float *x, size_t n) {}', b"k.cu", 0, [], []))
ok(nvrtc.nvrtcCompileProgram(program, 0, []))
image = bytearray(ok(nvrtc.nvrtcGetCUBINSize(program)))
ok(nvrtc.nvrtcGetCUBIN(program, image))
kernel = ok(driver.cuModuleGetFunction(ok(driver.cuModuleLoadData(image)), b"k"))
stream, memory = ok(driver.cuStreamCreate(0)), ok(driver.cuMemAlloc(64))
types = ctypes.c_float, None, ctypes.c_size_t
parameters = driver.CUDA_MEMCPY2D()

def launch(count):
    for at in range(count):
        ok(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, ((1.0, memory, at), types), 0))
        if at %% 100 == 0:
            ok(driver.cuStreamSynchronize(stream))
            ok(runtime.cudaGetDeviceProperties(0))
            ok(driver.cuMemcpy2D(parameters))
    ok(driver.cuStreamSynchronize(stream))

launch(LAUNCHES // 10)  # pools fill
begun = resident()
launch(LAUNCHES)
print(json.dumps(resident() - begun))
"""


def mebibytes(python: str, program: str, *arguments: str, rounds: int = ROUNDS) -> float:
    """The least that some runs of a program print."""
    where = ROOT if python == sys.executable else "/"
    environment = as_users_start(CUDA_SHIM="1" if python != sys.executable else "", CUDA_SHIM_BACKEND="cpu")
    found = []
    for _ in range(rounds):
        command = [python, *arguments, "-c", RESIDENT + program]
        done = subprocess.run(command, cwd=where, env=environment, capture_output=True, encoding="utf-8", check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        found.append(float(done.stdout))
    return min(found)


def growth(python: str, launches: int) -> float:
    """MiB that a number of launches adds to a process, after a tenth of them."""
    return mebibytes(python, GROWTH % launches, *_on(python), rounds=1)


def measure(python: str, nvidia: str | None, launches: int = LAUNCHES, rounds: int = ROUNDS) -> Iterator[Line]:
    """Yield the rows; `python` has this package, `nvidia` NVIDIA's wheel."""
    on = _on(python)
    bare = mebibytes(python, SAY, rounds=rounds)
    others = {NVIDIA: mebibytes(nvidia, IMPORT + SAY, rounds=rounds) - bare} if nvidia else {}
    yield Line("memory", "imported", UNIT, mebibytes(python, IMPORT + SAY, *on, rounds=rounds) - bare, others)
    # NVIDIA's makes no call without a GPU, so that its import alone is the mark here as well.
    called = mebibytes(python, IMPORT + CALL + SAY, *on, rounds=rounds) - bare
    yield Line("memory", "imported, and one call", UNIT, called, others)
    yield Line("memory", f"growth over {launches:,} launches", UNIT, growth(python, launches))


def _on(python: str) -> list[str]:
    """Options before `-c` where the package is not installed, so that no variable can switch it on."""
    return ["-m", "cuda_shim", "run", "--backend", "cpu"] if python == sys.executable else []


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=LAUNCHES)
    parser.add_argument("folder", type=Path, nargs="?", help="keeps the environments")
    given = parser.parse_args()
    peers = Peers(given.folder and given.folder.absolute())
    show(measure(peers.shim(), peers.nvidia(), given.launches))
    peers.say_left_out()


if __name__ == "__main__":
    main()
