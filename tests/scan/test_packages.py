"""Packages and libraries that reach CUDA by themselves: one table, which the documentation and the runtime agree with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cuda_shim.c_level import build
from cuda_shim.errors import TableError
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.package_reader import read_packages
from cuda_shim.mapping.text_tables import load_text
from cuda_shim.scan import packages, scan
from tests.environments import ROOT


def found(path: Path, code: str) -> list[str]:
    """The findings as "line:column CODE name"."""
    path.write_text(code)
    return [f"{item.line}:{item.column} {item.verdict.code} {item.name}" for item in scan([str(path)], "13.5").findings]


@pytest.mark.parametrize(
    ("code", "findings"),
    [
        ("import cupy as cp\ncp.zeros(3)", ["1:8 CS401 cupy"]),
        ("from numba import cuda, njit\n@cuda.jit\ndef k(): pass", ["1:19 CS103 numba.cuda"]),
        ("import numba\nnumba.njit, numba.cuda.jit, numba.cuda.grid", ["2:13 CS103 numba.cuda.jit"]),
        ("import numba, numpy", []),
        ("import pycuda.driver, cupyx", ["1:8 CS205 pycuda.driver", "1:23 CS401 cupyx"]),
        ("import torch\ntorch.zeros(3)", ["1:8 CS401 torch"]),
        (
            "import torch\nx = torch.zeros(3, device='cuda:0')\nx.cuda(), x.to('cpu')\ntorch.cuda.synchronize()",
            ["1:8 CS401 torch", "2:27 CS205 torch.cuda", "3:1 CS205 torch.cuda", "4:1 CS205 torch.cuda.synchronize"],
        ),
        ("x.cuda(), 'cuda:0'", []),
        (
            "import jax, triton, warp, nvmath, rmm",
            ["1:8 CS401 jax", "1:13 CS401 triton", "1:21 CS205 warp", "1:27 CS205 nvmath", "1:35 CS401 rmm"],
        ),
        ("from ctypes import CDLL\nCDLL('libcublas.so.12')", ["2:6 CS205 libcublas.so.12"]),
        ("NAME = '/usr/lib/libcudnn_ops.so.9'", ["1:8 CS205 libcudnn_ops.so.9"]),
        ("a = 'libcuda.so.1', 'libcudart.so.12', 'libnvrtc.so'",
         ["1:5 CS103 libcuda.so.1", "1:21 CS103 libcudart.so.12", "1:40 CS103 libnvrtc.so"]),
        ("from ctypes.util import find_library\nfind_library('cufft'), find_library('c'), find_library('cuda')",
         ["2:1 CS205 find_library('cufft')", "2:43 CS103 find_library('cuda')"]),
        ("'libm.so.6', 'libcublas.so.12 is meant'", []),
    ],
)  # fmt: skip
def test_what_is_said(tmp_path: Path, code: str, findings: list[str]) -> None:
    assert found(tmp_path / "a.py", code) == findings


def test_modules_that_were_not_looked_into(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import os, numpy.linalg, helper, cuda.core, torch\nfrom . import x\nfrom other.y import z\n"
    )
    assert scan([str(tmp_path / "a.py")], "13.5").unread == ["helper", "numpy", "other"]
    (tmp_path / "helper.py").write_text("import cuda\n")
    assert scan([str(tmp_path)], "13.5").unread == ["numpy", "other"]


#: By the name in docs/c-level.md: the module that is imported.
MODULES = {
    "cuda-core": "cuda.core", "numba-cuda": "numba.cuda", "rmm": "rmm", "cupy-cuda13x": "cupy", "warp-lang": "warp",
    "nvmath-python": "nvmath", "nccl4py": "nccl", "nvshmem4py": "nvshmem", "cuda-tile": "cuda.tile",
    "cuda-bench": "cuda.bench",
}  # fmt: skip


def test_the_documentation_names_the_same_packages() -> None:
    text = (ROOT / "docs/c-level.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in text[text.index("| package |") :].partition("\n\n")[0].splitlines()[2:]
    ]
    assert {row[0].split()[0] for row in rows} == MODULES.keys()
    for name, works, _ in rows:
        judged = packages.judge_module(MODULES[name.split()[0]])
        assert judged is not None
        # A package that can be imported and no more is one that will not work.
        served = not judged[1].on("cpu").problem
        assert served == (not works.startswith("it can be imported") or "own device `cpu`" in works), name


def test_the_runtime_names_the_same_wheels_of_headers() -> None:
    text = (ROOT / "hip_on_host/src/kernel_compiler/read/preprocess.cpp").read_text(encoding="utf-8")
    table = text[text.index("const char* package_of") :].partition("};")[0]
    assert dict(re.findall(r'\{"([^"]+)",\s*"([^"]+)"\}', table)) == load_text("packages")["headers"]


def test_libraries_that_are_served_have_no_row() -> None:
    served = {name.partition(".so")[0].removeprefix("lib") for layout in LAYOUTS for name in build.file_names(layout)}
    assert served == {"cuda", "cudart", "nvrtc"}
    assert not served & load_text("packages")["libraries"].keys()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("headers: {}\nlibraries: {}\n", "table: no section 'modules'"),
        (
            "headers: {}\nlibraries: {}\nmodules: {x: {rocm: {works: y}}}\n",
            "judge it for rocm and for cpu, or for both",
        ),
        ("headers: {}\nlibraries: {}\nmodules: {x: {both: {work: y}}}\n", "give exactly one of works, itself, refuse"),
        ("headers: {}\nlibraries: {}\nmodules: {x: {gpu: {works: y}}}\n", "unknown field 'gpu'"),
        ("packages: {}\n", "unknown field 'packages'"),
    ],
)
def test_the_reader_names_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "packages.yaml"
    path.write_text(text)
    with pytest.raises(TableError, match=re.escape(message)):
        read_packages(path)
