"""PTX modules of NVIDIA's compilers become AMD's code: nvcc's of the corpus, and a sample of Numba's.

They become intermediate code for one target of each wave size, which checks names, types and the functions of the
targets.
"""

from __future__ import annotations

import gzip
import json

import pytest

from tests.amd import refusals
from tests.amd.test_corpus import check
from tests.amd.toolchain import INTERMEDIATE_CODE
from tests.kernels.nvcc_modules import MODULES as NVCC
from tests.ptx.numba_modules import FILE as NUMBA

#: One of every STEP modules of Numba's is taken, other ones for each target.
STEP = 8
TARGETS = ("gfx942", "gfx1100")


def _modules(file):
    return json.loads(gzip.decompress(file.read_bytes()))["modules"]


def _chosen():
    for name, text in _modules(NVCC).items():
        yield from ((f"nvcc {name}", text, target) for target in TARGETS)
    for number, (name, text) in enumerate(_modules(NUMBA).items()):
        yield from (
            (f"Numba {name}", text, target) for turn, target in enumerate(TARGETS) if number % STEP == turn * STEP // 2
        )


@pytest.mark.parametrize(("name", "text", "target"), [pytest.param(*one, id=f"{one[0]} {one[2]}") for one in _chosen()])
def test_it_becomes_amd_s_code(name, text, target, compiler, tmp_path):
    done = compiler.compile_ptx(text, b"module.ptx", target, folder=tmp_path, depth=INTERMEDIATE_CODE)
    check(done, refusals.PTX.get(name, {}).get(target))
