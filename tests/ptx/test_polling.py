"""Loops that wait for memory with one instruction of PTX each: the loop stays, and blocks that wait let others run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.environments import missing
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.kernels import compilers
from tests.ptx.polling import LOADS, sources

PROGRAM = Path(__file__).with_name("polling_program.py")
MODES = [{}, {"CUDA_SHIM_CPU_CHECK": "1"}, {"CUDA_SHIM_CPU_CXX": "g++"}]
#: For g++, which takes longer, each way once.
SOME = [
    "semaphore",
    *(f"{way} {load}" for way in ("inline", "module") for load in (LOADS[0], LOADS[4], LOADS[9])),
]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_blocks_have_their_turns_in_order(any_shim_python, mode):
    compiler = mode.get("CUDA_SHIM_CPU_CXX")
    if compiler and not find_compiler(compiler):
        missing(f"{compiler} is not installed")
    names = SOME if mode else []
    done = any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, *names, **mode)
    orders = dict(map(json.loads, done.splitlines()))
    assert orders == {name: [3, 2, 1, 0] for name in names or sources()}


@pytest.mark.parametrize("name", [name for name, text in sources().items() if not text.startswith(".version")])
def test_nvrtc_takes_the_programs(name):
    nvrtc = compilers.nvrtc().get(max(compilers.WHEELS.values()))
    if nvrtc is None:
        missing("NVRTC is not installed")
    outcome = nvrtc.compile(sources()[name].encode(), b"program.cu", [b"--gpu-architecture=compute_90"])
    assert outcome.status == 0, outcome.log
