"""Records an NVIDIA GPU's results of the kernels in hidden_meanings and of mutants, for the tests to compare with.

Here, where Clang is: `python -m tests.hip_on_host.record_gpu --prepare 300` writes recorded/mutants.json.gz, with at
least that many mutants and their launches. There, with NVIDIA's own CUDA Python: `python -m
tests.hip_on_host.record_gpu FOLDER` runs all of them and writes gpu.npz, a sample of every array after its launch, and
gpu.json, the machine and the failures; both belong into recorded/.
"""

from __future__ import annotations

import argparse
import base64
import ctypes
import dataclasses
import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.hip_on_host import hidden_meanings
from tests.hip_on_host.program_outcomes import Arrays, Launch, Program

FOLDER = Path(__file__).resolve().parent / "recorded"
MUTANTS = FOLDER / "mutants.json.gz"
RESULTS = FOLDER / "gpu.npz"
MOST = 256  # elements that are kept of an array


def mutants() -> dict[str, tuple[Program, Program]]:
    """The prepared mutants by the name of their seed: the program as it was, and mutated."""
    if not MUTANTS.exists():
        return {}
    with gzip.open(MUTANTS, "rt", encoding="utf-8") as file:
        found = json.load(file)
    return {name: (from_json(original), from_json(mutated)) for name, (original, mutated) in found.items()}


def to_json(program: Program) -> dict[str, Any]:
    """A program with its launches as values of JSON."""
    launches = [
        {**dataclasses.asdict(launch), "arguments": [_argument_to_json(one) for one in launch.arguments]}
        for launch in program.launches
    ]
    return {"source": program.source, "options": program.options, "launches": launches}


def from_json(values: dict[str, Any]) -> Program:
    """Return the program that `to_json` wrote."""
    launches = []
    for launch in values["launches"]:
        arguments = tuple(_argument_from_json(one) for one in launch["arguments"])
        launches.append(
            Launch(**{**launch, "arguments": arguments, "grid": tuple(launch["grid"]), "block": tuple(launch["block"])})
        )
    return Program(values["source"], tuple(launches), tuple(values["options"]))


def _argument_to_json(argument: Any) -> dict[str, Any]:
    if isinstance(argument, bytes):
        return {"bytes": base64.b64encode(argument).decode()}
    kind = "array" if isinstance(argument, np.ndarray) else "scalar"
    data = base64.b64encode(argument.tobytes()).decode()
    return {kind: data, "dtype": argument.dtype.str, "shape": argument.shape}


def _argument_from_json(values: dict[str, Any]) -> Any:
    if "bytes" in values:
        return base64.b64decode(values["bytes"])
    data = base64.b64decode(values.get("array", values.get("scalar", "")))
    array = np.frombuffer(data, values["dtype"]).reshape(values["shape"]).copy()
    return array if "array" in values else array[()]


def programs() -> Iterator[tuple[str, Program]]:
    """Everything that is recorded, by a name."""
    for name, file in hidden_meanings.files().items():
        yield f"hidden_meanings/{name}", file.program(file.kernels)
    for name, (_, mutated) in mutants().items():
        yield name, mutated


def sampled(name: str, kernel: str, arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    """Elements of a kernel's arrays, evenly spread, by the names under which they are recorded."""
    found = {}
    for place, array in enumerate(arrays):
        flat = array.reshape(-1)
        found[f"{name}/{kernel}/{place}"] = flat[:: max(1, -(-flat.size // MOST))].copy()
    return found


def differing(name: str, program: Program, outcomes: dict[str, Arrays | str]) -> list[str]:
    """Return the kernels whose arrays differ from the recorded ones; none where nothing is recorded."""
    if not RESULTS.exists():
        return []
    wrong = []
    with np.load(RESULTS) as recorded:
        for launch in program.launches:
            arrays = outcomes[launch.name]
            own = {} if isinstance(arrays, str) else sampled(name, launch.name, arrays)
            if not all(_alike(value, recorded[key], launch) for key, value in own.items() if key in recorded):
                wrong.append(launch.name)
    return wrong


def recorded_kernels(folder: str) -> set[str]:
    """The kernels of a folder that are recorded, as FILE/KERNEL."""
    with np.load(RESULTS) as recorded:
        found = (name.split("/") for name in recorded)
        return {"/".join(parts[1:3]) for parts in found if parts[0] == folder}


def _alike(own: npt.NDArray[Any], gpu: npt.NDArray[Any], launch: Launch) -> bool:
    if own.dtype.kind not in "fc":
        return own.tobytes() == gpu.tobytes()
    # A GPU's functions are not the host's to the last bit.
    return bool(np.allclose(own, gpu, rtol=max(2 * launch.rtol, 1e-5), atol=max(2 * launch.atol, 1e-6), equal_nan=True))


def prepare(count: int) -> None:
    """Write programs of at least `count` mutants."""
    from tests.hip_on_host.fuzz_mutants import mutant

    found, total, seed = {}, 0, 0
    while total < count:
        made = mutant(seed)
        found[f"mutants/{seed}"] = (to_json(made.original), to_json(made.program))
        total += len(made.program.launches)
        seed += 1
    FOLDER.mkdir(exist_ok=True)
    with gzip.GzipFile(MUTANTS, "wb", mtime=0) as file:
        file.write(json.dumps(found).encode())
    print(f"{total} mutants of seeds 0 to {seed - 1}: {MUTANTS.stat().st_size} bytes")


class Gpu:
    """The first GPU, by NVIDIA's CUDA Python."""

    def __init__(self) -> None:
        from cuda.bindings import driver, nvrtc

        if hasattr(nvrtc, "HIP_PYTHON"):
            raise SystemExit(
                "this is cuda_shim or HIP Python: what is recorded must come from NVIDIA's own CUDA Python"
            )
        self.driver, self.nvrtc = driver, nvrtc
        self.call(driver.cuInit(0))
        self.device = self.call(driver.cuDeviceGet(0))
        self.call(driver.cuCtxSetCurrent(self.call(driver.cuDevicePrimaryCtxRetain(self.device))))
        attribute = driver.CUdevice_attribute
        parts = (attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)  # fmt: skip
        self.architecture = "".join(str(self.call(driver.cuDeviceGetAttribute(part, self.device))) for part in parts)
        self.name = self.call(driver.cuDeviceGetName(128, self.device)).partition(b"\0")[0].decode()

    @staticmethod
    def call(result: tuple[Any, ...]) -> Any:
        """Return the outputs of a call, without its status."""
        if int(result[0]) != 0:
            raise RuntimeError(repr(result[0]))
        return result[1] if len(result) == 2 else result[1:]

    def run(self, program: Program) -> dict[str, Arrays]:
        """Compile a program and launch its kernels. Raises RuntimeError with NVRTC's log."""
        image = self._compiled(program)
        module = self.call(self.driver.cuModuleLoadData(image))
        found = {launch.name: self._launched(module, launch) for launch in program.launches}
        self.call(self.driver.cuModuleUnload(module))
        return found

    def _compiled(self, program: Program) -> bytes:
        nvrtc = self.nvrtc
        made = self.call(nvrtc.nvrtcCreateProgram(program.source.encode(), b"program.cu", 0, [], []))
        # The assembler's optimiser changes the results of a few of these kernels (13.0: unsigned counters that wrap,
        # and votes behind branches, mutated or not); without it they equal the results of their threads one by one.
        exact = ("--fmad=false", "--ptxas-options=-O0")
        options = [f"--gpu-architecture=sm_{self.architecture}", *exact, *hidden_meanings.NVRTC_OPTIONS]
        (status,) = nvrtc.nvrtcCompileProgram(made, len(options), [option.encode() for option in options])
        if int(status) != 0:
            log = b" " * self.call(nvrtc.nvrtcGetProgramLogSize(made))
            self.call(nvrtc.nvrtcGetProgramLog(made, log))
            raise RuntimeError(log.decode(errors="replace"))
        image = b" " * self.call(nvrtc.nvrtcGetCUBINSize(made))
        self.call(nvrtc.nvrtcGetCUBIN(made, image))
        return image

    def _launched(self, module: Any, launch: Launch) -> Arrays:
        driver, arrays = self.driver, []
        values: list[Any] = []
        for argument in launch.arguments:
            if isinstance(argument, np.ndarray):
                pointer = self.call(driver.cuMemAlloc(max(argument.nbytes, 1)))
                self.call(driver.cuMemcpyHtoD(pointer, argument.ctypes.data, argument.nbytes))
                arrays.append((pointer, np.empty_like(argument)))
                values.append(ctypes.c_void_p(int(pointer)))
            else:
                data = argument if isinstance(argument, bytes) else argument.tobytes()
                values.append((ctypes.c_char * max(len(data), 1)).from_buffer_copy(data))
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        function = self.call(driver.cuModuleGetFunction(module, launch.name.encode()))
        self.call(
            driver.cuLaunchKernel(
                function, *launch.grid, *launch.block, launch.shared, 0, ctypes.addressof(pointers), 0
            )
        )
        self.call(driver.cuCtxSynchronize())
        for pointer, array in arrays:
            self.call(driver.cuMemcpyDtoH(array.ctypes.data, pointer, array.nbytes))
            self.call(driver.cuMemFree(pointer))
        return [array for _, array in arrays]


def record(folder: Path) -> int:
    """Run everything, each program in a process of its own, since a fault stays; returns how many failed."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    failed = {}
    with tempfile.TemporaryDirectory() as scratch:
        for number, (name, program) in enumerate(programs()):
            place = Path(scratch) / f"{number}.npz"
            command = [sys.executable, "-m", "tests.hip_on_host.record_gpu", "--only", name, str(place)]
            done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
            if done.returncode or not place.exists():
                failed[name] = done.stderr.strip().rpartition("\n")[2]
                print(f"{name}: FAILED: {done.stderr[-300:]}", file=sys.stderr, flush=True)
                continue
            with np.load(place) as left:
                arrays.update(left)
            print(f"{name}: {len(program.launches)} recorded", flush=True)
    gpu = Gpu()
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / RESULTS.name, **arrays)  # type: ignore[arg-type]  # no array is called allow_pickle
    machine = {"device": gpu.name, "compute capability": gpu.architecture, "nvrtc": list(gpu.call(gpu.nvrtc.nvrtcVersion())), "failed": failed}  # fmt: skip
    (folder / "gpu.json").write_text(json.dumps(machine, indent=2) + "\n", encoding="utf-8")
    print(f"{len(arrays)} arrays recorded, {len(failed)} programs failed")
    return len(failed)


def record_one(name: str, place: Path) -> None:
    """Run one program. Raises RuntimeError where it fails."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for kernel, left in Gpu().run(dict(programs())[name]).items():
        arrays.update(sampled(name, kernel, left))
    np.savez(place, **arrays)  # type: ignore[arg-type]  # no array is called allow_pickle


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prepare", type=int, metavar="COUNT", help="write mutants; needs Clang and no GPU")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="where the recorded arrays go")
    parser.add_argument("--only", metavar="NAME", help="one program; FOLDER is the file for its arrays then")
    given = parser.parse_args()
    if given.only:
        record_one(given.only, given.folder)
        return 0
    if given.prepare:
        prepare(given.prepare)
        return 0
    return 1 if record(given.folder) else 0


if __name__ == "__main__":
    sys.exit(main())
