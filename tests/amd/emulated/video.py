"""Runs PTX's video instructions as machine code of AMD GPUs in the instruction emulator, and compares an H100's results.

    python -m tests.amd.emulated.video EMULATOR HEADER LIBRARIES [STEP]

The places are those of `record.py`; every STEP-th statement runs, by default every thirteenth. The exit status is 1 if a result differs.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np

from cuda_shim.translate import headers as provided
from cuda_shim.translate.ptx.writer import OPTIONS, translate
from cuda_shim.translate.source import to_hip
from tests.amd.emulated.code_object import CodeObject
from tests.amd.emulated.kernel_arguments import Launch
from tests.amd.emulated.machine import Machine
from tests.amd.emulated.toolchain import TARGETS, Toolchain
from tests.ptx.video_kernels import (
    THREADS,
    Numbered,
    differences,
    kernels_of,
    module,
    numbered_statements,
    operand_table,
)

RECORDED = Path(__file__).resolve().parents[2] / "ptx" / "recorded_video.npz"


def results(some: Numbered, toolchain: Toolchain, architecture: str, emulator: Path) -> np.ndarray:
    """Return the results of statements, a row for each."""
    texts = provided.texts(["cuda_shim/ptx_module.h", "cuda_shim/ptx_threads.h"], set())
    source = translate(module(some)).source.encode()
    program = to_hip(source, b"video.ptx", texts, architecture=architecture)
    code = CodeObject(toolchain.code_object(program, TARGETS[architecture], [*OPTIONS, b"-std=c++17"]))
    machine = Machine(emulator, TARGETS[architecture])
    table = ctypes.create_string_buffer(operand_table().tobytes())
    rows = []
    for name, each in kernels_of(some):
        out = ctypes.create_string_buffer(4 * THREADS * len(each) + 4096)
        values = [ctypes.addressof(buffer).to_bytes(8, "little") for buffer in (out, table)]
        machine.run(code, name, values, Launch((1, 1, 1), (THREADS, 1, 1), 0, False))
        rows.append(np.frombuffer(out.raw, np.uint32, THREADS * len(each)).reshape(-1, THREADS))
    return np.concatenate(rows)


def main(emulator: str, header: str, libraries: str, step: str = "13") -> int:
    toolchain = Toolchain(Path(header), Path(libraries))
    some, count = numbered_statements(int(step)), 0
    for architecture in TARGETS:
        wrong = list(differences(some, results(some, toolchain, architecture, Path(emulator)), RECORDED))
        count += len(wrong)
        print(*wrong, f"{architecture}: {len(some)} statements, {len(wrong)} differ", sep="\n", flush=True)
    return 1 if count else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
