"""Loading hip-python onto the CPU-hosted runtime, in this process or in programs that tests start."""

from __future__ import annotations

import ctypes
import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

#: Long enough for a slow machine; reaching it means a hang, not slowness.
HANG = 60


def load(folder: str | Path) -> ModuleType:
    """Return hip-python's hip module, whichever generation is installed, using the libraries in ``folder/lib``."""
    os.environ["ROCM_PATH"] = str(folder)
    try:
        return importlib.import_module("rocm.bindings.hip")
    except ImportError:
        importlib.import_module("hip.chip").DLL = os.fsencode(Path(folder) / "lib/libamdhip64.so")  # type: ignore[attr-defined]
        return importlib.import_module("hip.hip")


def check(result: tuple[Any, ...]) -> Any:
    """Unpack a hip-python result, failing unless it is hipSuccess."""
    status, *values = result
    assert int(status) == 0, status
    return values[0] if len(values) == 1 else tuple(values)


def name(result: tuple[Any, ...]) -> str:
    """The name of a result's status."""
    return str(result[0].name)


def wait(library: ctypes.CDLL, stream: Any) -> None:
    """Synchronise without the interpreter's lock, which 7.2.2 keeps: Python callbacks need it meanwhile."""
    assert library.hipStreamSynchronize(ctypes.c_void_p(int(stream or 0))) == 0


PRELUDE = """
import ctypes, os, sys, threading, time
sys.path.insert(0, {tests!r})
from hip_program import check, device_properties, load, name, pointer_attributes
hip = load({folder!r})
"""


def run(folder: str | Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter that has hip, check and name, with the given environment variables."""
    prelude = PRELUDE.format(tests=str(Path(__file__).parent), folder=str(folder))
    return subprocess.run(
        [sys.executable, "-c", prelude + code], env={**os.environ, **environment}, capture_output=True, encoding="utf-8",
        timeout=HANG, check=False,
    )  # fmt: skip


def device_properties(hip: ModuleType, ordinal: int) -> tuple[Any, ...]:
    """hipGetDeviceProperties as 10.0 has it; 7.2.2 wants the struct as an argument."""
    try:
        return tuple(hip.hipGetDeviceProperties(ordinal))
    except TypeError:
        properties = hip.hipDeviceProp_t()
        return (*hip.hipGetDeviceProperties(properties, ordinal), properties)


def pointer_attributes(hip: ModuleType, pointer: Any) -> tuple[Any, ...]:
    """hipPointerGetAttributes as 10.0 has it; 7.2.2 wants the struct as an argument."""
    try:
        return tuple(hip.hipPointerGetAttributes(pointer))
    except TypeError:
        attributes = hip.hipPointerAttribute_t()
        return (*hip.hipPointerGetAttributes(attributes, pointer), attributes)


def allowed_handle_types(hip: ModuleType, pointer: int) -> int:
    """Return hipPointerGetAttribute's mask of the handle types that the memory at an address can be exported as."""
    value = ctypes.c_uint64(0xFF)
    which = hip.hipPointer_attribute.HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES
    check(hip.hipPointerGetAttribute(ctypes.addressof(value), which, pointer))
    return value.value
