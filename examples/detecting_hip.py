"""Detecting HIP: one program for NVIDIA's cuda-python and for HIP, with a HIP call where that is possible."""

from cuda.bindings import runtime


def describe() -> str:
    """HIP's own version where HIP serves the program, else CUDA's."""
    if getattr(runtime, "HIP_PYTHON", False):
        # hip-python's own module: its functions return HIP's statuses and take HIP's enums.
        status, version = runtime.hip.hipRuntimeGetVersion()
        assert status == runtime.hip.hipError_t.hipSuccess
        return f"HIP {version}"
    _, version = runtime.cudaRuntimeGetVersion()
    return f"CUDA {version // 1000}.{version % 1000 // 10}"


if __name__ == "__main__":
    print("served by", describe())
