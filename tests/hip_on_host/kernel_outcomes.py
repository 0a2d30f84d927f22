"""Results of random kernels, in a form and with a compiler: a digest for each kernel.

Run as a program it is a worker, since the compiler is read from the environment once in a process: it reads lines
`FIRST COUNT [OPTION …]` and answers each with a line of JSON.

    python -m tests.hip_on_host.kernel_outcomes FOLDER
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import sys
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tests.hip_on_host import hip_program, hiprtc_program, random_kernels
from tests.hip_on_host.random_kernels.helpers import ATOMICS, SUMS

N, M = 5, 11

#: The kernel split at its barriers, and the whole kernel on fibres, which hardly any optimisation has touched.
SPLIT = ("--cuda-shim-split=1",)
FIBRES = ("--cuda-shim-split=0", "-O0")


def outcomes(
    kernels: hiprtc_program.Kernels, program: random_kernels.Program, options: Sequence[str]
) -> dict[str, str]:
    """Compile all kernels of a program and run each; return the digests of their results."""
    module = kernels.load(program.source, *random_kernels.FLAGS, *options)
    return {launch.name: run(module, launch) for launch in program.launches}


def run(module: hiprtc_program.Module, launch: random_kernels.Launch) -> str:
    """Start one kernel and return the digest of its results."""
    values, out, sums = arrays(launch)
    arguments = (values, out, sums, ctypes.c_uint32(N), ctypes.c_uint32(M))
    module.launch(launch.name, launch.blocks, launch.block, *arguments, shared=launch.shared_bytes)
    return hashlib.sha256(out.tobytes() + sums.tobytes()).hexdigest()[:16]


def arrays(launch: random_kernels.Launch) -> tuple[npt.NDArray[np.uint32], ...]:
    """Return a kernel's input, its output, and its sums, before the launch."""
    values = np.random.default_rng(launch.threads).integers(0, 2**32, launch.threads * launch.blocks, dtype=np.uint32)
    out, sums = np.zeros_like(values), np.zeros(SUMS, np.uint32)
    for least in ("atomicMin", "atomicAnd"):
        sums[ATOMICS[least] : ATOMICS[least] + 8] = 2**32 - 1
    return values, out, sums


def main(folder: str) -> None:
    """Answer the lines on stdin."""
    kernels = hiprtc_program.Kernels(hip_program.load(folder), hiprtc_program.load(folder))
    for line in sys.stdin:
        first, count, *options = line.split()
        program = random_kernels.program(range(int(first), int(first) + int(count)))
        print(json.dumps(outcomes(kernels, program, options)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
