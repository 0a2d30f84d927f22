"""Runs cases of the corpus: on an NVIDIA GPU with NVIDIA's own CUDA Python, elsewhere with cuda_shim in its place.

The launcher is the one of `python -m cuda_shim verify`, which takes either.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import sys
from pathlib import Path
from typing import Any

import corpus
import numpy as np
from corpus import Case, Run

sys.path.append(str(Path(__file__).resolve().parents[2]))  # behind an installed cuda_shim
import described

from cuda_shim.verify import launches
from cuda_shim.verify.device import Device

__all__ = ["Device", "batch_of", "launch"]


def batch_of(case: Case, translated_for: str | None) -> tuple[launches.Batch, str]:
    """A case's program, as it is or as it would be for an AMD architecture, and the kernel's name expression."""
    source, headers = case.source, dict(case.headers)
    if translated_for is not None:
        from cuda_shim.translate.source import to_hip

        texts = [(name.encode(), text.encode()) for name, text in headers.items()]
        translated = to_hip(source.encode(), case.file.encode(), texts, architecture=translated_for)
        source = translated.source.decode()
        headers = {name.decode(): text.decode() for name, text in translated.headers}
    folders = os.environ.get("CUDA_INCLUDE", "").split(os.pathsep) if case.toolkit else []
    options = (*case.options, *(f"-I{folder}" for folder in folders if folder))
    return launches.Batch(case.name, "", "cuda", case.file, source, options, headers, ()), case.kernel


@functools.cache
def _kernels() -> dict[str, tuple[str, ...]]:
    """The name expressions of each program of the corpus."""
    return {name: program.kernels for name, program in corpus.programs().items()}


def launch(
    case: Case, run: Run, device: Device, translated_for: str | None = None
) -> tuple[list[Any], dict[str, np.ndarray]]:
    """The arguments after the launch, and the device variables that are asked for."""
    batch, kernel = batch_of(case, translated_for)
    own = described.launch(run, kernel, case.cooperative)
    # All cases of a program ask for the same kernels, in one order: it is compiled for the first, and cached.
    kernels = dict.fromkeys((*_kernels()[corpus.program_of(case)], kernel))
    module = device.load(
        batch, tuple(launches.Case(case.name, dataclasses.replace(own, kernel=name), ()) for name in kernels)
    )
    try:
        after = module.run(own, {name: value.nbytes for name, value in run.expected_globals.items()})
    finally:
        module.close()
    results = [_result(argument, after.get(place)) for place, argument in enumerate(run.args)]
    variables = {name: _like(value, after[name]) for name, value in run.expected_globals.items()}
    return results, variables


def _result(argument: Any, data: bytes | None) -> Any:
    """An array, or a surface's texels, after the launch; any other argument as it was."""
    return argument if data is None else _like(getattr(argument, "texels", argument), data)


def _like(array: np.ndarray, data: bytes) -> np.ndarray:
    return np.frombuffer(data, array.dtype).reshape(array.shape).copy()
