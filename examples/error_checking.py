"""Errors: statuses that calls return, and constants that HIP lacks, which hallucination stands in for.

A test against a status that HIP never returns is dead code here, so reading such a constant is an error by
default. `Enum.hallucinate = True`, or HIP_PYTHON_<Enum>_HALLUCINATE=1 in the environment, allows it.
"""

from cuda.bindings import runtime
from cuda.bindings.runtime import cudaError_t


def main() -> None:
    status, pointer = runtime.cudaMalloc(1 << 60)
    print(f"a malloc of an exbibyte: {status.name} ({runtime.cudaGetErrorString(status)[1].decode()}), {pointer}")
    assert status == cudaError_t.cudaErrorMemoryAllocation

    (status,) = runtime.cudaFree(0xBAD)
    print(f"a free of a bad pointer: {status.name}")
    assert status == cudaError_t.cudaErrorInvalidValue

    # A program written for CUDA alone may list statuses that HIP does not have.
    if getattr(runtime, "HIP_PYTHON", False):
        cudaError_t.hallucinate = True
    fatal = {cudaError_t.cudaErrorSystemNotReady, cudaError_t.cudaErrorStartupFailure}
    print("fatal:", "no" if status not in fatal else "yes")


if __name__ == "__main__":
    main()
