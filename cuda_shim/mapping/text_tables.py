"""The tables that are read by name, such as NVRTC's options, names of device code, PTX, PyGPU, packages.

An installed copy holds them compiled (`cuda_shim._tables`); a source checkout reads the YAML.
"""

from __future__ import annotations

import importlib
from functools import cache

from cuda_shim.mapping.store import missing_yaml, source_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path  # an installed copy never uses one
    from typing import Any

__all__ = ["TEXT_TABLES", "load_text", "read_text"]

TEXT_TABLES = ("amd", "device", "nvrtc_messages", "nvrtc_options", "packages", "parameters", "ptx", "pygpu")


@cache
def load_text(name: str) -> dict[str, dict[str, Any]]:
    """Return the rows of a text table by name. Raises TableError as `store.load` does."""
    try:
        compiled = importlib.import_module(f"cuda_shim._tables.{name}")
    except ModuleNotFoundError as missing:
        if missing.name not in ("cuda_shim._tables", f"cuda_shim._tables.{name}"):
            raise
        folder = source_folder()
        try:
            return read_text(folder, name)
        except ModuleNotFoundError as no_yaml:
            raise missing_yaml(folder) from no_yaml
    rows: dict[str, dict[str, Any]] = compiled.ROWS
    return rows


def read_text(folder: Path, name: str) -> dict[str, dict[str, Any]]:
    """Return the rows of `<folder>/<name>.yaml`, read strictly."""
    from cuda_shim.mapping.amd_reader import read_amd
    from cuda_shim.mapping.device_reader import read_device
    from cuda_shim.mapping.message_reader import read_messages
    from cuda_shim.mapping.option_reader import read_options
    from cuda_shim.mapping.package_reader import read_packages
    from cuda_shim.mapping.parameter_reader import read_parameters
    from cuda_shim.mapping.ptx_reader import read_ptx
    from cuda_shim.mapping.pygpu_reader import read_pygpu

    readers = {
        "amd": read_amd, "device": read_device, "nvrtc_messages": read_messages, "nvrtc_options": read_options,
        "packages": read_packages, "parameters": read_parameters, "ptx": read_ptx, "pygpu": read_pygpu,
    }  # fmt: skip
    return readers[name](folder / f"{name}.yaml")
