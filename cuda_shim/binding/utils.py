"""`cuda.bindings.utils`: helpers that NVIDIA ships as Python, reimplemented over this package's objects."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from cuda_shim.binding.handles import is_handle_class
from cuda_shim.mapping.layouts import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.untyped import AnyFunction, RowObject

__all__ = ["contents"]

# PTX version to the CUDA version that brought it, from NVIDIA's PTX ISA release history.
_CUDA_OF_PTX = {
    "1.0": 1000, "1.1": 1010, "1.2": 2000, "1.3": 2010, "1.4": 2020, "2.0": 3000, "2.1": 3010, "2.2": 3020,
    "2.3": 4000, "3.0": 4010, "3.1": 5000, "3.2": 5050, "4.0": 6000, "4.1": 6050, "4.2": 7000, "4.3": 7050,
    "5.0": 8000, "6.0": 9000, "6.1": 9010, "6.2": 9020, "6.3": 10000, "6.4": 10010, "6.5": 10020,
    "7.0": 11000, "7.1": 11010, "7.2": 11020, "7.3": 11030, "7.4": 11040, "7.5": 11050, "7.6": 11060,
    "7.7": 11070, "7.8": 11080, "8.0": 12000, "8.1": 12010, "8.2": 12020, "8.3": 12030, "8.4": 12040,
    "8.5": 12050, "8.6": 12070, "8.7": 12080, "8.8": 12090, "9.0": 13000, "9.1": 13010, "9.2": 13020, "9.3": 13030,
    "9.4": 13040, "9.5": 13050,
}  # fmt: skip


def get_minimal_required_cuda_ver_from_ptx_ver(ptx_version: str) -> int:
    """Return the CUDA version, such as 12090, that first understood a PTX version such as "8.8".

    Raises ValueError for a PTX version that is not known.
    """
    try:
        return _CUDA_OF_PTX[ptx_version]
    except KeyError:
        raise ValueError(f"Unknown or unsupported PTX ISA version: {ptx_version}") from None


def get_ptx_ver(ptx: str) -> str:
    """Return the version in the `.version` line of PTX text. Raises ValueError where there is no such line."""
    match = re.search(r"\.version\s+(\d+\.\d+)", ptx)
    if match is None:
        raise ValueError("No .version directive found in PTX source. Is it a valid PTX?")
    return match[1]


def envvar_bool(name: str, default: bool = False) -> bool:
    """Return an environment variable as a bool.

    Words for yes and no count in any case, an integer as in C; any other text is True. `default` is for a variable that
    is unset or blank.
    """
    text = os.environ.get(name, "").strip().lower()
    if not text:
        return default
    if text in ("true", "yes", "on"):
        return True
    if text in ("false", "no", "off"):
        return False
    try:
        return int(text, 0) != 0
    except ValueError:
        return True


def check_nvvm_compiler_options(options: Sequence[str]) -> bool:
    """Return whether libNVVM takes these options: it does not exist under HIP, so never."""
    return False


def warn_if_cuda_major_version_mismatch() -> None:
    """Do nothing. NVIDIA's warns where the driver is older than the bindings; here both report the version served."""


def _native_handle() -> AnyFunction:
    def get_cuda_native_handle(obj: RowObject) -> int:
        """Return the address that a pointer handle holds. Raises TypeError for everything else."""
        kind = type(obj)
        if not (is_handle_class(kind) and hasattr(kind, "__index__")) or kind.__name__ == "nvrtcProgram":
            raise TypeError(f"Unknown type: {kind}")
        return int(obj)

    return get_cuda_native_handle


def contents(cuda: str) -> dict[str, object]:
    """Return the module's names in layout `cuda`."""
    functions: dict[str, object] = {
        "get_cuda_native_handle": _native_handle(),
        "get_minimal_required_cuda_ver_from_ptx_ver": get_minimal_required_cuda_ver_from_ptx_ver,
        "get_ptx_ver": get_ptx_ver,
    }
    if layout(cuda).has_newer_utils:
        functions["check_nvvm_compiler_options"] = check_nvvm_compiler_options
        functions["envvar_bool"] = envvar_bool
        functions["warn_if_cuda_major_version_mismatch"] = warn_if_cuda_major_version_mismatch
    return functions
