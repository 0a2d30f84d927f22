"""The corpus: CUDA kernels with host checks of their results.

Each module here stands beside a `.cu` file of its name. A function with `@case` makes one launch: arguments, grid and
block, and the expected contents of arguments afterwards, computed by numpy in float64 where sums are long.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parent


@dataclass
class Run:
    """One launch.

    Attributes:
        args: numpy scalars, structured scalars or bytes by value, arrays, which become device memory, and the textures
            and surfaces of images.py, which become objects.
        expected: by the place of an array or a surface among the arguments, its contents after the launch.
        grid, block: up to three sizes.
        shared: bytes of dynamic shared memory.
        rtol, atol: the tolerance of results: atol + rtol * abs(expected).
        globals: values for device variables before the launch, by name.
        expected_globals: values of device variables after the launch, by name.
        check: called with the arrays after the launch where a comparison is not enough.
        comparable: True if the results are the same in every run, so that recorded ones can be compared.
    """

    args: list[Any]
    expected: dict[int, np.ndarray] = field(default_factory=dict)
    grid: int | tuple[int, ...] = 1
    block: int | tuple[int, ...] = 256
    shared: int = 0
    rtol: float = 0.0
    atol: float = 0.0
    globals: Mapping[str, np.ndarray] = field(default_factory=dict)
    expected_globals: Mapping[str, np.ndarray] = field(default_factory=dict)
    check: Callable[[list[Any]], None] | None = None
    comparable: bool = True


@dataclass(frozen=True)
class Case:
    """A kernel of the corpus with its host check.

    Attributes:
        name: unique in the corpus: the module's name and the function's.
        source: the text of its `.cu` file.
        kernel: the kernel's name, or a name expression.
        build: makes the launch; takes a random generator.
        options: NVRTC's options.
        headers: headers that the program brings along, by name.
        toolkit: True if it includes headers of the CUDA toolkit, whose folder real NVRTC needs.
        cooperative: True if it is launched cooperatively.
        cuda: the first layout whose NVRTC takes it.
        newer_rocm: the reason that AMD's compiler of ROCm 5.2 refuses it, "" where it does not.
        no_hardware: AMD's architectures that have no instruction for it.
    """

    name: str
    file: str
    kernel: str
    build: Callable[[np.random.Generator], Run]
    options: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    toolkit: bool = False
    cooperative: bool = False
    cuda: str = "11.8"
    newer_rocm: str = ""
    no_hardware: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        return (FOLDER / self.file).read_text(encoding="utf-8")

    def run(self) -> Run:
        """The launch, the same one each time."""
        return self.build(np.random.default_rng(sum(map(ord, self.name))))


_cases: dict[str, Case] = {}


def case(kernel: str | None = None, **options: Any) -> Callable[[Callable[[np.random.Generator], Run]], Case]:
    """Makes a function a case: of the kernel of its own name, or of the name expression `kernel`."""

    def register(build: Callable[[np.random.Generator], Run]) -> Case:
        module = build.__module__.rpartition(".")[2]
        name = f"{module}.{build.__name__}"
        assert name not in _cases, f"two cases are called {name}"
        _cases[name] = Case(name, f"{module}.cu", kernel or build.__name__, build, **options)
        return _cases[name]

    return register


def cases() -> dict[str, Case]:
    """All cases by name, sorted."""
    for module in pkgutil.iter_modules([str(FOLDER)]):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(_cases.items()))


@dataclass(frozen=True)
class Program:
    """The cases that one compilation serves: one file with the same options and headers."""

    file: str
    source: str
    options: tuple[str, ...]
    headers: Mapping[str, str]
    kernels: tuple[str, ...]
    toolkit: bool
    cuda: str
    newer_rocm: str
    no_hardware: tuple[str, ...]


def program_of(case: Case) -> str:
    """The name of a case's program."""
    return " ".join((case.file, *case.options))


def programs() -> dict[str, Program]:
    """The programs of all cases, by file and options."""
    together: dict[str, list[Case]] = {}
    for found in cases().values():
        together.setdefault(program_of(found), []).append(found)
    return {
        name: Program(
            group[0].file, group[0].source, group[0].options, group[0].headers, tuple(dict.fromkeys(case.kernel for case in group)),
            any(case.toolkit for case in group), max(case.cuda for case in group), next((case.newer_rocm for case in group if case.newer_rocm), ""),
            tuple(sorted({architecture for case in group for architecture in case.no_hardware})),
        )
        for name, group in together.items()
    }  # fmt: skip


def verify(run: Run, results: list[Any], variables: Mapping[str, np.ndarray]) -> None:
    """Compare a launch's results with the expected ones. Raises AssertionError that names the places that differ."""
    for place, expected in run.expected.items():
        _compare(f"argument {place}", results[place], expected, run)
    for name, expected in run.expected_globals.items():
        _compare(f"variable {name}", variables[name], expected, run)
    if run.check is not None:
        run.check(results)


def sample(name: str, run: Run, results: list[Any], variables: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Up to 128 elements, evenly spread, of each array that a launch changed, by `case/place` or `case/variable`."""
    found: dict[str, np.ndarray] = {}
    for place, (before, after) in enumerate(zip(run.args, results, strict=True)):
        if isinstance(after, np.ndarray) and getattr(before, "texels", before).tobytes() != after.tobytes():
            found[f"{name}/{place}"] = _spread(after)
    for variable, value in variables.items():
        found[f"{name}/{variable}"] = _spread(value)
    return found


def compare_recorded(
    name: str, run: Run, results: list[Any], variables: Mapping[str, np.ndarray], recorded: Mapping[str, np.ndarray]
) -> int:
    """Compare a launch's results with recorded ones. Returns the number of compared arrays; raises AssertionError.

    The comparison and its rules are those of `python -m cuda_shim verify`.
    """
    from cuda_shim.verify.compare import wrong_elements

    own = sample(name, run, results, variables)
    for key, value in own.items():
        if key in recorded:
            type_ = f"|V{value.dtype.itemsize}" if value.dtype.kind == "V" else value.dtype.str
            relative, absolute = tolerance_of(run, value.dtype)
            wrong = wrong_elements(recorded[key].tobytes(), value.tobytes(), type_, relative, absolute)
            assert not wrong, f"{key}: {value[wrong[0]]} at {wrong[0]}, recorded {recorded[key][wrong[0]]}"
    return sum(key in recorded for key in own)


def tolerance_of(run: Run, dtype: np.dtype) -> tuple[float, float]:
    """Return the tolerance of a result to the recorded one, relative and absolute.

    Both are within the run's tolerance of the reference, so they may be twice as far from each other; a run with a
    tolerance allows its narrower arrays, which its own check looks at, 16 units in the last place.
    """
    narrow = 16 * float(np.finfo(dtype).eps) if run.rtol and dtype.kind == "f" else 0.0
    return max(2 * run.rtol, narrow), 2 * run.atol


def step_of(size: int) -> int:
    """The step at which elements are recorded, so that there are up to 128."""
    return max(1, -(-size // 128))


def _spread(values: np.ndarray) -> np.ndarray:
    flat = values.reshape(-1)
    return flat[:: step_of(flat.size)].copy()


def _compare(what: str, found: np.ndarray, expected: np.ndarray, run: Run) -> None:
    np.testing.assert_allclose(
        np.asarray(found, dtype=expected.dtype) if found.dtype.kind != "V" else found,
        expected,
        rtol=run.rtol,
        atol=run.atol,
        equal_nan=True,
        err_msg=what,
    )
