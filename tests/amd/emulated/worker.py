"""Runs cases of the corpus as one GPU's machine code in the emulator, and prints a JSON line before and after each.

    python -m tests.amd.emulated.worker gfx1100 EMULATOR HEADER LIBRARIES source reduction.tree_in_shared

`source` compiles the case's CUDA C++, `ptx` the PTX that nvcc made of it. A process of its own, since a memory fault
of a kernel ends it.
"""

from __future__ import annotations

import ctypes
import functools
import json
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from cuda_shim.translate import headers as provided
from cuda_shim.translate.options import to_hiprtc
from cuda_shim.translate.ptx.writer import OPTIONS, translate
from cuda_shim.translate.source import Program, to_hip
from tests.amd.emulated.code_object import CodeObject
from tests.amd.emulated.kernel_arguments import Launch
from tests.amd.emulated.machine import EndlessError, Machine, UnsupportedInstructionError
from tests.amd.emulated.toolchain import TARGETS, NotCompiledError, Toolchain, digest, kernel_pointer
from tests.kernels import nvcc_modules
from tests.kernels.corpus import Case, Run, cases, compare_recorded, program_of, programs, verify
from tests.kernels.corpus.images import Surface, Texture

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
# The architecture that programs are compiled for as CUDA.
ARCHITECTURE = b"-arch=compute_80"
RECORDED = {"source": KERNELS / "recorded.npz", "ptx": nvcc_modules.RECORDED}


def translated(case: Case, kind: str, architecture: str) -> tuple[Program, list[bytes]]:
    """A case's program as hiprtc takes it for an AMD architecture, and the options."""
    if kind == "ptx":
        source = translate((ptx_modules() / ptx_kernels()[case.name][0]).read_text(encoding="utf-8")).source.encode()
        names = ["cuda_shim/ptx_module.h", "cuda_shim/ptx_threads.h"]
        names += ["cuda_shim/ptx_groups.h"] if b"ptx_groups" in source else []
        program = to_hip(source, case.file.encode(), provided.texts(names, set()), architecture=architecture)
        return program, [*OPTIONS, b"-std=c++17"]
    own = [(name.encode(), text.encode()) for name, text in case.headers.items()]
    program = to_hip(case.source.encode(), case.file.encode(), own, architecture=architecture)
    options = to_hiprtc([ARCHITECTURE, *(option.encode() for option in case.options)], architecture=architecture)
    if options.refused is not None:
        raise NotCompiledError(options.refused)
    return program, options.options


def ptx_kernels() -> dict[str, tuple[str, str]]:
    """The module and the kernel of each case that nvcc compiled, by the case's name."""
    return _unpacked()[1]


def ptx_modules() -> Path:
    """The folder with nvcc's modules."""
    return Path(_unpacked()[0].name)


@functools.cache
def _unpacked() -> tuple[tempfile.TemporaryDirectory[str], dict[str, tuple[str, str]]]:
    folder = tempfile.TemporaryDirectory(prefix="cuda_shim-nvcc-")
    return folder, nvcc_modules.unpacked(Path(folder.name))


def emulate(case: Case, run: Run, code: CodeObject, kernel: str, machine: Machine) -> tuple[list[Any], dict[str, Any]]:
    """A case's arguments and device variables after its launch in the emulator."""
    for name, value in run.globals.items():
        ctypes.memmove(_variable(code, name, value), value.ctypes.data, value.nbytes)
    # Behind each array is room, so that a kernel's writes there harm no other array.
    buffers = [
        ctypes.create_string_buffer(argument.tobytes(), argument.nbytes + 4096)
        if isinstance(argument, np.ndarray)
        else None
        for argument in run.args
    ]
    values = []
    for argument, buffer in zip(run.args, buffers, strict=True):
        if buffer is not None:
            values.append(ctypes.addressof(buffer).to_bytes(8, "little"))
        else:
            values.append(argument if isinstance(argument, bytes) else argument.tobytes())
    machine.run(code, kernel, values, Launch(_sizes(run.grid), _sizes(run.block), run.shared, case.cooperative))
    results = [
        argument if buffer is None else np.frombuffer(buffer.raw[: argument.nbytes], argument.dtype).reshape(argument.shape)
        for argument, buffer in zip(run.args, buffers, strict=True)
    ]  # fmt: skip
    variables = {}
    for name, expected in run.expected_globals.items():
        raw = ctypes.string_at(_variable(code, name, expected), expected.nbytes)
        variables[name] = np.frombuffer(raw, expected.dtype).reshape(expected.shape)
    return results, variables


def _variable(code: CodeObject, name: str, value: np.ndarray) -> int:
    address, size = code.symbols[name]
    assert size == value.nbytes, f"{name} has {size} bytes, not {value.nbytes}"
    return address


def _sizes(sizes: int | tuple[int, ...]) -> tuple[int, int, int]:
    x, y, z = (*((sizes,) if isinstance(sizes, int) else sizes), 1, 1)[:3]
    return x, y, z


def loaded(case: Case, kind: str, architecture: str, toolchain: Toolchain) -> tuple[CodeObject, str]:
    """Return a case's code object, in memory of its own, and its kernel's name. Raises NotCompiledError."""
    program, options = translated(case, kind, architecture)
    if kind == "ptx":
        return CodeObject(_image(toolchain, architecture, digest(program), program, tuple(options))), ptx_kernels()[
            case.name
        ][1]
    # One compilation serves all cases of a program.
    kernels = programs()[program_of(case)].kernels
    code = CodeObject(_image(toolchain, architecture, digest(program), program, tuple(options), kernels))
    pointer, _ = code.symbols[kernel_pointer(kernels.index(case.kernel))]
    return code, code.kernel_at(ctypes.c_uint64.from_address(pointer).value)


_images: dict[tuple[object, ...], bytes | NotCompiledError] = {}


def _image(
    toolchain: Toolchain,
    architecture: str,
    name: str,
    program: Program,
    options: tuple[bytes, ...],
    kernels: tuple[str, ...] = (),
) -> bytes:
    key = (architecture, name, options, kernels)
    if key not in _images:
        try:
            _images[key] = toolchain.code_object(program, TARGETS[architecture], options, kernels)
        except NotCompiledError as error:
            _images[key] = error
    found = _images[key]
    if isinstance(found, NotCompiledError):
        raise found
    return found


def outcome(case: Case, kind: str, architecture: str, toolchain: Toolchain, machine: Machine) -> dict[str, str]:
    """Return a case's outcome: the digest of its translation, one word for the result, and the details."""
    named = {"translation": digest(translated(case, kind, architecture)[0])}
    run = case.run()
    if any(isinstance(argument, (Texture, Surface)) for argument in run.args):
        return {**named, "result": "unsupported", "detail": "the emulator has no image instructions"}
    try:
        code, kernel = loaded(case, kind, architecture, toolchain)
    except NotCompiledError as error:
        return {**named, "result": "not compiled", "detail": str(error)}
    try:
        results, variables = emulate(case, run, code, kernel, machine)
    except UnsupportedInstructionError as error:
        return {**named, "result": "unsupported", "detail": str(error)}
    except EndlessError as error:
        return {**named, "result": "endless", "detail": str(error)}
    return {**named, **judged(case, kind, run, results, variables)}


def judged(case: Case, kind: str, run: Run, results: list[Any], variables: dict[str, Any]) -> dict[str, str]:
    """Compare a launch's results with the case's reference, and with the results that an NVIDIA GPU recorded."""
    try:
        verify(run, results, variables)
        if run.comparable:
            compare_recorded(case.name, run, results, variables, np.load(RECORDED[kind]))
    except AssertionError as error:
        return {"result": "wrong", "detail": str(error)}
    return {"result": "right", "detail": ""}


def main(architecture: str, emulator: str, header: str, libraries: str, kind: str, *names: str) -> None:
    toolchain = Toolchain(Path(header), Path(libraries))
    machine = Machine(Path(emulator), TARGETS[architecture])
    for name in names:
        # Printed before the launch, so that a crash is known to be this case's.
        print(json.dumps({"case": name, "started": True}), flush=True)
        try:
            found = outcome(cases()[name], kind, architecture, toolchain, machine)
        except Exception:  # noqa: BLE001 - the other cases are run too
            found = {"result": "failed", "detail": traceback.format_exc()}
        print(json.dumps({"case": name, **found}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
