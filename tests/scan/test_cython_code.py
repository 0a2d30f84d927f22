"""Cython files: names that are cimported, wherever they are used, and names that are only reported as unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.cli.main import main
from cuda_shim.scan.cython_code import find
from cuda_shim.scan.support import Support
from tests.environments import ROOT

PROGRAM = '''# cimport cuda.nothing
cimport cuda.ccudart as ccudart
from cuda.bindings cimport cydriver, cynvrtc as rtc
from cuda.bindings.cyruntime cimport (cudaMalloc,
    cudaNothing)
from cuda.bindings.driver cimport CUstream
from cuda.bindings import driver, nothing
from cuda.bindings._internal cimport utils
cimport cuda.bindings.cydriver
import numpy as np
from cuda.ccuda cimport *
include "more.pxi"
cdef extern from "cuda_runtime.h":
    int cudaX()
cdef extern from "math.h":
    double sin(double)
cdef ccudart.cudaError_t err = ccudart.cudaSuccess
"""ccudart.cudaNoSuchThing # in a string"""
source = b"""
__global__ void k() { __cluster_dims__; }"""
IF HIP_PYTHON:
    ccudart.hipMalloc(NULL, 1)
ELSE:
    ccudart . cudaError_t.cudaSuccess
cydriver.cuMulticastCreate(); cydriver.cuCtxCreate_v5(<void*>0)
rtc.nvrtcVersion(&major, &minor) if np.cuda else cudaMalloc(NULL, 3)
driver.cuInit(0)
cuda.bindings.cydriver.cuInit(0)
cuInit(0); other.cuInit(0)
cydriver.CU_LIMIT_SHMEM_SIZE
rtc.hiprtcVersion
'''

WANTED = [
    (4, "CS101", "cudaMalloc"), (5, "CS204", "cudaNothing"), (6, "CS305", "CUstream"), (7, "CS205", "nothing"),
    (8, "CS205", "utils"), (12, "CS305", "more.pxi"), (13, "CS305", "cuda_runtime.h"), (17, "CS101", "cudaError_t"),
    (17, "CS101", "cudaSuccess"), (20, "CS303", "__cluster_dims__"), (22, "CS103", "hipMalloc"),
    (24, "CS101", "cudaSuccess"), (25, "CS201", "cuMulticastCreate"), (25, "CS204", "cuCtxCreate_v5"),
    (26, "CS102", "nvrtcVersion"), (26, "CS101", "cudaMalloc"), (27, "CS101", "cuInit"), (28, "CS101", "cuInit"),
    (29, "CS101", "cuInit"), (30, "CS202", "CU_LIMIT_SHMEM_SIZE"), (31, "CS204", "hiprtcVersion"),
]  # fmt: skip


def test_every_name_and_nothing_else() -> None:
    found = find(PROGRAM.encode(), Support("13.5"))
    assert [(each.line, each.verdict.code) for each in found] == [(line, code) for line, code, _ in WANTED]
    lines = PROGRAM.splitlines()
    for each, (line, _, name) in zip(found, WANTED, strict=True):
        assert each.name.endswith(name)
        text = lines[line - 1][each.column - 1 :]
        assert text.startswith((name, "ccudart", "cydriver.", "rtc.", "driver.", "cuda.")), (each, text)


def test_versions() -> None:
    program = b"from cuda.bindings cimport cydriver\ncydriver.cuCtxCreate_v4()\ncydriver.cuMemcpyBatchAsync()\n"
    assert [found.verdict.code for found in find(program, Support("11.8"))] == ["CS203", "CS203"]
    assert [found.verdict.code for found in find(program, Support("12.9"))] == ["CS102", "CS101"]


def test_what_cimports_nothing_of_cuda() -> None:
    assert find(b"cimport numpy as np\nfrom libc.stdlib cimport malloc\ncdef int cuInit = 1\ncuInit += 1\n",
                Support("13.5")) == []  # fmt: skip


@pytest.mark.parametrize("name", ["second.pyx", "hip_names.pyx"])
def test_programs_that_work_have_no_problem(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They are compiled and run by the tests of the C level."""
    assert main(["scan", str(ROOT / "tests/c_level" / name)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("all of it is served")


def test_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.pyx", "b.pxd", "c.pxi", "d.txt"):
        (tmp_path / name).write_text("from cuda.bindings.cydriver cimport cuInit\n")
    assert main(["scan", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("3 files, 3 uses")
