"""Compiles and launches the programs named in its arguments, all of them without any, through CUDA Python.

    python -m cuda_shim run --backend cpu tests/kernels/waiting/worker.py FOLDERS PROGRAM...   # under the shim
    CUDA_INCLUDE=FOLDERS python tests/kernels/waiting/worker.py --record                      # on an NVIDIA GPU

FOLDERS are those of CUDA's C++ core libraries, with the system's separator of paths between them, or "", which leaves out
the programs that need them. A program "hostile NAME" is that of the name in a program with other meanings of common names.
Prints a line of JSON for each program: the results of its kernels in hexadecimal digits, and the forms of its kernels under
the shim; or an error. With --record, writes the results into recorded.npz and the machine into recorded.json beside this
file.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parents[2]))  # behind an installed cuda_shim

from tests.kernels.waiting.programs import THREADS, Program, programs  # noqa: E402 - the path comes first

#: Begins the names of hostile programs.
HOSTILE = "hostile "
#: How the bytes of values are made of small numbers.
AS_NUMPY = {
    "int": "<i4", "unsigned": "<u4", "long": "<i8", "unsigned long": "<u8", "long long": "<i8", "unsigned long long": "<u8",
    "float": "<f4", "double": "<f8", "__half": "<f2",
}  # fmt: skip


class Failed(Exception):
    """A call that failed, with NVRTC's log if it has one."""


def check(result: tuple[Any, ...]) -> Any:
    if int(result[0]):
        raise Failed(repr(result[0]))
    return result[1] if len(result) == 2 else result[1:]


def values(type_: str) -> np.ndarray:
    """Return the values of the threads as the elements of an array, two for a pair."""
    numbers = (np.arange(THREADS) * 7 + 3) % 11
    if type_ == "__half2":
        return np.stack([numbers, numbers + 16], axis=1).astype("<f2")
    if type_ == "__nv_bfloat16":
        return (numbers.astype("<f4").view("<u4") >> 16).astype("<u2")
    return numbers.astype(AS_NUMPY[type_])


def compiled(source: str, options: list[str]) -> bytes:
    made = check(nvrtc.nvrtcCreateProgram(source.encode(), b"program.cu", 0, [], []))
    (status,) = nvrtc.nvrtcCompileProgram(made, len(options), [option.encode() for option in options])
    if int(status):
        log = b"  " * check(nvrtc.nvrtcGetProgramLogSize(made))
        nvrtc.nvrtcGetProgramLog(made, log)
        raise Failed(log.partition(b"\0")[0].decode(errors="replace"))
    code = b" " * check(nvrtc.nvrtcGetCUBINSize(made))
    check((*nvrtc.nvrtcGetCUBIN(made, code), None))
    nvrtc.nvrtcDestroyProgram(made)
    return code


def results(program: Program, code: bytes) -> list[np.ndarray]:
    """Launch each kernel on one block and return what it wrote."""
    module = check(driver.cuModuleLoadData(code))
    written = []
    for number, type_ in enumerate(program.types):
        array = values(type_)
        memory = [check(driver.cuMemAlloc(array.nbytes)) for _ in range(2)]
        check((*driver.cuMemcpyHtoD(memory[0], array.ctypes.data, array.nbytes), None))
        check((*driver.cuMemsetD8(memory[1], 0, array.nbytes), None))
        kernel = check(driver.cuModuleGetFunction(module, b"kernel_%d" % number))
        unread = (0,) * 8  # the parameters of hostile programs
        arguments = ((*map(int, memory), *unread), (*(ctypes.c_void_p,) * 2, *(ctypes.c_int,) * len(unread)))
        check((*driver.cuLaunchKernel(kernel, 1, 1, 1, THREADS, 1, 1, 0, 0, arguments, 0), None))
        check((*driver.cuCtxSynchronize(), None))
        result = np.empty_like(array)
        check((*driver.cuMemcpyDtoH(result.ctypes.data, memory[1], result.nbytes), None))
        for one in memory:
            check((*driver.cuMemFree(one), None))
        written.append(result)
    check((*driver.cuModuleUnload(module), None))
    return written


def forms(code: bytes) -> list[tuple[str, str]] | None:
    """Return the form of each kernel with the reason for it, None where no shim compiled it."""
    if not hasattr(nvrtc, "HIP_PYTHON"):
        return None
    from hip_on_host import kernel_list

    return [(kernel.form, kernel.reason) for kernel in kernel_list.read_module(code)]


def chosen(names: list[str], with_core_libraries: bool) -> list[tuple[str, Program]]:
    """Return the named programs, or all, under their names."""
    known = programs()
    found = [(name, known[name.removeprefix(HOSTILE)]) for name in names or known]
    return [(name, program) for name, program in found if with_core_libraries or program.standalone]


def fresh_context(device: Any) -> None:
    """Make a context without an earlier program's fault."""
    with contextlib.suppress(Failed):
        check((*driver.cuDevicePrimaryCtxReset(device), None))
    check((*driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(device))), None))


def main(words: list[str]) -> int:
    record = words[:1] == ["--record"]
    if record and hasattr(nvrtc, "HIP_PYTHON"):
        print("what is recorded must come from NVIDIA's own CUDA Python", file=sys.stderr)
        return 2
    folders, *names = ["", *words[1:]] if record else words
    folders = folders or os.environ.get("CUDA_INCLUDE", "")
    check((*driver.cuInit(0), None))
    device = check(driver.cuDeviceGet(0))
    fresh_context(device)
    attribute = driver.CUdevice_attribute
    major = check(driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
    arrays: dict[str, np.ndarray] = {}
    failures = 0
    for name, program in chosen(names, bool(folders)):
        options = [f"--gpu-architecture=sm_{major}0", "-std=c++17"]
        if program.core or (record and program.headers):  # the shim has CUDA's headers itself, NVRTC has none
            options += [f"-I{folder}" for folder in folders.split(os.pathsep) if folder]
        line: dict[str, Any] = {"program": name, "error": None}
        print(json.dumps({"program": name, "started": True}), flush=True)
        try:
            code = compiled(program.hostile_source if name.startswith(HOSTILE) else program.source, options)
            line["forms"] = forms(code)
            written = results(program, code)
            line["results"] = [array.tobytes().hex() for array in written]
            arrays.update({f"{name}/{type_}": array for type_, array in zip(program.types, written, strict=True)})
        except Failed as failure:
            failures += 1
            line["error"] = str(failure)
            fresh_context(device)
        print(json.dumps(line), flush=True)
    if record:
        np.savez_compressed(FOLDER / "recorded.npz", **arrays)  # type: ignore[arg-type]  # no array is called allow_pickle
        machine = {
            "device": check(driver.cuDeviceGetName(128, device)).partition(b"\0")[0].decode(),
            "driver": check(driver.cuDriverGetVersion()),
            "nvrtc": list(check(nvrtc.nvrtcVersion())),
            "script": "tests/kernels/waiting/worker.py",
        }
        (FOLDER / "recorded.json").write_text(json.dumps(machine, indent=2) + "\n", encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
