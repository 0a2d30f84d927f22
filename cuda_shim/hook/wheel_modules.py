"""The modules of NVIDIA's wheels, past those that are served: let through to an installed wheel, or refused by name.

Modules let through need no driver: they are Python, or compiled against `cuda.bindings.cydriver` and `cynvrtc`, which
are served. Most of the others would open NVIDIA's driver beside HIP.
"""

from __future__ import annotations

__all__ = ["LET_THROUGH", "REFUSED", "V2"]

#: The package whose functions raise exceptions. Its modules call the served `cydriver` and `cynvrtc`.
V2 = "cuda.bindings._v2"

_CUFILE = "GPUDirect Storage needs NVIDIA's driver; read the file on the host and copy it with cudaMemcpy"
_CUDLA = "deep learning accelerators are parts of NVIDIA's Tegra chips; HIP has none"
_FATBIN = (
    "nvFatbin takes comments out of PTX, and with them the code object that nvrtc gives here; load what nvrtc gives "
    "with cuModuleLoadData, which takes fat binaries made elsewhere too"
)
_NVML = (
    "NVML speaks with NVIDIA's kernel driver; ask cudaGetDeviceProperties and cudaMemGetInfo, or amdsmi on an AMD GPU"
)
_ADDRESSES = "it has addresses in NVIDIA's own libraries; compiled code reaches the functions through cuda.bindings.{}"
_EXAMPLES = "it belongs to NVIDIA's examples; cuda-bindings 13.4.4 has it, and it works where that is installed"
_NEWER = "it came with cuda-bindings 13.4; CUDA_SHIM_CUDA=13 serves it"
_PRIVATE = "it is an inner part of NVIDIA's wheel; compiled code uses cuda.bindings.cydriver and cyruntime"
_IN_UTILS = "it is a part of NVIDIA's cuda.bindings.utils; import its names from there"


def _under(parent: str, *children: str) -> frozenset[str]:
    """Return the full names of modules in `cuda.bindings` or one of its packages."""
    prefix = f"cuda.bindings.{parent}." if parent else "cuda.bindings."
    return frozenset(prefix + child for child in children)


_FINDING = ("path_finder", "_path_finder")
_FINDING_PARTS = (
    "find_nvidia_dynamic_library", "find_sub_dirs", "load_dl_common", "load_dl_linux", "load_dl_windows",
    "load_nvidia_dynamic_library", "supported_libs",
)  # fmt: skip

#: Where a wheel with such a module is installed, the module is the wheel's own.
LET_THROUGH = frozenset[str]().union(
    _under("", "_example_helpers", "_v2", *_FINDING),
    _under("_example_helpers", "common", "helper_cuda", "helper_string"),
    _under("_path_finder", *_FINDING_PARTS),
    _under("_v2", "driver", "nvrtc"),
)

#: The modules that are not served, each with the reason and the remedy.
REFUSED = {
    **dict.fromkeys(_under("", "cudla", "cycudla", "_internal.cudla"), _CUDLA),
    **dict.fromkeys(_under("", "cufile", "cycufile", "_internal.cufile"), _CUFILE),
    **dict.fromkeys(_under("", "cynvfatbin", "nvfatbin", "_internal.nvfatbin"), _FATBIN),
    **dict.fromkeys(_under("", "cynvml", "nvml", "_internal.nvml"), _NVML),
    **dict.fromkeys(_under("_internal", "driver"), _ADDRESSES.format("cydriver")),
    **dict.fromkeys(_under("_internal", "nvrtc"), _ADDRESSES.format("cynvrtc")),
    **dict.fromkeys(_under("_internal", "runtime", "runtime_ptds"), _ADDRESSES.format("cyruntime")),
    **dict.fromkeys(_under("_internal", "_fast_enum", "utils"), _PRIVATE),
    **dict.fromkeys(_under("", "_bindings", "_lib"), _PRIVATE),
    **dict.fromkeys(_under("utils", "_envvar", "_nvvm_utils", "_ptx_utils", "_version_check"), _IN_UTILS),
    **dict.fromkeys(_under("", "_version"), "cuda.bindings.__version__ is the version that is served"),
    **dict.fromkeys(_under("", "_example_helpers"), _EXAMPLES),
    **dict.fromkeys(_under("", "_test_helpers"), "it belongs to NVIDIA's tests of its own package, and asks NVML"),
    **dict.fromkeys(_under("", *_FINDING), "cuda.pathfinder has taken its place: pip install cuda-pathfinder"),
    **dict.fromkeys(_under("", "_v2", "_v2.nvrtc"), _NEWER),
    "cuda.bindings._v2.driver": "it is compiled, and works on cuda_shim as it is installed: pip install "
    "cuda-bindings==13.5.*; cuda.bindings.driver has the same functions",
    "cuda.pathfinder": "it is a package of its own, which works beside cuda_shim: pip install cuda-pathfinder",
}
