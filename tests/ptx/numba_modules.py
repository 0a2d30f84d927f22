"""Runs kernels of Numba, which numba_kernels has, from PTX that its compiler made.

Where numba-cuda is, their PTX is written; no GPU is needed:

    python -m tests.ptx.numba_modules write tests/ptx/numba_modules.json.gz

On an NVIDIA GPU, with NVIDIA's own CUDA Python, from the checkout's root, their results are recorded:

    python -m tests.ptx.numba_modules record tests/ptx/recorded_numba.npz

With the shim in its place they are compared:

    python -m cuda_shim run --backend cpu tests/ptx/numba_modules.py compare tests/ptx/recorded_numba.npz

Behind the file may stand `plain` (every function is a dispatch loop), `once` (kernels without their variants), 1/3
(every third kernel, from the second on) and beginnings of names. `record FILE here` records on any device.
"""

from __future__ import annotations

import concurrent.futures
import ctypes
import functools
import gzip
import json
import os
import re
import sys
import traceback
import types
import unittest.mock
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.recfunctions import repack_fields

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.ptx.numba_kernels import Case, cases
from tests.ptx.numba_kernels.base import flattened

FILE = Path(__file__).with_suffix(".json.gz")
MOST = 512
_UNROUNDED = re.compile(r"\t(add|sub|mul)((?:\.ftz)?\.f(?:32|64))\b")


def ok(result: tuple[Any, ...]) -> Any:
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def write(file: str) -> int:
    """Write each kernel's PTX, with the compiler's versions."""
    from importlib.metadata import version

    modules: dict[str, str] = {}
    refused: dict[str, Exception] = {}
    for name, case in cases().items():
        try:
            modules[name] = written(case)
        except Exception as error:  # noqa: BLE001 - after any error, the other kernels are compiled too
            refused[name] = error
    for name, reason in refused.items():
        print(f"{name}: {type(reason).__name__}: {reason}", file=sys.stderr)
    versions = {package: version(package) for package in ("numba", "numba-cuda", "nvidia-cuda-nvcc-cu12")}
    text = json.dumps({"versions": versions, "modules": modules}, indent=0)
    # Without the time, so that the same modules are the same bytes.
    Path(file).write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(modules)} modules are written, {len(refused)} do not compile")
    return 1 if refused else 0


def written(case: Case) -> str:
    """Compile a kernel as Numba does. Raises AssertionError where its tolerance does not fit its instructions."""
    import numba
    from numba import cuda
    from numba.cuda import dispatcher

    # The parts of a device that Numba asks for while it compiles the functions that a kernel calls.
    device = types.SimpleNamespace(compute_capability=case.cc)
    arguments = [numba.typeof(argument) for argument in case.run()[0]]
    # Debug information has the place of a file, which would be another one in each checkout.
    code = case.function.__code__
    function = types.FunctionType(
        code.replace(co_filename=f"/{Path(code.co_filename).name}"), case.function.__globals__
    )
    function.__module__ = case.function.__module__
    with unittest.mock.patch.object(dispatcher, "get_current_device", return_value=device):
        text, _ = cuda.compile_ptx(function, numba.types.void(*arguments), cc=case.cc, **case.options)
    approximate = ".approx" in text or ".full" in text
    assert bool(case.why) == (case.rtol > 0) == approximate, f"{case.name}: is it approximate? {approximate}"
    return text


class Device:
    """The first device with its primary context."""

    def __init__(self) -> None:
        from cuda.bindings import driver

        self.driver = driver
        ok(driver.cuInit(0))
        self._device = ok(driver.cuDeviceGet(0))
        self._context = ok(driver.cuDevicePrimaryCtxRetain(self._device))
        self.enter()
        self.name = ok(driver.cuDeviceGetName(128, self._device)).partition(b"\0")[0].decode()
        self.version = ok(driver.cuDriverGetVersion())

    def enter(self) -> None:
        ok(self.driver.cuCtxSetCurrent(self._context))

    def load(self, text: str) -> Any:
        """Load a module. Raises AssertionError with the compiler's log where it is refused."""
        self.enter()
        option = self.driver.CUjit_option
        options = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        log = bytearray(8192)
        result = self.driver.cuModuleLoadDataEx(text.encode() + b"\0", 2, options, [log, len(log)])
        assert int(result[0]) == 0, f"{result[0]!r}: {log.rstrip(bytes(1)).decode(errors='replace')}"
        return result[1]

    def launch(self, case: Case, module: Any, text: str) -> list[np.ndarray]:
        """Return the arrays and records among the arguments as they are after a launch."""
        driver = self.driver
        function = ok(driver.cuModuleGetFunction(module, entry(text).encode()))
        values: list[Any] = []
        buffers: list[tuple[Any, np.ndarray]] = []
        for value in (part for argument in case.run()[0] for part in flattened(argument)):
            if isinstance(value, (np.ndarray, np.void)):
                base = _owner(value)
                start = ok(driver.cuMemAlloc(max(base.nbytes, 1)))
                ok(driver.cuMemcpyHtoD(start, base.ctypes.data, base.nbytes))
                buffers.append((start, base))
                skipped = value.ctypes.data - base.ctypes.data if isinstance(value, np.ndarray) else 0
                values.append(ctypes.c_void_p(int(start) + skipped))
            else:
                values.append((ctypes.c_char * value.nbytes).from_buffer_copy(value.tobytes()))
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        sizes = (*_three(case.grid), *_three(case.block), case.shared)
        ok(driver.cuLaunchKernel(function, *sizes, 0, ctypes.addressof(pointers), 0))
        ok(driver.cuCtxSynchronize())
        outputs = []
        for start, base in buffers:
            output = np.empty_like(base)
            ok(driver.cuMemcpyDtoH(output.ctypes.data, start, output.nbytes))
            ok(driver.cuMemFree(start))
            outputs.append(output)
        ok(driver.cuModuleUnload(module))
        return outputs


def entry(text: str) -> str:
    """Return the name of a module's kernel."""
    _, _, rest = text.partition(".visible .entry ")
    return rest.partition("(")[0].strip()


def _owner(value: Any) -> np.ndarray:
    """Return the array whose memory a view shows: the elements that the view skips are on the device too."""
    return value.base if isinstance(value, np.ndarray) and value.base is not None else np.asarray(value)


def _three(sizes: int | tuple[int, ...]) -> tuple[int, ...]:
    return (*((sizes,) if isinstance(sizes, int) else sizes), 1, 1)[:3]


def verify(case: Case, results: list[np.ndarray]) -> None:
    """Compare with the results expected on the host; raise AssertionError that lists the differences."""
    arguments, expected_values = case.run()
    places = [place for place, argument in enumerate(arguments) if isinstance(argument, (np.ndarray, np.void))]
    for place, values in expected_values.items():
        value, expected = results[places.index(place)], np.asarray(values)
        if value.dtype.kind in "VM":
            np.testing.assert_array_equal(value, expected, f"argument {place}")
        else:
            np.testing.assert_allclose(
                value, expected.astype(value.dtype), case.near, case.near, err_msg=f"argument {place}"
            )


def sampled(case: Case, results: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Return, of each array that was changed, some of its values, and a sum of all where bits are compared."""
    initial = [_owner(argument) for argument in case.run()[0] if isinstance(argument, (np.ndarray, np.void))]
    some: dict[str, np.ndarray] = {}
    for place, (old, new) in enumerate(zip(initial, results, strict=True)):
        if old.tobytes() != new.tobytes():
            flat = _canonical(new.reshape(-1))
            some[f"{case.name}/{place}"] = flat[:: max(1, -(-flat.size // MOST))].copy()
            if not case.rtol and flat.size > MOST:
                some[f"{case.name}/{place}/sum"] = np.array([zlib.crc32(flat.tobytes())], np.uint32)
    return some


def _canonical(values: np.ndarray) -> np.ndarray:
    """Return values with NaNs as one, whose payloads are not compared, and records without the bytes between fields."""
    if values.dtype.kind == "V":
        return repack_fields(values)
    if values.dtype.kind == "c":
        return _canonical(values.view(f"f{values.itemsize // 2}")).view(values.dtype)
    return np.where(np.isnan(values), values.dtype.type(np.nan), values) if values.dtype.kind == "f" else values


def kept(file: Path) -> dict[str, dict[str, str]]:
    """Return the contents of the written file: the compiler's versions and the modules, by name."""
    return json.loads(gzip.decompress(file.read_bytes()))


def texts() -> dict[str, str]:
    """Return the texts to launch, by name; products and sums that PTX allows to fuse are given an explicit rounding.

    PTX leaves it to the assembler where an instruction has no rounding, and NVIDIA's does fuse the pairs that NVVM left
    apart.
    """
    modules = kept(FILE)["modules"]
    return {name: _rounded(text) for name, text in modules.items()}


def _rounded(text: str) -> str:
    names = {match[1] for match in _UNROUNDED.finditer(text)}
    return _UNROUNDED.sub(r"\t\1.rn\2", text) if "mul" in names and names & {"add", "sub"} else text


def chosen(words: tuple[str, ...]) -> list[Case]:
    """Return the launches that words on the command line leave."""
    selected = list(cases().values())
    beginnings = tuple(word for word in words if word not in ("plain", "once", "here") and "/" not in word)
    if beginnings:
        selected = [case for case in selected if case.name.startswith(beginnings)]
    if "once" in words:
        selected = [case for case in selected if "+" not in case.name]
    for first, _, step in (word.partition("/") for word in words if "/" in word):
        selected = selected[int(first) :: int(step)]
    return selected


def record(file: str, *beginnings: str) -> int:
    """Record the results of a GPU; a kernel that fails is named, and the others go on."""
    from cuda.bindings import driver

    if hasattr(driver, "HIP_PYTHON") and "here" not in beginnings:
        print("this is cuda_shim or HIP Python: what is recorded must come from NVIDIA's own", file=sys.stderr)
        return 2
    arrays: dict[str, np.ndarray] = {}
    failed: list[str] = []
    device, modules = Device(), texts()
    selected = chosen(beginnings)
    for case in selected:
        name = case.name
        try:
            results = device.launch(case, device.load(modules[name]), modules[name])
            verify(case, results)
            changed = sampled(case, results)
            assert changed, "it changed nothing"
            arrays |= changed
        except Exception:  # noqa: BLE001 - after any error, the other kernels are run too
            failed.append(name)
            print(f"{name}: FAILED\n{traceback.format_exc()}", file=sys.stderr)
    machine = {"device": device.name, "driver": device.version, "failed": failed}
    arrays["machine"] = np.array(json.dumps(machine))
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # no array is called allow_pickle
    print(f"{len(selected) - len(failed)} kernels are recorded, {len(failed)} failed: {' '.join(failed)}")
    return 1 if failed else 0


def compare(file: str, *words: str) -> int:
    """Compare with the recorded results; print each difference."""
    device, recorded, wrong = Device(), np.load(file), 0
    selected = chosen(words)
    if "plain" in words:
        from cuda_shim.translate.ptx import writer

        writer.OPTIONS = (*writer.OPTIONS, b"-O0")  # two thirds of the time would be the optimiser's
        writer.translate = functools.partial(writer.translate, plain=True)
    modules = {name: text + "// plain\n" * ("plain" in words) for name, text in texts().items()}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        loaded = {case.name: pool.submit(device.load, modules[case.name]) for case in selected}
        for case in selected:
            try:
                results = device.launch(case, loaded[case.name].result(), modules[case.name])
                differences = list(different(case, sampled(case, results), recorded))
            except Exception as error:  # noqa: BLE001 - after any error, the other kernels are compared too
                differences = [f"{case.name}: {type(error).__name__}: {error}"]
            wrong += bool(differences)
            print("".join(f"{difference}\n" for difference in differences), end="", flush=True)
    print(f"{len(selected)} kernels, {wrong} differ", flush=True)
    return 1 if wrong else 0


def different(case: Case, results: dict[str, np.ndarray], recorded: Any) -> Any:
    """Yield the differences from the recorded results."""
    names = {name for name in recorded.files if name.startswith(f"{case.name}/")}
    if names != set(results) or not names:
        yield f"{case.name}: changed {sorted(results)}, recorded are {sorted(names)}"
    for name in sorted(names & set(results)):
        value, expected = results[name], recorded[name]
        if case.rtol:
            right = np.isclose(value, expected, case.rtol, case.atol, equal_nan=True)
        else:
            kind = f"V{value.itemsize}"
            right = value.view(kind) == expected.view(kind)
        bad = np.nonzero(~right)[0]
        if len(bad):
            yield f"{name}: {value[bad[0]]!r} instead of {expected[bad[0]]!r} at {bad[0]}, {len(bad)} of {len(value)}"


if __name__ == "__main__":
    modes: dict[str, Any] = {"write": write, "record": record, "compare": compare}
    raise SystemExit(modes[sys.argv[1]](*sys.argv[2:]))
