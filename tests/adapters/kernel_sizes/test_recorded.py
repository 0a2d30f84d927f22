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
# LOCAL_SIZE_BYTES is 0 for every kernel.
NO_LOCAL_SIZES = {
    "local": {
        "chars_5", "ints_4", "ints_5", "doubles_3", "ints_1000", "two", "plane", "structures", "aligned",
        "_Z11of_templateILi13EEvPii", "calls_inlined", "calls",
    },
    "shared": set(),
    "ptx": {"calls_with_local", "local_two"},
}  # fmt: skip
# SHARED_SIZE_BYTES counts the variables in the kernel's own body alone, and is not rounded up to 16, as a GPU does in
# modules that declare dynamic shared memory. `unread` has an array that is only written, which NVRTC leaves out.
OWN_VARIABLES_ALONE = {
    "local": set(),
    "shared": {"file", "file_by_call", "by_call", "by_two_calls", "both", "dynamic", "unread"},
    "ptx": {"body", "file", "both", "calls_of_table", "calls_with_array"},
}
DIFFERENCES = {"local": NO_LOCAL_SIZES, "shared": OWN_VARIABLES_ALONE}


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
        program: {kernel for kernel, sizes in kernels.items() if ours[program][kernel][at] != sizes[at]}
        for program, kernels in recorded.items()
    }
    assert different == DIFFERENCES[attribute]
