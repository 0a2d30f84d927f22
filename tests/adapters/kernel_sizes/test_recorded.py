"""Local and shared memory of kernels beside an H100 80GB HBM3's, driver 580.159.04, cuda-bindings 13.3.1.

The sizes that differ are listed with the reason: a size that becomes right has to leave the list.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ATTRIBUTES = ("local", "shared")
# Choices of NVIDIA's optimiser that follow no rule of the program's text.
LOCAL_SIZES = {
    ("arrays", "noinline_chain"),  # the stack of a called function that calls another one holds registers as well
    ("arrays", "three_arrays"),  # an array of two doubles is aligned to 16 bytes, for a vector load
    ("arrays", "variable_trip"),  # the elements that a loop writes are selected from registers
    ("math", "m_two_sinf"),  # one function for three reductions of an angle, which are inlined in other kernels
    ("local_ptx", "address_kept"),  # nothing reads the variable whose address is stored
    ("local_ptx", "not_named"),  # a local variable that no instruction names
}
SHARED_SIZES = {
    ("dynamic_128", "fixed_3"),  # dynamic shared memory with an alignment of its own, above 16
    ("dynamic_128", "with_128"),
    ("static", "stored_constant"),  # the only value that is ever stored takes the variable's place
}
DIFFERENCES = {"local": LOCAL_SIZES, "shared": SHARED_SIZES}


@pytest.fixture(scope="module")
def ours() -> dict[str, dict[str, list[int]]]:
    """The two sizes of each kernel, by program."""
    done = subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", HERE / "record.py"],
        env={**os.environ, "CUDA_SHIM_QUIET": "1"},
        capture_output=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sizes: dict[str, dict[str, list[int]]] = json.loads(done.stdout)
    return sizes


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_sizes_are_a_gpus_but_for_the_listed(ours: dict[str, dict[str, list[int]]], attribute: str) -> None:
    recorded = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))
    assert {program: list(sizes) for program, sizes in ours.items()} == {
        program: list(sizes) for program, sizes in recorded.items()
    }
    at = ATTRIBUTES.index(attribute)
    different = {
        (program, kernel)
        for program, kernels in recorded.items()
        for kernel, sizes in kernels.items()
        if ours[program][kernel][at] != sizes[at]
    }
    assert different == DIFFERENCES[attribute]
