"""Records the integers that CUDA makes of floats, in and out of range: `python tests/kernels/casts/record.py recorded.json`.

The program runs under NVIDIA's CUDA Python on a GPU, and under the shim.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc

TARGETS = {
    "signed char": "i1", "unsigned char": "u1", "short": "i2", "unsigned short": "u2", "int": "i4", "unsigned int": "u4",
    "long long": "i8", "unsigned long long": "u8",
}  # fmt: skip
SOURCES = {"float": "f4", "double": "f8"}
VALUES = [
    0.5, -0.5, 127.5, 128, 129, 200, 255.9, 256, 300, -1, -5, -128, -129, -200, -300, 32767.5, 32768, 65535.5, 65536, 70000,
    -32769, -70000, 2147483520, 2147483648, 3e9, 4294967040, 4294967296, 5e9, 3e38, -2147483648, -3e9, -3e38, 9.2e18, 9.3e18,
    1.8e19, 1.9e19, -9.3e18, float("inf"), float("-inf"), float("nan"),
]  # fmt: skip
#: Forms of the conversion from `x[j]` to an integer type `T`.
FORMS = {
    "cast": "o[j] = (T)x[j];",
    "implicit": "T t = x[j]; o[j] = t;",
    "static_cast": "o[j] = static_cast<T>(x[j]);",
    "template": "o[j] = converted<T>(x[j]);",
}
CONVERTED = "template <class T, class F> __device__ T converted(F value) { return (T)value; }\n"


def value(result: tuple[Any, ...]) -> Any:
    """The output of a call that must succeed."""
    assert int(result[0]) == 0, result[0]
    return result[1] if len(result) == 2 else None


def source() -> str:
    """A kernel for each pair of types and each form."""
    kernels = [
        f'extern "C" __global__ void k_{form}_{source}_{at}(const {source}* x, {target}* o, int n)'
        f" {{ typedef {target} T; int j = threadIdx.x; if (j < n) {{ {text} }} }}\n"
        for form, text in FORMS.items()
        for source in SOURCES
        for at, target in enumerate(TARGETS)
    ]
    return CONVERTED + "".join(kernels)


def results(options: list[bytes]) -> dict[str, list[int]]:
    """The integers of each kernel, by form and types."""
    value(driver.cuInit(0))
    value(driver.cuCtxSetCurrent(value(driver.cuDevicePrimaryCtxRetain(value(driver.cuDeviceGet(0))))))
    program = value(nvrtc.nvrtcCreateProgram(source().encode(), b"casts.cu", 0, [], []))
    value(nvrtc.nvrtcCompileProgram(program, len(options), options))
    image = b" " * value(nvrtc.nvrtcGetPTXSize(program))
    value(nvrtc.nvrtcGetPTX(program, image))
    module = value(driver.cuModuleLoadData(image))
    found: dict[str, list[int]] = {}
    for form in FORMS:
        for kind, code in SOURCES.items():
            inputs = np.array(VALUES, code)
            memory = value(driver.cuMemAlloc(inputs.nbytes))
            value(driver.cuMemcpyHtoD(memory, inputs, inputs.nbytes))
            for at, (target, target_code) in enumerate(TARGETS.items()):
                outputs = np.zeros(len(VALUES), target_code)
                room = value(driver.cuMemAlloc(outputs.nbytes))
                kernel = value(driver.cuModuleGetFunction(module, f"k_{form}_{kind}_{at}".encode()))
                arguments = ((memory, room, len(VALUES)), (None, None, ctypes.c_int))
                value(driver.cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, 0, arguments, 0))
                value(driver.cuMemcpyDtoH(outputs, room, outputs.nbytes))
                found[f"{form}: {kind} to {target}"] = outputs.tolist()
    return found


def main(path: str) -> None:
    """Write the results with the version of NVRTC and the GPU."""
    found = results([b"-arch=compute_80"])
    name = bytes(value(driver.cuDeviceGetName(64, value(driver.cuDeviceGet(0))))).rstrip(b"\0").decode()
    made_with = {"gpu": name, "nvrtc": ".".join(map(str, nvrtc.nvrtcVersion()[1:]))}
    recorded = {"made_with": made_with, "values": [repr(number) for number in VALUES], "results": found}
    Path(path).write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
