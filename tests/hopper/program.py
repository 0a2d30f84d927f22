"""Run Hopper's instructions through cuda.bindings, and write what they give: `python program.py GROUP FILE.npz`."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.hopper import maps, warpgroup

FOLDER = Path(__file__).parent
#: The folder of PTX texts that are loaded in place of compiled sources, the one that they are written to, and the number
#: that says how many products are left out for each that runs.
READ_PTX, WRITE_PTX, EVERY = (
    next((word.partition("=")[2] for word in sys.argv if word.startswith(option)), "")
    for option in ("--read-ptx=", "--write-ptx=", "--every=")
)

_Copy = Callable[[], np.ndarray[Any, Any]]


def good(result: tuple[Any, ...]) -> Any:
    """Return the outputs of a call that must succeed."""
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def expanded(source: str) -> str:
    """Return a source with its macros of several lines expanded: statements of inline PTX must be written out."""
    source = source.replace("\\\n", " ")
    macros = re.findall(r"^#define (\w+)\(([^)]*)\)(.*)$", source, re.MULTILINE)
    for name, parameters, body in macros:
        source = source.replace(f"#define {name}({parameters}){body}\n", "")
        for call in re.findall(rf"^{name}\(.*\)$", source, re.MULTILINE):
            arguments = re.findall(r'"[^"]*"|[^,\s]+', call[len(name) + 1 : -1])
            text = body
            for parameter, argument in zip(parameters.split(", "), arguments, strict=True):
                text = re.sub(rf"(##)?\b{parameter}\b", argument, text)
            source = source.replace(call, text)
    return source


def module(source: str, number: int = 0) -> Any:
    """Compile and load a source for compute capability 9.0, which is one of its group's."""
    file = f"{sys.argv[1]}-{number}.ptx"
    if READ_PTX:
        return good(driver.cuModuleLoadData(Path(READ_PTX, file).read_bytes() + b"\0"))
    source = expanded(source)
    program = good(nvrtc.nvrtcCreateProgram(source.encode(), b"program.cu", 0, [], []))
    folders = [f"-I{folder}".encode() for folder in os.environ.get("INCLUDE", "").split(":") if folder]
    options = [b"--gpu-architecture=sm_90a", b"--std=c++17", *folders]
    status = nvrtc.nvrtcCompileProgram(program, len(options), options)[0]
    # Python has one object for each text of one byte, which must not be written to.
    log = b" " * (good(nvrtc.nvrtcGetProgramLogSize(program)) + 1)
    nvrtc.nvrtcGetProgramLog(program, log)
    assert int(status) == 0, log.decode()
    image = b" " * good(nvrtc.nvrtcGetCUBINSize(program))
    good(nvrtc.nvrtcGetCUBIN(program, image))
    if WRITE_PTX:
        text = b" " * good(nvrtc.nvrtcGetPTXSize(program))
        good(nvrtc.nvrtcGetPTX(program, text))
        Path(WRITE_PTX, file).write_bytes(text.rstrip(b"\0"))
    return good(driver.cuModuleLoadData(image))


def kernel(loaded: Any, name: str, shared: int = 0) -> Any:
    """Return a kernel, which may use so much dynamic shared memory."""
    function = good(driver.cuModuleGetFunction(loaded, name.encode()))
    if shared > 48 << 10:
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        good(driver.cuFuncSetAttribute(function, attribute, shared))
    return function


class Memory:
    """Device memory with an array's bytes."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = np.ascontiguousarray(array)
        self.pointer = good(driver.cuMemAlloc(max(self.array.nbytes, 16) + 4096))
        good(driver.cuMemcpyHtoD(self.pointer, self.array.ctypes.data, self.array.nbytes))

    def read(self) -> np.ndarray[Any, Any]:
        """Return the bytes that are there now."""
        result = np.empty_like(self.array)
        good(driver.cuMemcpyDtoH(result.ctypes.data, self.pointer, result.nbytes))
        return result


def launch(function: Any, blocks: int, threads: int, arguments: list[Any], shared: int = 0) -> None:
    """Launch a kernel, and wait for it."""
    storage: list[Any] = []
    for argument in arguments:
        if isinstance(argument, Memory):
            storage.append(ctypes.c_uint64(int(argument.pointer)))
        elif isinstance(argument, bytes):
            storage.append(ctypes.create_string_buffer(argument, len(argument)))
        else:
            storage.append(argument)
    pointers = (ctypes.c_void_p * max(len(storage), 1))(*[ctypes.addressof(each) for each in storage])
    good(driver.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared, 0, ctypes.addressof(pointers), 0))
    good(driver.cuCtxSynchronize())


def pattern(count: int, seed: int = 1) -> np.ndarray[Any, Any]:
    """Return numbers without a visible order, the same everywhere."""
    numbers = (np.arange(count, dtype=np.uint64) + np.uint64(seed * 7919)) * np.uint64(0x9E3779B97F4A7C15)
    return (numbers >> np.uint64(32)).astype(np.uint32)


def int_(value: int) -> Any:
    """Return an argument of type int."""
    return ctypes.c_int(value)


def barriers() -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Barriers, elections, clusters, stored matrices."""
    loaded = module((FOLDER / "barriers.cu").read_text())
    out = Memory(np.zeros(64, np.uint32))
    launch(kernel(loaded, "phases"), 1, 1, [out])
    yield "phases", out.read()
    out = Memory(np.zeros(128, np.uint32))
    launch(kernel(loaded, "pipeline"), 1, 128, [out, int_(9)])
    yield "pipeline", out.read()
    out = Memory(np.zeros(256, np.uint32))
    launch(kernel(loaded, "elections"), 1, 64, [out])
    yield "elections", out.read()
    out, data = Memory(np.zeros(8 * 32 * 16, np.uint32)), Memory(np.arange(64, dtype=np.uint32) + 9000)
    launch(kernel(loaded, "neighbours"), 8, 32, [out, data])
    yield "neighbours", out.read()
    out = Memory(np.zeros(6 * 256, np.uint16))
    launch(kernel(loaded, "store_matrices"), 1, 32, [out])
    yield "store_matrices", out.read()


def functions() -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """The functions of CCCL's <cuda/ptx>; INCLUDE has the folders of its headers."""
    loaded = module((FOLDER / "cuda_ptx.cu").read_text())
    data, target, sums = (Memory(np.arange(64, dtype=np.int32) * factor) for factor in (3, 5, 7))
    launch(kernel(loaded, "rows"), 1, 32, [data, target, sums])
    yield "rows", np.concatenate((target.read(), sums.read()))
    for height in (0, 5):
        tensor, changed, out = Memory(pattern(800, 3)), Memory(np.zeros(128, np.uint8)), Memory(np.zeros(64, np.uint32))
        status, tensor_map = maps.FUNCTIONS.encode(int(tensor.pointer))
        assert status == 0
        launch(kernel(loaded, "boxes"), 1, 32, [tensor_map, changed, out, int_(height)])
        yield f"boxes {height}", np.concatenate((out.read(), tensor.read()))
    out = Memory(np.zeros(128, np.int32))
    launch(kernel(loaded, "clusters"), 2, 32, [out])
    yield "clusters", out.read()
    out = Memory(np.zeros(32 * 8, np.uint32))
    launch(kernel(loaded, "registers"), 1, 32, [out])
    yield "registers", out.read()


def _numbers(kind: str, count: int, seed: int) -> np.ndarray[Any, Any]:
    bits = pattern(2 * count, seed)
    small = (bits[:count] % 512).astype(np.int64) - 256
    if kind in ("f32", "f64", "f16"):
        return (small * 0.125).astype({"f32": np.float32, "f64": np.float64, "f16": np.float16}[kind])
    if kind == "bf16":
        return ((small % 64).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if kind in ("u64", "s64", "b64"):
        return bits.view(np.uint64)[:count].copy()
    return bits[:count] % 1000 if kind == "u32" else bits[:count]


def copies() -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Copies and reductions of rows of bytes."""
    loaded = module((FOLDER / "copies.cu").read_text())
    for bytes_, shift in ((16, 0), (1024, 48), (4080, 16)):
        data, target, done = (
            Memory(pattern(1024).view(np.uint8)),
            Memory(np.zeros(4096, np.uint8)),
            Memory(np.zeros(1, np.uint32)),
        )
        launch(kernel(loaded, "there_and_back"), 1, 64, [data, target, int_(bytes_), int_(shift), done], 8192)
        yield f"there_and_back {bytes_}", np.concatenate((target.read(), done.read().view(np.uint8)))
    names = (
        "and_b32 or_b64 xor_b32 add_u32 add_s32 add_u64 inc_u32 dec_u32 min_u32 max_s32 min_s64 max_u64 add_f32 add_f64 "
        "add_f16 min_f16 add_bf16 max_bf16"
    )
    for name in names.split():
        kind = name.partition("_")[2]
        first, second = _numbers(kind, 16, 3), _numbers(kind, 16, 4)
        data, target = Memory(first), Memory(second)
        launch(kernel(loaded, f"reduce_{name}"), 1, 32, [data, target, int_(first.nbytes)])
        yield f"reduce {name}", target.read()
    for name in ("add_u32", "max_s32", "and_b32"):
        data, target = Memory(pattern(64, 5)), Memory(pattern(64, 6))
        launch(kernel(loaded, f"cluster_{name}"), 2, 32, [data, target, int_(128)])
        yield f"cluster {name}", target.read()


def tensors() -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Boxes of tensors."""
    loaded = module((FOLDER / "tensors.cu").read_text())
    yield from _resumed(
        [*_loads(loaded, maps.LOADS), *_stores(loaded, maps.STORES), ("multicast", lambda: _multicast(loaded))]
    )


def refused() -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Stores and reductions that a GPU may refuse."""
    yield from _resumed(list(_stores(module((FOLDER / "tensors.cu").read_text()), maps.REFUSED)))


def replaced() -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Boxes of tensors whose maps a kernel has changed."""
    loaded = module((FOLDER / "replaced.cu").read_text())
    yield from _resumed(
        [
            (f"{change.kernel} {change.at} {place}", functools.partial(_replaced, loaded, change, place == "in place"))
            for change in maps.CHANGES
            for place in ("shared", "in place")
        ]
    )


def _replaced(loaded: Any, change: maps.Change, in_place: bool) -> np.ndarray[Any, Any]:
    words = pattern(1 << 14, 2)
    words[::3] &= 0x807FFFFF  # denormal numbers
    data, room = Memory(words), 2048
    status, tensor_map = change.given.encode(int(data.pointer))
    assert status == 0, change
    value = change.value + int(data.pointer) if change.kernel == "address" else change.value
    out, changed = Memory(np.zeros(room + 1, np.uint8)), Memory(np.zeros(128, np.uint8))
    arguments = [tensor_map, changed, out, int_(room), int_(change.bytes), ctypes.c_uint64(value), int_(in_place)]
    launch(kernel(loaded, change.kernel), 1, 32, [*arguments, *_five(change.at)[:3]], room)
    return out.read()


def _resumed(copies: list[tuple[str, _Copy]]) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Make copies from the one on that START names: a copy that a GPU refuses ends the process."""
    for number, (name, copy) in enumerate(copies):
        if number >= int(os.environ.get("START", "0")):
            print(number, name, flush=True)
            yield name, copy()


def _loads(loaded: Any, cases: tuple[maps.Map, ...]) -> Iterator[tuple[str, _Copy]]:
    data = Memory(pattern(1 << 16, 2))
    for case in cases:
        status, tensor_map = case.encode(int(data.pointer))
        assert status == 0, case
        for at in case.coordinates:
            yield f"{case.name} at {at}", functools.partial(load_box, loaded, case, tensor_map, at)


def load_box(loaded: Any, case: maps.Map, tensor_map: bytes, at: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return shared memory after a copy, and 1 behind it if its barrier completed."""
    room = case.room
    out = Memory(np.zeros(room + 1, np.uint8))
    offsets = [ctypes.c_short(each) for each in (*case.offsets, 0, 0, 0)[:3]]
    arguments = [tensor_map, out, int_(room), int_(case.size), *_five(at), *offsets]
    name = f"{'im2col' if case.corners else 'load'}_{case.rank}d"
    launch(kernel(loaded, name, room), 1, 32, arguments, room)
    return out.read()


def _five(at: tuple[int, ...]) -> list[Any]:
    return [int_(each) for each in (*at, 0, 0, 0, 0)[:5]]


def _stores(loaded: Any, cases: tuple[maps.Map, ...]) -> Iterator[tuple[str, _Copy]]:
    for case in cases:
        for form in case.forms:
            yield f"{case.name} {form}", functools.partial(_store, loaded, case, form)


def _store(loaded: Any, case: maps.Map, form: str) -> np.ndarray[Any, Any]:
    target, source = (Memory(_elements(case.kind, *sizes)) for sizes in ((1 << 12, 8), (1 << 11, 9)))
    status, tensor_map = case.encode(int(target.pointer))
    assert status == 0, case
    for at in case.coordinates:
        launch(kernel(loaded, form), 1, 32, [tensor_map, source, int_(case.size), *_five(at)], 8192)
    return target.read()


def _elements(kind: str, words: int, seed: int) -> np.ndarray[Any, Any]:
    """Return elements in a number of words; floating ones are numbers without NaNs."""
    short = {"FLOAT16": "f16", "BFLOAT16": "bf16", "FLOAT64": "f64"}.get(kind, "f32" if "FLOAT" in kind else "")
    if not short:
        return pattern(words, seed)
    return _numbers(short, words * 4 // {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}[short], seed)


def _multicast(loaded: Any) -> np.ndarray[Any, Any]:
    case, data = maps.MULTICAST, Memory(pattern(1 << 16, 2))
    status, tensor_map = case.encode(int(data.pointer))
    assert status == 0, case
    out = Memory(np.zeros(2 * (2 * case.size + 1), np.uint8))
    arguments = [tensor_map, out, int_(2 * case.size), int_(case.size), int_(4), int_(2)]
    launch(kernel(loaded, "multicast"), 2, 32, arguments, 2 * case.size)
    return out.read()


def _image(kind: str) -> np.ndarray[Any, Any]:
    numbers = pattern(40960, 11)
    if kind in ("s8", "u8", "b1"):
        return (numbers & 0xFF).astype(np.uint8)
    if kind in ("e4m3", "e5m2"):  # small numbers of either sign
        return np.where(numbers & 0x80, 0x80, 0).astype(np.uint8) | (0x30 + numbers % 16 & 0x7F).astype(np.uint8)
    small = (numbers % 17).astype(np.float32) * np.float32(0.25) - np.float32(2)
    if kind == "tf32":
        return small[:10240].view(np.uint8)
    if kind == "bf16":
        return (small[:20480].view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
    return small[:20480].astype(np.float16).view(np.uint8)


def products() -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Products of matrices of a warpgroup."""
    for number, product in list(enumerate(warpgroup.PRODUCTS))[:: int(EVERY or 1)]:
        loaded = module(warpgroup.source(product), number)
        image, out = Memory(_image(product.types[1])), Memory(np.zeros(128 * product.sums, np.uint32))
        launch(kernel(loaded, "product"), 1, 128, [image, out], 40960)
        yield product.name, out.read()


def errors() -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """The status of each wrong argument of the functions that make tensor maps."""
    memory = Memory(np.zeros(1 << 16, np.uint8))
    names, statuses = [], []
    for name, case, offset in maps.wrong_cases():
        status, _ = case.encode(int(memory.pointer) + offset)
        names.append(name)
        statuses.append(status)
    for name, address in (
        ("replace", int(memory.pointer) + 16),
        ("replace odd", int(memory.pointer) + 1),
        ("replace null", 0),
    ):
        names.append(name)
        statuses.append(maps.replace(maps.MULTICAST, int(memory.pointer), address))
    yield "names", np.array(names)
    yield "statuses", np.array(statuses, np.int32)


def attributes() -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """The device's attributes, by name."""
    names, values = [], []
    for attribute in driver.CUdevice_attribute:
        status, value = driver.cuDeviceGetAttribute(attribute, 0)
        if int(status) == 0:
            names.append(attribute.name)
            values.append(int(value))
    yield "names", np.array(names)
    yield "values", np.array(values, np.int64)


GROUPS: dict[str, Callable[[], Iterator[tuple[str, np.ndarray[Any, Any]]]]] = {
    each.__name__: each
    for each in (barriers, functions, copies, tensors, refused, replaced, products, errors, attributes)
}


def main() -> None:
    """Write the arrays of one group."""
    good(driver.cuInit(0))
    device = good(driver.cuDeviceGet(0))
    good(driver.cuCtxSetCurrent(good(driver.cuDevicePrimaryCtxRetain(device))))
    results: dict[str, np.ndarray[Any, Any]] = {}
    try:
        for name, array in GROUPS[sys.argv[1]]():
            assert name not in results, name
            results[name] = array
    finally:
        np.savez_compressed(sys.argv[2], **results)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
