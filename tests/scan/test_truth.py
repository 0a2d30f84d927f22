"""Answers of scan and explain for host cores are true: programs are compiled and called on the CPU backend."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cuda_shim.mapping.text_tables import load_text
from cuda_shim.scan import device_names, scan, shipped_headers
from tests.interpreters import PACKAGE_ROOT, run_json, start

WORKER = Path(__file__).with_name("truth_worker.py")
#: A header of each folder that the table names as a whole.
INSIDE = {
    "cub/": "cub/cub.cuh", "cuda/std/": "cuda/std/span", "cute/": "cute/tensor.hpp", "cutlass/": "cutlass/cutlass.h",
    "thrust/": "thrust/sort.h",
}  # fmt: skip
#: The host's own headers behind these ask for run-time type information, which kernels are compiled without.
WITH_TYPE_INFORMATION = {"cuda/std/complex", "cuda/std/functional"}
#: A keyword and macros, which `using ::name` cannot ask for, and a use of each.
NO_DECLARATIONS = {"__device_builtin__", "__prof_trigger", "__restrict__", "assert", "warpSize"}
USE_OF_THEM = """
__device_builtin__ struct one {};
__global__ void k(int* __restrict__ p) { assert(warpSize == 32); __prof_trigger(1); }
"""
#: Names that the runtime has for programs in HIP, and that NVIDIA's headers do not declare.
OF_HIP = {"__globaltimer"}
#: By refused name of device code: a kernel that uses it as CUDA would have it used.
USES = {
    "__block_size__": "__global__ void __block_size__((32, 1, 1), (2, 1, 1)) k() {}",
    "__cluster_dims__": "__global__ void __cluster_dims__(2, 1, 1) k() {}",
    "__isConstant": "__global__ void k(unsigned* p) { *p = __isConstant(p); }",
    "cudaDeviceSynchronize": "__global__ void k() { cudaDeviceSynchronize(); }",
    "cudaGetParameterBuffer":
        "#include <cuda_device_runtime_api.h>\n__global__ void k() { cudaGetParameterBuffer(1, 1); }",
    "cudaLaunchDevice":
        "#include <cuda_device_runtime_api.h>\n__global__ void k() { cudaLaunchDevice(0, 0, 1, 1, 0, 0); }",
    "cudaBoundaryModeClamp": "__global__ void k(cudaSurfaceObject_t s) {"
        " surf1Dwrite(1, s, 0, cudaBoundaryModeClamp); }",
    "curand_poisson": "#include <curand_kernel.h>\n__global__ void k(curandState* s) { curand_poisson(s, 1.0); }",
}  # fmt: skip
#: By row of inline PTX that the table refuses: a statement of it, where %0 is an int and %1 an address.
STATEMENTS = {
    "istypep": "istypep.texref %0, %1;",
    "multimem": "multimem.red.global.add.u32 [%1], %0;",
    "stackrestore": "stackrestore.u32 %0;",
    "stacksave": "stacksave.u32 %0;",
    "tcgen05": "tcgen05.wait::ld.sync.aligned;",
    "wgmma": "wgmma.fence.sync.aligned;",
}


def outcomes(programs: dict[str, str]) -> dict[str, tuple[int, str]]:
    """Return the status and the log of the CPU backend's compiler for each program."""
    words = ("-m", "cuda_shim", "run", "--backend", "cpu", "--cuda", "13.5", WORKER)
    done = start(*words, stdin=json.dumps(programs), PYTHONPATH=str(PACKAGE_ROOT))
    assert done.returncode == 0, done.stderr
    return {name: (status, log) for name, (status, log) in json.loads(done.stdout).items()}


def test_headers_are_there_as_said() -> None:
    names = {INSIDE.get(name, name) for name in load_text("device")["headers"]} - WITH_TYPE_INFORMATION
    there = {name for name in names if device_names.header_on_cpu(name).code == "CS103"}
    programs = {name: f"#include <{name}>\n__global__ void k() {{}}\n" for name in sorted(names - there)}
    programs["all"] = "".join(f"#include <{name}>\n" for name in sorted(there)) + "__global__ void k() {}\n"
    found = outcomes(programs)
    status, log = found.pop("all")
    assert status == 0, log
    assert {name for name, (status, log) in found.items() if status == 0 or "open source file" not in log} == set()
    assert len(there) > 60


def test_names_of_device_code_are_there_as_said() -> None:
    table = load_text("device")
    names = sorted({*table["functions"], *table["names"], *table["same"]} - OF_HIP)
    lines = [
        f"#include <{header}>"
        for header in ("cuda_bf16.h", "cuda_device_runtime_api.h", "cuda_fp16.h", "cuda_pipeline.h", "assert.h")
    ]
    for name in (name for name in names if name not in NO_DECLARATIONS):
        lines += [f"#ifndef {name}", f"namespace probe_{name} {{ using ::{name}; }}", "#endif"]
    ((status, log),) = outcomes({"names": "\n".join([*lines, USE_OF_THEM])}).values()
    assert status == 0, log
    assert {device_names.name_on_cpu(name).code for name in names} == {"CS103"}


def test_refused_names_are_refused_as_said() -> None:
    reasons = shipped_headers.refusals_of("cpu").keys() | shipped_headers.refusals_of("rocm").keys()
    names = set(load_text("device")["refused"]) | {name for name in reasons if device_names.refused(name) is not None}
    # Newer forms of names that are here.
    names -= {"cudaGetParameterBufferV2", "cudaLaunchDeviceV2"}
    assert names <= USES.keys()
    found = outcomes({name: f"{program}\n" for name, program in USES.items()})
    compiled = {name for name, (status, _) in found.items() if status == 0}
    assert compiled == {name for name in USES if not device_names.name_on_cpu(name).problem}, found


def test_inline_ptx_is_translated_as_said() -> None:
    rows = load_text("ptx")["instructions"]
    assert {name for name, row in rows.items() if "refuse" in row} == STATEMENTS.keys()
    programs = {
        name: f'__global__ void k(int x, long long* p) {{ asm volatile("{statement}" : "+r"(x), "+l"(p)); }}\n'
        for name, statement in STATEMENTS.items()
    }
    found = outcomes(programs)
    compiled = {name for name, (status, _) in found.items() if status == 0}
    said = {name for name in STATEMENTS if not device_names.instruction(name, rows[name])[1].problem}
    assert compiled == said == {"wgmma"}, found


#: Files of the corpus that AMD's compiler refuses.
REFUSED_BY_AMD = {"address_spaces.cu", "surface_bounds.cu"}


def test_programs_that_run_have_no_problem() -> None:
    """Kernels that are compiled and run on host cores, and compiled for AMD GPUs, by tests of their own."""
    corpus = PACKAGE_ROOT / "tests/kernels/corpus"
    assert scan([str(corpus)], "13.5", ["cpu"]).problems == []
    refused = {Path(finding.file).name for finding in scan([str(corpus)], "13.5", ["rocm"]).problems}
    assert "surface_bounds.cu" in refused
    assert refused <= REFUSED_BY_AMD


CALLS = """
import json, cuda_shim
cuda_shim.enable(backend="cpu", cuda="13.5", quiet=True, log="off")
from cuda.bindings import driver, runtime
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import FunctionRow
from cuda_shim.scan import by_backend

driver.cuInit(0)
runtime.cudaFree(0)
found = {}
for table, module in (("driver", driver), ("runtime", runtime)):
    for name in store.load(table).names("13.5"):
        row = store.load(table).row(name, "13.5")
        if not isinstance(row, FunctionRow) or by_backend.cpu_reason(row) is None:
            continue
        arguments = []
        for parameter in row.inputs:
            kind = getattr(module, parameter.base, None)
            if parameter.suffix == "[]":
                arguments.append([])
            elif isinstance(kind, type) and hasattr(kind, "__members__"):
                arguments.append(list(kind)[0])
            else:
                arguments.append(kind() if isinstance(kind, type) else 0)
        if name == "cuExternalMemoryGetMappedMipmappedArray":
            arguments[1].arrayDesc.Format = driver.CUarray_format.CU_AD_FORMAT_FLOAT
        if name == "cuMemGetHandleForAddressRange":
            arguments = [driver.cuMemAlloc(1 << 21)[1], 1 << 21, arguments[2], 0]
        found[name] = int(getattr(module, name)(*arguments)[0])
print(json.dumps(found))
"""


def test_calls_that_the_cpu_runtime_does_not_support_say_so() -> None:
    found = run_json(CALLS)
    assert found["cuImportExternalSemaphore"] == 801
    assert {name: status for name, status in found.items() if status != 801} == {}
    assert len(found) > 30


@pytest.mark.parametrize("name", ["cuProfilerStart", "cuGraphConditionalHandleCreate", "cuOccupancyMaxActiveClusters"])
def test_calls_that_host_cores_alone_serve_are_said_to_be_served(name: str) -> None:
    from cuda_shim.scan.support import Support

    verdict = Support("13.5").of(f"cuda.bindings.driver.{name}")
    assert verdict is not None
    assert not verdict.on("cpu").problem
