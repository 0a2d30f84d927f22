"""Launches kernels of programs/host_pointers.cu on host memory, and prints a line of JSON for each; started by its test.

Arguments: a folder of the runtime's libraries, the source's path and the form of the kernels.
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.hip_on_host import hip_program, hiprtc_program

folder, source, form = sys.argv[1:]
hip = hip_program.load(folder)
kernels = hiprtc_program.Kernels(hip, hiprtc_program.load(folder))
module = kernels.load(Path(source).read_text(), f"-DFORM_{form}")


class Inner(ctypes.Structure):
    _fields_ = (("s", ctypes.c_short), ("p", ctypes.c_void_p))


class Outer(ctypes.Structure):
    _fields_ = (("n", ctypes.c_int), ("inner", Inner * 2))


class View(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("length", ctypes.c_int))


ABS = ctypes.cast(ctypes.CDLL(None).abs, ctypes.c_void_p)


def arguments(kernel: str, x: int, out: int) -> Sequence[Any]:
    """Return the arguments of a kernel that works on `x`, and writes to `out` where it has a second pointer."""
    pointer, second = ctypes.c_void_p(x), ctypes.c_void_p(out)
    structs = (Inner * 2)(Inner(1, out), Inner(2, x))
    several: dict[str, Sequence[Any]] = {
        "behind_numbers": [ctypes.c_char(1), ctypes.c_double(1), pointer],
        "reads": [pointer, second],
        "nested": [Outer(1, structs)],
        "view": [View(x, 32), ctypes.c_int(0)],
        "called": [ABS, pointer],
        "unused": [pointer, second],
        "number": [ctypes.c_uint64(0x123456789ABC), second],
    }
    return several.get(kernel, [pointer])


def outcome(kernel: str, x: int, out: int) -> str:
    """Launch a kernel, wait for it, and return the status; a fault ends the device's work until it is reset."""
    values = arguments(kernel, x, out)
    pointers = (ctypes.c_void_p * (len(values) + 1))(*map(ctypes.addressof, values))
    launched = hip.hipModuleLaunchKernel(module.function(kernel), 1, 1, 1, 32, 1, 1, 0, None, pointers, None)
    status = hip_program.name(hip.hipDeviceSynchronize())
    return status if hip_program.name(launched) == "hipSuccess" else hip_program.name(launched)


def write(**fields: object) -> None:
    """Print a result."""
    print(json.dumps(fields), flush=True)


HOST = ["pointer", "behind_numbers", "reads", "reference", "nested", "either", "view", "adds", "called"]
for kernel in [*HOST, "unused", "number"]:
    memory = np.ones(64, np.float32)
    device = int(hip_program.check(hip.hipMalloc(256)))
    status = outcome(kernel, memory.ctypes.data, device)
    write(kernel=kernel, status=status, changed=bool((memory != 1).any()))
    if status != "hipSuccess":
        module.reset_device()

memory = np.ones(4096, np.float32)
hip_program.check(hip.hipHostRegister(ctypes.c_void_p(memory.ctypes.data), memory.nbytes, 0))
pinned = int(hip_program.check(hip.hipHostMalloc(256, 0)))
managed = int(hip_program.check(hip.hipMallocManaged(256, 1)))
device = int(hip_program.check(hip.hipMalloc(256)))
for place, x in {"registered": memory.ctypes.data, "pinned": pinned, "managed": managed, "device": device}.items():
    write(place=place, statuses=[outcome(kernel, x, device) for kernel in HOST if kernel != "called"])
write(place="end of registered", statuses=[outcome("unused", memory.ctypes.data + memory.nbytes, device)])
