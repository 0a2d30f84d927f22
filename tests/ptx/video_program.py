"""Runs PTX's video instructions in all their forms, and records or compares their results.

NVIDIA's compilers emulate most of these instructions; releases before 13.5 have more differences from the PTX ISA. So the
machine code of the assembler 13.5 is recorded, on an NVIDIA GPU and with NVIDIA's own CUDA Python:

    python -m tests.ptx.video_program write video.ptx && ptxas -arch sm_90 -o video.cubin video.ptx
    python -m tests.ptx.video_program record tests/ptx/recorded_video.npz video.cubin

With the shim in its place the results are compared; the number leaves out all statements but every eighth, and
`inline` in place of `module` compiles them as inline PTX:

    python -m cuda_shim run --backend cpu tests/ptx/video_program.py module tests/ptx/recorded_video.npz 8
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
from cuda.bindings import driver, nvrtc

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.ptx.video_forms import statements
from tests.ptx.video_kernels import (
    THREADS,
    batches,
    differences,
    inline_source,
    kernels_of,
    module,
    numbered_statements,
    operand_table,
)

IN_MODULE = 512


def ok(result):
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def module_image(some):
    return module(some).encode() + b"\0"


def inline_image(some):
    """Return NVRTC's image of inline PTX."""
    program = ok(nvrtc.nvrtcCreateProgram(inline_source(some).encode(), b"video.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=sm_90"]))
    image = bytes(ok(nvrtc.nvrtcGetCUBINSize(program)))
    ok(nvrtc.nvrtcGetCUBIN(program, image))
    return image


def results(some, image_of, in_module):
    """Return the results of statements, a row for each; `image_of` gives the image of a batch."""
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    table = operand_table()
    table_on_device = ok(driver.cuMemAlloc(table.nbytes))
    ok(driver.cuMemcpyHtoD(table_on_device, table.ctypes.data, table.nbytes))
    outputs_on_device = ok(driver.cuMemAlloc(4 * THREADS * in_module))
    rows = []
    for group in batches(some, in_module):
        loaded = ok(driver.cuModuleLoadData(image_of(group)))
        for name, each in kernels_of(group):
            out = np.zeros((len(each), THREADS), np.uint32)
            arguments = [ctypes.c_void_p(int(outputs_on_device)), ctypes.c_void_p(int(table_on_device))]
            pointers = (ctypes.c_void_p * 2)(*(ctypes.addressof(value) for value in arguments))
            function = ok(driver.cuModuleGetFunction(loaded, name.encode()))
            ok(driver.cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, 0, ctypes.addressof(pointers), 0))
            ok(driver.cuMemcpyDtoH(out.ctypes.data, outputs_on_device, out.nbytes))
            rows.append(out)
    return np.concatenate(rows)


def compare(kind, file, step):
    some = numbered_statements(int(step))
    image_of = {"module": module_image, "inline": inline_image}[kind]
    wrong = list(differences(some, results(some, image_of, IN_MODULE), Path(file)))
    print(*wrong, f"{len(some)} statements, {len(wrong)} differ", sep="\n")
    return 1 if wrong else 0


def record(file, cubin):
    some = numbered_statements()
    found = results(some, lambda _: Path(cubin).read_bytes(), len(some))
    np.savez_compressed(file, statements="\n".join(statements()), results=found)
    print(f"{len(some)} statements are recorded")
    return 0


def write(file):
    Path(file).write_text(module(numbered_statements()), encoding="utf-8")
    return 0


def main(what, *words):
    if what == "write":
        return write(*words)
    return record(*words) if what == "record" else compare(what, *words)


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
