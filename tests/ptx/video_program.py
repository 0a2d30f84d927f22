"""PTX's video instructions in all their forms: a kernel for some statements each, whose results are words.

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
import itertools
import sys
from pathlib import Path

import numpy as np
from cuda.bindings import driver, nvrtc

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.ptx.video_forms import statements

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
THREADS, IN_KERNEL, IN_MODULE = 24, 32, 16
POOL = 240
STEP = 7
EDGES = (0, 1, 2, 31, 32, 33, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x00FF80FF, 0x80017FFE)  # fmt: skip


def ok(result):
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def random_words():
    """Yield the words of a linear congruential generator, which are the same everywhere."""
    state = 20240607
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        yield state >> 32


def operands():
    """Return operands a, b and c: pairs of edges, equal numbers, small shifts, random words."""
    words = random_words()
    rows = [(a, b, next(words)) for a, b in list(itertools.product(EDGES, EDGES))[::3]]
    rows += [(a, a, edge) for a, edge in zip(words, EDGES, strict=False)]
    rows += [(a, a ^ 1 << a % 32, b) for a, b in zip(words, itertools.islice(words, 17), strict=False)]
    rows += [(a, shift, c) for a, shift, c in zip(words, range(0, 48, 2), EDGES * 2, strict=False)]
    rows += [(next(words), next(words), next(words)) for _ in range(POOL - len(rows))]
    return np.array(rows[:POOL], np.uint32)


def first_operands(number):
    """Return the row of the operands of a statement's first thread."""
    return number * STEP % POOL


def kernel(name, numbered):
    """Return a kernel of statements; the result of statement n in thread t is word n * THREADS + t."""
    lines = [f".visible .entry {name}(.param .u64 out, .param .u64 in) {{",
             "  .reg .b32 %t, %a, %b, %c, %d; .reg .b64 %o, %i, %x;",
             "  ld.param.u64 %o, [out]; ld.param.u64 %i, [in]; mov.u32 %t, %tid.x;",
             "  mul.wide.u32 %x, %t, 12; add.s64 %i, %i, %x; mul.wide.u32 %x, %t, 4; add.s64 %o, %o, %x;"]  # fmt: skip
    for place, (number, statement) in enumerate(numbered):
        at = 12 * first_operands(number)
        loads = " ".join(f"ld.global.u32 %{name}, [%i+{at + 4 * i}];" for i, name in enumerate("abc"))
        lines.append(f"  {loads} {statement} st.global.u32 [%o+{4 * THREADS * place}], %d;")
    return "\n".join((*lines, "  ret;", "}\n"))


def inline_kernel(name, numbered):
    """Return the same in CUDA C++."""
    lines = []
    for place, (number, statement) in enumerate(numbered):
        at = 3 * first_operands(number)
        text = statement.replace("%d", "%0").replace("%a", "%1").replace("%b", "%2").replace("%c", "%3")
        operands = ", ".join(f'"r"(in[{at + i}])' for i in range(3))
        lines.append(f'    asm("{text}" : "=r"(out[{THREADS * place}]) : {operands});')
    return "\n".join((
        f'extern "C" __global__ void {name}(unsigned* out, const unsigned* in) {{',
        "    in += 3 * threadIdx.x, out += threadIdx.x;", *lines, "}\n",
    ))  # fmt: skip


def batches(items, size):
    return [items[first : first + size] for first in range(0, len(items), size)]


def kernels(write, numbered):
    """Return the text of numbered statements, some to a kernel."""
    return "".join(write(f"k{index}", some) for index, some in enumerate(batches(numbered, IN_KERNEL)))


def module(numbered):
    return HEAD + kernels(kernel, numbered)


def inline_module(numbered):
    """Return NVRTC's image of the same in inline PTX."""
    program = ok(nvrtc.nvrtcCreateProgram(kernels(inline_kernel, numbered).encode(), b"video.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=sm_90"]))
    image = bytes(ok(nvrtc.nvrtcGetCUBINSize(program)))
    ok(nvrtc.nvrtcGetCUBIN(program, image))
    return image


def results(numbered, image_of, in_module=IN_KERNEL * IN_MODULE):
    """Return the results of numbered statements, a row for each; `image_of` gives the image of some of them."""
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    table = np.concatenate([operands(), operands()[:THREADS]])
    table_on_device = ok(driver.cuMemAlloc(table.nbytes))
    ok(driver.cuMemcpyHtoD(table_on_device, table.ctypes.data, table.nbytes))
    outputs_on_device = ok(driver.cuMemAlloc(4 * THREADS * IN_KERNEL))
    rows = []
    for group in batches(numbered, in_module):
        loaded = ok(driver.cuModuleLoadData(image_of(group)))
        for index, some in enumerate(batches(group, IN_KERNEL)):
            out = np.zeros((len(some), THREADS), np.uint32)
            arguments = [ctypes.c_void_p(int(outputs_on_device)), ctypes.c_void_p(int(table_on_device))]
            pointers = (ctypes.c_void_p * 2)(*(ctypes.addressof(value) for value in arguments))
            function = ok(driver.cuModuleGetFunction(loaded, f"k{index}".encode()))
            ok(driver.cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, 0, ctypes.addressof(pointers), 0))
            ok(driver.cuMemcpyDtoH(out.ctypes.data, outputs_on_device, out.nbytes))
            rows.append(out)
    return np.concatenate(rows)


def compare(file, step, image_of):
    with np.load(file) as recorded:
        texts, words = str(recorded["statements"]).split("\n"), recorded["results"]
    assert texts == list(statements()), "the recorded statements are others: record them again"
    numbered = list(enumerate(texts))[::step]
    wrong = 0
    for (number, statement), own in zip(numbered, results(numbered, image_of), strict=True):
        bad = np.nonzero(own != words[number])[0]
        if len(bad):
            wrong += 1
            row = (first_operands(number) + bad[0]) % POOL
            inputs = " ".join(f"{value:#x}" for value in operands()[row])
            print(f"{statement} {inputs}: {own[bad[0]]:#x} instead of {words[number][bad[0]]:#x}, {len(bad)} times")
    print(f"{len(numbered)} statements, {wrong} differ")
    return wrong


def record(file, cubin):
    numbered = list(enumerate(statements()))
    found = results(numbered, lambda _: Path(cubin).read_bytes(), len(numbered))
    np.savez_compressed(file, statements="\n".join(statements()), results=found)
    print(f"{len(numbered)} statements are recorded")


def main(what, file, *more):
    if what == "module":
        return 1 if compare(file, int(more[0]), lambda some: module(some).encode() + b"\0") else 0
    if what == "inline":
        return 1 if compare(file, int(more[0]), inline_module) else 0
    if what == "record":
        record(file, *more)
    else:
        Path(file).write_text(module(list(enumerate(statements()))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
