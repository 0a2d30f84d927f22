"""Print CUDA's answers to launches, copies and events of one device in a stream of another, as JSON.

    python tests/adapters/other_device/record.py > tests/adapters/other_device/recorded.json

on a machine with two NVIDIA GPUs and cuda-bindings.
"""

from __future__ import annotations

import ctypes
import itertools
import json
from typing import Any

from cuda.bindings import driver, nvrtc

KERNEL = b'extern "C" __global__ void k(int* p) { if (p) *p = 1; }'
BOTH = (0, 1)


def value(answer: tuple[Any, ...]) -> Any:
    """The output of a call that must succeed."""
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None


def compiled() -> bytes:
    """PTX of the kernel."""
    program = value(nvrtc.nvrtcCreateProgram(KERNEL, b"k.cu", 0, [], []))
    value(nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=sm_80"]))
    code = b" " * value(nvrtc.nvrtcGetPTXSize(program))
    value(nvrtc.nvrtcGetPTX(program, code))
    return code


class Device:
    """A device's primary context with one object of each kind."""

    def __init__(self, ordinal: int, code: bytes) -> None:
        self.context = value(driver.cuDevicePrimaryCtxRetain(value(driver.cuDeviceGet(ordinal))))
        value(driver.cuCtxSetCurrent(self.context))
        self.function = value(driver.cuModuleGetFunction(value(driver.cuModuleLoadData(code)), b"k"))
        self.stream = value(driver.cuStreamCreate(0))
        self.event = value(driver.cuEventCreate(0))
        self.memory = value(driver.cuMemAlloc(64))


def launch(function: Any, stream: Any) -> int:
    """The status of a launch of one thread."""
    (status,) = driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, ((0,), (ctypes.c_void_p,)), 0)
    return int(status)


def statuses(devices: list[Device], kernel: Any) -> dict[str, int]:
    """The status of each call, by its arguments; `current` is the device whose context is current."""
    found: dict[str, int] = {}
    for current in BOTH:
        value(driver.cuCtxSetCurrent(devices[current].context))
        for of in BOTH:
            found[f"current {current}: function {of}, null stream"] = launch(devices[of].function, 0)
        for of, at in itertools.product(BOTH, BOTH):
            other, stream, place = devices[of], devices[at].stream, f"stream {at}"
            calls = {
                "function": launch(other.function, stream),
                "record event": int(driver.cuEventRecord(other.event, stream)[0]),
                "wait for event": int(driver.cuStreamWaitEvent(stream, other.event, 0)[0]),
                "copy to memory": int(driver.cuMemcpyDtoDAsync(other.memory, devices[1 - of].memory, 4, stream)[0]),
            }
            found |= {f"current {current}: {what} {of}, {place}": status for what, status in calls.items()}
        for at in BOTH:
            found[f"current {current}: kernel of a library, stream {at}"] = launch(kernel, devices[at].stream)
    return found


def main() -> None:
    value(driver.cuInit(0))
    code = compiled()
    devices = [Device(ordinal, code) for ordinal in BOTH]
    library = value(driver.cuLibraryLoadData(code, [], [], 0, [], [], 0))
    print(json.dumps(statuses(devices, value(driver.cuLibraryGetKernel(library, b"k"))), indent=1))


if __name__ == "__main__":
    main()
