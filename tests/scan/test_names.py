"""Names in Python code: resolved through imports, aliases and scopes, and judged by the tables."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from cuda_shim.scan import Diagnostic, Scan, scan


def scanned(folder: Path, code: str, cuda: str = "13.5") -> list[Diagnostic]:
    path = folder / "program.py"
    path.write_text(textwrap.dedent(code))
    return scan([str(path)], cuda).findings


def found(folder: Path, code: str, cuda: str = "13.5") -> list[str]:
    """The findings as "line:column CODE name"."""
    return [
        f"{item.line}:{item.column} {item.verdict.code} {item.name.rpartition('.')[2]}"
        for item in scanned(folder, code, cuda)
    ]


@pytest.mark.parametrize(
    ("code", "where"),
    [
        ("import cuda.bindings.driver\ncuda.bindings.driver.cuInit(0)", "2:1"),
        ("import cuda.bindings.driver as d\nd.cuInit(0)", "2:1"),
        ("import cuda.bindings as b\nx = (b.driver.cuInit, 1)", "2:6"),
        ("from cuda.bindings import driver\ndriver.cuInit(0)", "2:1"),
        ("from cuda import cuda as cu\ncu.cuInit(0)", "2:1"),
        ("from cuda import cudart, cuda\nalias = cuda\nalias.cuInit(0)", "3:1"),
        ("import cuda.cuda\nx = cuda.cuda\nprint(x.cuInit)", "3:7"),
        ("from cuda.bindings import driver\ndef f():\n  return driver.cuInit", "3:10"),
        ("def f():\n  return driver.cuInit\nfrom cuda.bindings import driver", "2:10"),
        ("from cuda.bindings import driver\nf = lambda: driver.cuInit", "2:13"),
        ("from cuda.bindings import driver\nclass C:\n  d = driver\n  x = d.cuInit", "4:7"),
        ("from cuda.bindings import driver\ngetattr(driver, 'cuInit')(0)", "2:1"),
        ("import importlib\nimportlib.import_module('cuda.cuda').cuInit(0)", "2:1"),
        ("from importlib import import_module as i, import_module\nimport_module('cuda.cuda').cuInit(0)", "2:1"),
        ("__import__('cuda.cuda').cuda.cuInit(0)", "1:1"),
        ("__import__('cuda.cuda', fromlist=['x']).cuInit(0)", "1:1"),
        ("import sys\nsys.modules['cuda.cuda'].cuInit(0)", "2:1"),
        ("a, b = __import__('cuda').cuda, 1\na.cuInit(b)", "2:1"),
        ("if (d := __import__('cuda').cuda): d.cuInit(0)", "1:36"),
        ("from cuda.bindings.driver import *\ncuInit(0)", "2:1"),
        ("def f():\n  global d\n  import cuda.cuda as d\nd.cuInit(0)", "4:1"),
        ("try:\n  from cuda.bindings import driver\nexcept ImportError:\n  driver = None\ndriver.cuInit(0)", "5:1"),
    ],
)
def test_ways_to_a_name(tmp_path: Path, code: str, where: str) -> None:
    assert found(tmp_path, code) == [f"{where} CS101 cuInit"]


@pytest.mark.parametrize(
    "code",
    [
        "cuInit(0)", "from other.cuda import driver\ndriver.nothing",
        "from .cuda import driver\ndriver.CU_NOTHING", "import cuda_helpers as cuda\ncuda.cuda.nothing",
        "from cuda.bindings import driver\ndef f(driver): return driver.nothing",
        "from cuda.bindings import driver\ndef f():\n  driver = 1\n  return driver.CUrious",
        "from cuda.bindings import driver\nf = lambda driver: driver.cumulative",
        "class C:\n  def cuInit(self): return self.cuInit()", "import x\nx.cuInit = 1\nx.cuInit",
        "import cuda.bindings.driver as d\nd.__name__, d.HIP_PYTHON, d.hip, d.HIP_PYTHON_CUresult_HALLUCINATE",
        "import cuda.bindings",
        "from cuda.bindings.driver import *\ndef cuInit(x): return x\ncuInit(0)",
        "from cuda.bindings import driver\nclass C:\n  driver = 1\n  x = driver.nothing",
    ],
)  # fmt: skip
def test_what_is_no_finding(tmp_path: Path, code: str) -> None:
    assert found(tmp_path, code) == []


@pytest.mark.parametrize(
    ("code", "where"),
    [
        ("driver.cuInit(0)", "1:1"),
        ("from cuda.bindings import driver\nclass C:\n  d = None\n  def f(self): self.d.cuInit(0)", "4:16"),
        ("def f(api): return api.cuInit", "1:20"),
        ("from .helper import driver\ndriver.cuInit(0)", "2:1"),
        ("from helper import *\ncuInit(0)", "2:1"),
        ("import helper\nhelper.apis['cuda'].cuInit(0)", "2:1"),
        ("def f(api): return getattr(api, 'cuInit')", "1:20"),
    ],
)
def test_a_name_of_cudas_is_judged_wherever_its_module_came_from(tmp_path: Path, code: str, where: str) -> None:
    assert found(tmp_path, code) == [f"{where} CS101 cuInit"]


def test_names_that_only_look_like_cudas(tmp_path: Path) -> None:
    code = "from helper import cuCtxAttach, cuMemAloc\ndef f(a): a.CUresult.CUDA_SUCCESS, a.CU_LIMIT_SHMEM_SIZE, a.cuEventElapsedTime_v2"
    assert found(tmp_path, code) == [
        "1:20 CS201 cuCtxAttach", "1:33 CS401 cuMemAloc", "2:11 CS101 CUDA_SUCCESS", "2:36 CS202 CU_LIMIT_SHMEM_SIZE",
        "2:59 CS203 cuEventElapsedTime_v2",
    ]  # fmt: skip
    assert scanned(tmp_path, code)[1].verdict.message.endswith("did you mean cuMemAlloc or cuMemHostAlloc?")


def test_an_import_is_a_use(tmp_path: Path) -> None:
    assert found(tmp_path, "from cuda.bindings.driver import cuInit as i, CUresult\ni(0)") == [
        "1:34 CS101 cuInit", "1:47 CS101 CUresult", "2:1 CS101 cuInit",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        ("nvrtc.nvrtcCompileProgram", "CS102 nvrtcCompileProgram -> hiprtcCompileProgram"),
        ("runtime.make_cudaExtent", "CS103 make_cudaExtent"),
        ("driver.cuCtxAttach", "CS201 cuCtxAttach: HIP counts no uses of a context"),
        ("driver.CUdevice", "CS103 CUdevice: provided"),
        ("driver.CUresult.CUDA_SUCCESS", "CS101 CUresult.CUDA_SUCCESS -> hipSuccess"),
        ("driver.CUresult.CUDA_SUCCESS.name", "CS101 CUresult.CUDA_SUCCESS -> hipSuccess"),
        ("driver.CUresult.__members__", "CS101 CUresult -> hipError_t"),
        ("driver.CUresult.hallucinate", "CS101 CUresult -> hipError_t"),
        ("driver.CUresult.hipErrorInvalidValue", "CS103 CUresult.hipErrorInvalidValue: HIP's"),
        ("driver.CUresult.cudaErrorInvalidValue", "CS103 CUresult.cudaErrorInvalidValue: HIP's, or the other"),
        ("runtime.cudaError_t.cudaErrorTimeout", "CS202 cudaError_t.cudaErrorTimeout: no HIP call returns it"),
        ("driver.CUlimit.CU_LIMIT_SHMEM_SIZE", "CS202 CUlimit.CU_LIMIT_SHMEM_SIZE: hipLimit_t has no counterpart"),
        ("driver.CUlimit.CU_LIMIT_STAK_SIZE", "CS204 CU_LIMIT_STAK_SIZE: CUlimit has no such name; did you mean CU_L"),
        ("driver.cuMemAloc", "CS204 cuMemAloc: cuda.bindings.driver has no such name; did you mean cuMemAlloc"),
        ("driver.cudaMalloc", "CS204 cudaMalloc: not in cuda.bindings.driver, but in cuda.bindings.runtime"),
        ("driver.cuEventElapsedTime_v2", "CS203 cuEventElapsedTime_v2: not in CUDA 13.5, but in 12.9"),
        ("utils.get_ptx_ver", "CS103 get_ptx_ver: provided"),
        ("utils.get_ptx_version", "CS204 get_ptx_version: cuda.bindings.utils has no such name; did you mean"),
        ("nvvm.version", "CS205 cuda.bindings.nvvm: NVIDIA's own compilers; importing it works"),
    ],
)
def test_verdicts(tmp_path: Path, code: str, verdict: str) -> None:
    start = f"from cuda.bindings import {code.partition('.')[0]}\n"
    *_, last = scanned(tmp_path, start + code)
    assert f"{last.verdict.code} {last.verdict.message}".startswith(verdict)


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        ("import cuda.tile", "CS205 cuda.tile: tile code is compiled by NVIDIA's tileiras"),
        ("import cuda.other", "CS205 cuda.other: not served; it needs NVIDIA's own libraries"),
        ("from cuda import driver", "CS205 cuda.driver: no such module; cuda.bindings.driver is meant?"),
        ("from cuda.cudart import cudaMaloc", "CS204 cudaMaloc: cuda.cudart has no such name; did you mean cudaMalloc"),
    ],
)
def test_verdicts_on_modules(tmp_path: Path, code: str, verdict: str) -> None:
    (only,) = scanned(tmp_path, code)
    assert f"{only.verdict.code} {only.verdict.message}".startswith(verdict)
    assert only.verdict.problem


def test_cuda_pathfinder_works(tmp_path: Path) -> None:
    assert found(tmp_path, "import cuda.pathfinder") == ["1:8 CS103 pathfinder"]


@pytest.mark.parametrize("code", ["import cuda.core", "from cuda.core import Device", "from cuda import core"])
def test_cuda_core_works(tmp_path: Path, code: str) -> None:
    (only,) = scanned(tmp_path, code)
    assert not only.verdict.problem
    assert "pip install cuda-core" in only.verdict.message


def test_the_legacy_module_has_runtime_names_and_an_older_layout(tmp_path: Path) -> None:
    assert found(tmp_path, "from cuda import cuda\ncuda.cudaMalloc, cuda.cuEventElapsedTime_v2") == [
        "2:1 CS101 cudaMalloc", "2:18 CS101 cuEventElapsedTime_v2",
    ]  # fmt: skip


def test_the_layout_decides(tmp_path: Path) -> None:
    code = "from cuda.bindings.driver import cuCtxCreate_v4"
    assert found(tmp_path, code, "12.9") == ["1:34 CS102 cuCtxCreate_v4"]
    assert found(tmp_path, code, "13.5") == ["1:34 CS203 cuCtxCreate_v4"]


def test_alternatives_are_served_when_one_of_them_is(tmp_path: Path) -> None:
    code = """
        try: from cuda.bindings import nvvm as d
        except ImportError: from cuda.bindings import driver as d
        d.cuInit(0)
    """
    assert found(tmp_path, code)[-1] == "4:1 CS101 cuInit"


def test_a_name_that_may_be_absent_is_no_problem(tmp_path: Path) -> None:
    code = "from cuda.bindings import driver\ngetattr(driver, 'cuNotYet', None)\ngetattr(driver, 'cuNotYet')"
    assert [(item.verdict.code, item.verdict.problem) for item in scanned(tmp_path, code)] == [
        ("CS103", False), ("CS204", True),
    ]  # fmt: skip


def test_every_name_of_the_tables_has_a_verdict() -> None:
    from cuda_shim.mapping import store
    from cuda_shim.mapping.layouts import LAYOUTS
    from cuda_shim.scan.support import Support

    for cuda in LAYOUTS:
        support = Support(cuda)
        for table in store.TABLES:
            for name in store.load(table).names(cuda):
                verdict = support.of(f"cuda.bindings.{table}.{name}")
                assert verdict is not None
                assert verdict.code in ("CS101", "CS102", "CS103", "CS104", "CS201"), name


def test_counts() -> None:
    assert Scan("13.5").counts() == {}


def test_names_of_pygpu(tmp_path: Path) -> None:
    code = """
    import PyGPU as gpuarray
    gpuarray.to_gpu([1]), gpuarray.__name__
    gpuarray.GPUArray.nothing, gpuarray.to_gpus
    from PyGPU import *
    DeviceArray_int16(3), int(3)
    """
    assert found(tmp_path, code) == [
        "3:1 CS103 to_gpu", "4:1 CS103 nothing", "4:28 CS204 to_gpus", "6:1 CS103 DeviceArray_int16"
    ]  # fmt: skip
    messages = [item.verdict.message for item in scanned(tmp_path, code)]
    assert messages[2] == "to_gpus: PyGPU has no such name; did you mean to_gpu?"
