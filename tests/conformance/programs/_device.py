"""Preparations that nearly every program shares: a context, and kernels."""

from __future__ import annotations

from typing import Any

from cuda.bindings import driver, nvrtc, runtime


def good(result: tuple[Any, ...]) -> Any:
    """The outputs of a call that a program only prepares with; any failure ends the program."""
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def context() -> Any:
    """Make the first device's primary context current; the device."""
    good(driver.cuInit(0))
    device = good(driver.cuDeviceGet(0))
    good(driver.cuCtxSetCurrent(good(driver.cuDevicePrimaryCtxRetain(device))))
    return device


def runtime_device() -> None:
    """Start the runtime on the first device."""
    good(runtime.cudaSetDevice(0))
    good(runtime.cudaFree(0))


def architecture() -> bytes:
    """The option that has a program compiled for the first device."""
    good(driver.cuInit(0))
    attribute = driver.CUdevice_attribute
    major = good(driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0))
    minor = good(driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0))
    return f"--gpu-architecture=sm_{major}{minor}".encode()


def image(source: str) -> bytes:
    """A module compiled for the first device."""
    program = good(nvrtc.nvrtcCreateProgram(source.encode(), b"program.cu", 0, [], []))
    good(nvrtc.nvrtcCompileProgram(program, 1, [architecture()]))
    filled = b" " * good(nvrtc.nvrtcGetCUBINSize(program))
    good(nvrtc.nvrtcGetCUBIN(program, filled))
    good(nvrtc.nvrtcDestroyProgram(program))
    return filled


def module(source: str) -> Any:
    """A loaded module."""
    return good(driver.cuModuleLoadData(image(source)))


def function(source: str, name: bytes) -> Any:
    """A kernel."""
    return good(driver.cuModuleGetFunction(module(source), name))
