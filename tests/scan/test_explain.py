"""`explain`: a row in words."""

from __future__ import annotations

import json

import pytest

from cuda_shim.cli.main import main
from cuda_shim.mapping import store
from cuda_shim.mapping.text_tables import load_text
from cuda_shim.scan.explanation import explanations


def said(capsys: pytest.CaptureFixture[str], *names: str, status: int = 0) -> str:
    assert main(["explain", *names]) == status
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "cuInit",
            "CUDA 11.8, 12.9, 13.5 does Gets the driver ready; every other call of it needs that. call cuInit(Flags)",
        ),
        ("cuInit", "call cuInit(Flags) arguments Flags (unsigned int): Flags: 0. returns The status."),
        ("driver.cuInit", "support mapped becomes hipInit"),
        (
            "cuda.core.Device",
            "cuda.core (a module) is it is a package of its own, which works on cuda_shim; pip install",
        ),
        ("cuda.bindings.cyruntime", "is the C functions of cuda.bindings.runtime, for compiled packages and Cython's"),
        ("cuda.bindings.cynvvm", "is it is NVIDIA's compiler of NVVM IR"),
        ("cuda.bindings.driver.cuInit", "support mapped becomes hipInit"),
        (
            "cuMemAlloc",
            "arguments bytesize (size_t): Bytes to allocate. returns The status. dptr (CUdeviceptr): Device",
        ),
        ("cuMemAlloc", "Device address of the memory. support adapted becomes hipMalloc"),
        ("cuCtxAttach", "support unsupported why not HIP counts no uses of a context"),
        ("cuCtxCreate", "call CUDA 11.8, 12.9: cuCtxCreate(flags, dev) CUDA 13.5: cuCtxCreate(ctxCreateParams,"),
        ("cuCtxCreate_v4", "CUDA 12.9 does Makes a context"),
        ("CUlimit", "HIP hipLimit_t HIP lacks"),
        ("cudaError_t", "never returned cudaErrorAddressOfConstant,"),
        ("CUdeviceptr", "is a handle stored as unsigned long long"),
        ("CUDA_ARRAY_DESCRIPTOR", "is another name of"),
        ("cudaExtent", "is a struct: width, height, depth"),
        ("CUDA_VERSION", "is CUDA 11.8: the constant 11080"),
        ("cudaErrorInvalidValue", "cudaError_t.cudaErrorInvalidValue (cuda.bindings.runtime)"),
        ("cudaError_t.cudaErrorTimeout", "becomes nothing: no call returns it; HIP_PYTHON_cudaError_t_HALLUCINATE=1"),
        ("CU_LIMIT_SHMEM_SIZE", "becomes nothing: hipLimit_t has no counterpart"),
        ("CUresult.CUDA_SUCCESS", "is a constant of CUresult, 0 becomes hipError_t.hipSuccess message no error"),
        ("__ldg", "(CUDA C++ device code) on AMD GPUs becomes"),
        ("__syncthreads", "on AMD GPUs there under the same name on host cores the CPU runtime has it"),
        ("threadIdx", "on host cores the CPU runtime has it"),
        ("torch.cuda.Stream", "torch.cuda (a package) on AMD GPUs not judged: it is torch's own way to the GPU"),
        ("cub/cub.cuh", "on host cores not judged: the wheel nvidia-cuda-cccl has it"),
        ("cuGreenCtxGetId", "on AMD GPUs served; hipExecutionCtxGetId needs HIP 7.14 or newer on host cores served"),
        ("cuLibraryEnumerateKernels", "on AMD GPUs served; hipLibraryEnumerateKernels needs HIP 7.2 or newer"),
        ("cuTexObjectCreate", "on AMD GPUs served; gfx942 and gfx950 (MI300, MI350) have no image units"),
        ("cuLaunchKernel", "on AMD GPUs served; gridDim.x times blockDim.x must stay below 2^32"),
        ("CU_LIMIT_PRINTF_FIFO_SIZE", "on AMD GPUs HIP has limits of stack and heap alone"),
        ("__cluster_dims__", "on AMD GPUs refused: thread block clusters"),
        ("cuda/barrier", "(CUDA header) on AMD GPUs refused: asynchronous barriers"),
        ("mma.h", "on host cores provided"),
        ("cuda_fp16.h", "(CUDA header)"),
        ("tcgen05", "on host cores refused: tensor memory"),
        ("cp.async", "on AMD GPUs translated to C++"),
        ("cp.async.ca.shared.global", "on host cores translated to C++"),
        ("wmma.mma.sync", "on AMD GPUs refused: fragments of wmma"),
        ("bar.sync", "on AMD GPUs translated to C++; barriers with a number"),
        ("add", "(inline PTX) on AMD GPUs translated to C++"),
        ("PyGPU.cudaGetDevice", "cudaGetDevice (PyGPU) what the number of the current device, and the status"),
        (
            "PyGPU.cudaGetDevice",
            "returns device, the status support provided becomes cuda.bindings.runtime.cudaGetDevice",
        ),
        ("cudaEventRecord", "cudaEventRecord (PyGPU) what records an event in a stream"),
        ("cudaEventRecord", "call cudaEventRecord(event, stream=0) returns the status"),
        ("PyGPU.cudaGetErrorName", "returns the text"),
        ("DeviceArray_int16", "support provided made of cuda_shim.pygpu.device_array.DeviceArray"),
        ("--use_fast_math", "(NVRTC option) spellings --use_fast_math, -use_fast_math becomes"),
    ],
)
def test_names(capsys: pytest.CaptureFixture[str], name: str, text: str) -> None:
    assert text in said(capsys, name)


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(said(capsys, "--json", "cuInit", "cudaFree"))
    assert document["cuInit"] == [
        {
            "name": "cuInit", "place": "cuda.bindings.driver", "CUDA": "11.8, 12.9, 13.5",
            "does": "Gets the driver ready; every other call of it needs that.", "call": "cuInit(Flags)",
            "arguments": "Flags (unsigned int): Flags: 0.", "returns": "The status.", "support": "mapped",
            "becomes": "hipInit", "on AMD GPUs": "served", "on host cores": "served",
        }
    ]  # fmt: skip
    assert document["cudaFree"][0]["becomes"] == "hipFree"


def test_unknown_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "cuInitt", "cuInit"]) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("cuInit  (cuda.bindings.driver)")
    assert captured.err.startswith("cuda_shim: explain: no table has cuInitt; did you mean cuInit")


def test_no_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 2
    assert capsys.readouterr().err == "cuda_shim: explain: no name is given: add one, such as cuMemAlloc\n"
    assert main(["explain", "--help"]) == 0


def test_a_name_of_pygpu_that_is_not_quite_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "PyGPU.to_gpus"]) == 1
    assert "no table has PyGPU.to_gpus; did you mean to_gpu" in capsys.readouterr().err


def test_every_row_can_be_explained() -> None:
    for name in load_text("pygpu"):
        assert str(explanations(f"PyGPU.{name}")[0]).startswith(f"{name}  (PyGPU)")
    for table in store.TABLES:
        for name in store.load(table).rows:
            assert [item for item in map(str, explanations(f"{table}.{name}")) if item.startswith(name)], name
