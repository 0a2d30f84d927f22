"""Values that kernels leave in their arrays, from a process for each compiler: kernels may refuse, stop, die, hang.

The compiler is read from the environment once in a process, so a worker serves one. It reads pickled programs from
stdin and answers with the arrays or the failure of each kernel, one by one, so that a crash is known to be the next
kernel's.

    python -m tests.hip_on_host.program_outcomes FOLDER
"""

from __future__ import annotations

import ctypes
import dataclasses
import os
import pickle
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.hip_on_host import hip_program, hiprtc_program

ROOT = Path(__file__).resolve().parents[2]

#: Seconds that a program may take to compile on a busy machine, and one kernel to run.
COMPILING, RUNNING = 120, 40

LENGTH_BYTES = 8  # before each answer

#: The form that hiprtc makes of a kernel, and the whole kernel on fibres, which hardly any optimisation has touched.
DEFAULT = ("--fmad=false",)
FIBRES = ("--fmad=false", "--cuda-shim-split=0", "-O0")

Arrays = list[npt.NDArray[Any]]


@dataclasses.dataclass(frozen=True)
class Launch:
    """The start of a kernel: arrays go to device memory and come back, scalars and bytes are passed by value."""

    name: str
    arguments: tuple[Any, ...]
    grid: tuple[int, int, int] = (1, 1, 1)
    block: tuple[int, int, int] = (64, 1, 1)
    shared: int = 0
    #: The tolerance of floating-point results: vectorised functions are not the same to the last bit.
    rtol: float = 0.0
    atol: float = 0.0


@dataclasses.dataclass(frozen=True)
class Program:
    """A source with its options, and how to start each of its kernels."""

    source: str
    launches: tuple[Launch, ...]
    options: tuple[str, ...] = ()


class Runner:
    """Runs programs with one compiler, "" for the default one, in a process that is started again when it died."""

    def __init__(self, folder: Path, compiler: str = "") -> None:
        self.compiler = compiler
        self._command = [sys.executable, "-m", "tests.hip_on_host.program_outcomes", str(folder)]
        self._environment = {**os.environ, **({"CUDA_SHIM_CPU_CXX": compiler} if compiler else {})}
        self._process: subprocess.Popen[bytes] | None = None

    def outcomes(self, program: Program, options: Sequence[str] = ()) -> dict[str, Arrays | str]:
        """Return, by kernel, its arrays after the launch, or its failure: "refused: …", "stops", "dies", "hangs"."""
        found: dict[str, Arrays | str] = {}
        options = (*program.options, *options)
        while missing := tuple(launch for launch in program.launches if launch.name not in found):
            found |= self._some(dataclasses.replace(program, launches=missing, options=options))
        return found

    def _some(self, program: Program) -> dict[str, Arrays | str]:
        """Return the outcomes up to the kernel that ends the process, or of all kernels if compiling ends it."""
        process = self._started()
        assert process.stdin
        assert process.stdout
        pickle.dump(program, process.stdin)
        process.stdin.flush()
        found: dict[str, Arrays | str] = {}
        for number in range(len(program.launches) + 1):  # the first answer says that it is compiled
            lost = ""
            said = None
            if not select.select([process.stdout], [], [], RUNNING if number else COMPILING)[0]:
                lost = "hangs" if number else "hangs when it is compiled"
            elif (said := self._message(process.stdout.fileno())) is None:
                lost = f"dies ({process.wait()})" if number else "dies when it is compiled"
            if lost:
                self.close()
                without = program.launches[number - 1 : number] if number else program.launches
                return found | {launch.name: lost for launch in without}
            if number and said:
                found[said[0]] = said[1]
        return found

    @staticmethod
    def _message(stream: int) -> Any:
        """The next answer, read to its end and no further, so that select() knows of the one after it; None at the end."""
        data, size = b"", LENGTH_BYTES
        while len(data) < size:
            part = os.read(stream, size - len(data))
            if not part:
                return None
            data += part
            if len(data) == size == LENGTH_BYTES:
                size += int.from_bytes(data, "little")
        return pickle.loads(data[LENGTH_BYTES:])

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, env=self._environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
        return self._process

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def differences(program: Program, found: dict[str, Arrays | str], expected: dict[str, Arrays | str]) -> dict[str, str]:
    """Return, by kernel, the differences of its outcome from the expected one, or the reason that it has none."""
    wrong = {}
    for launch in program.launches:
        outcome, reference = found[launch.name], expected[launch.name]
        if isinstance(outcome, str):
            wrong[launch.name] = outcome
        elif isinstance(reference, str):
            wrong[launch.name] = f"thread by thread: {reference}"
        elif not all(_alike(one, other, launch) for one, other in zip(outcome, reference, strict=True)):
            wrong[launch.name] = "differs"
    return wrong


def _alike(one: npt.NDArray[Any], other: npt.NDArray[Any], launch: Launch) -> bool:
    if one.tobytes() == other.tobytes():
        return True
    loose = (launch.rtol or launch.atol) and one.dtype.kind in "fc"
    return bool(loose and np.allclose(one, other, rtol=2 * launch.rtol, atol=2 * launch.atol, equal_nan=True))


def answer(kernels: hiprtc_program.Kernels, program: Program) -> Iterator[tuple[str, Arrays | str]]:
    """Yields "" when the program is compiled, then each kernel's name and outcome."""
    try:
        compiled = kernels.compile(program.source, *program.options)
        module = hiprtc_program.Module(kernels.hip, compiled)
    except hiprtc_program.CompileError as error:
        said = [line for line in error.log.splitlines() if "error" in line]
        reason = "refused: " + (said or error.log.splitlines() or [error.status])[0]
        yield "", "compiled"
        yield from ((launch.name, reason) for launch in program.launches)
        return
    except AssertionError as error:
        yield "", "compiled"
        yield from ((launch.name, f"refused: the module is not loaded: {error}") for launch in program.launches)
        return
    yield "", "compiled"
    for launch in program.launches:
        arguments = [_argument(one) for one in launch.arguments]
        try:
            module.launch(launch.name, launch.grid, launch.block, *arguments, shared=launch.shared)
        except AssertionError as error:
            yield launch.name, f"stops: {error}"
            hiprtc_program.value(kernels.hip.hipDeviceReset())
            module = hiprtc_program.Module(kernels.hip, compiled)
        else:
            yield launch.name, [one for one in arguments if isinstance(one, np.ndarray)]


def _argument(given: Any) -> Any:
    """A copy of an array, or the bytes of a value in memory."""
    if isinstance(given, np.ndarray):
        return given.copy()
    data = given if isinstance(given, bytes) else given.tobytes()
    return (ctypes.c_char * max(len(data), 1)).from_buffer_copy(data)


def main(folder: str) -> None:
    """Answer the programs on stdin."""
    kernels = hiprtc_program.Kernels(hip_program.load(folder), hiprtc_program.load(folder))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # kernels print too
    while True:
        try:
            program = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        for named in answer(kernels, program):
            data = pickle.dumps(named)
            answers.write(len(data).to_bytes(LENGTH_BYTES, "little") + data)
            answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
