"""Random programs over every kind of memory compute numpy's results; longer by `python -m tests.fuzz.legal`."""

from __future__ import annotations

import importlib

import pytest

import cuda_shim
from tests.fuzz import legal

SHORT, LONG = 1500, 100_000


def run(threads: int, steps: int, layout: str) -> None:
    with cuda_shim.enable(backend="cpu", cuda=layout):
        driver, nvrtc = (importlib.import_module(f"cuda.bindings.{name}") for name in ("driver", "nvrtc"))
        legal.run_threads(driver, nvrtc, threads, steps, seed=100 * threads)


@pytest.mark.parametrize("threads", [1, 4])
def test_legal_programs(threads: int) -> None:
    run(threads, SHORT, "12.9")


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 4])
def test_long_legal_programs(threads: int) -> None:
    run(threads, LONG, "12.9")
