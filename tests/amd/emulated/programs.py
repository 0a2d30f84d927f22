"""Runs small programs as machine code of AMD GPUs in the emulator, and writes `programs.json`.

By hand, as record.py, whose arguments it takes:

    python -m tests.amd.emulated.programs EMULATOR --header hiprtc_runtime.h --libraries FOLDER

Each program's results are compared with numpy's.
"""

from __future__ import annotations

import argparse
import ctypes
import json
from pathlib import Path
from typing import Any

import numpy as np

from cuda_shim.translate.options import to_hiprtc
from cuda_shim.translate.source import Program, to_hip
from tests.amd.emulated import atomic_programs, matrix_programs
from tests.amd.emulated.code_object import CodeObject
from tests.amd.emulated.kernel_arguments import Launch
from tests.amd.emulated.machine import Machine
from tests.amd.emulated.toolchain import TARGETS, Toolchain, digest, kernel_pointer

RECORDED = Path(__file__).with_name("programs.json")
#: A data-center GPU with waves of 64, and one of RDNA 3 and 4 with waves of 32.
ARCHITECTURES = ("gfx942", "gfx1100", "gfx1201")
PROGRAMS = {**matrix_programs.PROGRAMS, **atomic_programs.PROGRAMS}


def translated(name: str, architecture: str) -> Program:
    return to_hip(PROGRAMS[name].source.encode(), b"program.cu", [], architecture=architecture)


def run(name: str, architecture: str, toolchain: Toolchain, emulator: Path) -> str:
    """Emulate a program; return "right", or the places of wrong results."""
    program = PROGRAMS[name]
    arrays, expected = program.build(np.random.default_rng(7))
    options = to_hiprtc([b"-arch=compute_90"], architecture=architecture).options
    image = toolchain.code_object(translated(name, architecture), TARGETS[architecture], options, ("k",))
    code = CodeObject(image)
    kernel = code.kernel_at(ctypes.c_uint64.from_address(code.symbols[kernel_pointer(0)][0]).value)
    buffers = [ctypes.create_string_buffer(array.tobytes(), array.nbytes + 4096) for array in arrays]
    values: list[Any] = [ctypes.addressof(buffer).to_bytes(8, "little") for buffer in buffers]
    launch = Launch((program.blocks, 1, 1), (program.threads, 1, 1), 0, False)
    Machine(emulator, TARGETS[architecture]).run(code, kernel, values, launch)
    wrong = {}
    for place, right in expected.items():
        found = np.frombuffer(buffers[place].raw[: right.nbytes], right.dtype).reshape(right.shape)
        if found.tobytes() != right.tobytes():
            wrong[place] = np.argwhere(found != right)[:4].tolist()
    return f"wrong: {wrong}" if wrong else "right"


def main() -> None:
    """Record every program on every architecture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("emulator", type=Path)
    parser.add_argument("--header", type=Path, required=True)
    parser.add_argument("--libraries", type=Path, required=True)
    chosen = parser.parse_args()
    toolchain = Toolchain(chosen.header, chosen.libraries)
    outcomes = {
        f"{architecture} {name}": {
            "translation": digest(translated(name, architecture)),
            "result": run(name, architecture, toolchain, chosen.emulator),
        }
        for architecture in ARCHITECTURES
        for name in PROGRAMS
    }
    RECORDED.write_text(json.dumps(outcomes, indent=1) + "\n", encoding="utf-8")
    for name, outcome in outcomes.items():
        print(name, outcome["result"])


if __name__ == "__main__":
    main()
