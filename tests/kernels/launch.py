"""Runs cases through CUDA Python: on an NVIDIA GPU with NVIDIA's own, elsewhere with cuda_shim in its place."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np
from calls import Failed, checked
from corpus import Case, Run
from corpus.images import Surface, Texture
from cuda.bindings import driver, nvrtc
from images import Image


class Device:
    """The first device with its primary context, and the architecture that NVRTC is reported."""

    def __init__(self) -> None:
        checked(driver.cuInit(0))
        self._device = checked(driver.cuDeviceGet(0))
        checked(driver.cuCtxSetCurrent(checked(driver.cuDevicePrimaryCtxRetain(self._device))))
        attribute = driver.CUdevice_attribute
        major, minor = (
            checked(
                driver.cuDeviceGetAttribute(
                    getattr(attribute, f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{part}"), self._device
                )
            )
            for part in ("MAJOR", "MINOR")
        )
        self.architecture = f"{major}{minor}"
        self.name = checked(driver.cuDeviceGetName(128, self._device)).partition(b"\0")[0].decode()

    def close(self) -> None:
        checked(driver.cuDevicePrimaryCtxRelease(self._device))


def texts_of(case: Case, translated_for: str | None) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    """A case's source and headers (name, text), as they are or as they would be for an AMD architecture."""
    source, headers = case.source.encode(), [(name.encode(), text.encode()) for name, text in case.headers.items()]
    if translated_for is None:
        return source, headers
    from cuda_shim.translate.source import to_hip

    translated = to_hip(source, case.file.encode(), headers, architecture=translated_for)
    return translated.source, translated.headers


def compile_case(case: Case, architecture: str, translated_for: str | None = None) -> tuple[bytes, bytes]:
    """The image of a case's program and its kernel's lowered name. Raises Failed with the log."""
    source, headers = texts_of(case, translated_for)
    names, texts = [name for name, _ in headers], [text for _, text in headers]
    program = checked(nvrtc.nvrtcCreateProgram(source, case.file.encode(), len(names), texts, names))
    try:
        checked(nvrtc.nvrtcAddNameExpression(program, case.kernel.encode()))
        options = [f"--gpu-architecture=sm_{architecture}".encode(), *(o.encode() for o in case.options)]
        if case.toolkit:
            options += [
                b"-I" + folder.encode() for folder in os.environ.get("CUDA_INCLUDE", "").split(os.pathsep) if folder
            ]
        (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
        if int(status) != 0:
            log = b" " * checked(nvrtc.nvrtcGetProgramLogSize(program))
            checked(nvrtc.nvrtcGetProgramLog(program, log))
            raise Failed(f"{status!r}\n{log.rstrip(bytes(1) + b' ').decode(errors='replace')}")
        # A cubin runs on a driver that is older than NVRTC, which PTX does not.
        image = b" " * checked(nvrtc.nvrtcGetCUBINSize(program))
        checked(nvrtc.nvrtcGetCUBIN(program, image))
        return image, checked(nvrtc.nvrtcGetLoweredName(program, case.kernel.encode()))
    finally:
        checked(nvrtc.nvrtcDestroyProgram(program))


def launch(
    case: Case, run: Run, device: Device, translated_for: str | None = None
) -> tuple[list[Any], dict[str, np.ndarray]]:
    """The arguments after the launch, and the device variables that are asked for."""
    image, kernel = compile_case(case, device.architecture, translated_for)
    held = ctypes.create_string_buffer(image, len(image))
    module = checked(driver.cuModuleLoadData(ctypes.addressof(held)))
    buffers: list[Any] = []
    try:
        for name, value in run.globals.items():
            address, size = checked(driver.cuModuleGetGlobal(module, name.encode()))
            assert size == value.nbytes, f"{name} has {size} bytes, not {value.nbytes}"
            checked(driver.cuMemcpyHtoD(address, value.ctypes.data, value.nbytes))
        values, buffers = _arguments(run)
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        function = checked(driver.cuModuleGetFunction(module, kernel))
        start = driver.cuLaunchCooperativeKernel if case.cooperative else driver.cuLaunchKernel
        tail = (ctypes.addressof(pointers),) if case.cooperative else (ctypes.addressof(pointers), 0)
        checked(start(function, *_sizes(run.grid), *_sizes(run.block), run.shared, 0, *tail))
        checked(driver.cuCtxSynchronize())
        return _results(run, buffers), _variables(run, module)
    finally:
        for buffer in buffers:
            if isinstance(buffer, Image):
                buffer.close()
            elif buffer is not None:
                checked(driver.cuMemFree(buffer))
        checked(driver.cuModuleUnload(module))


def _sizes(sizes: int | tuple[int, ...]) -> tuple[int, int, int]:
    given = (sizes,) if isinstance(sizes, int) else sizes
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


def _arguments(run: Run) -> tuple[list[Any], list[Any]]:
    """Each argument as memory that its bytes are in, and the device memory of each array, or the image."""
    values: list[Any] = []
    buffers: list[Any] = []
    for argument in run.args:
        if isinstance(argument, np.ndarray):
            buffer = checked(driver.cuMemAlloc(max(argument.nbytes, 1)))
            checked(driver.cuMemcpyHtoD(buffer, argument.ctypes.data, argument.nbytes))
            buffers.append(buffer)
            values.append(ctypes.c_void_p(int(buffer)))
        elif isinstance(argument, (Texture, Surface)):
            buffers.append(Image(argument))
            values.append(ctypes.c_ulonglong(int(buffers[-1].handle)))
        else:
            buffers.append(None)
            data = argument if isinstance(argument, bytes) else argument.tobytes()
            values.append((ctypes.c_char * max(len(data), 1)).from_buffer_copy(data))
    return values, buffers


def _results(run: Run, buffers: list[Any]) -> list[Any]:
    results: list[Any] = []
    for argument, buffer in zip(run.args, buffers, strict=True):
        if buffer is None or isinstance(argument, Texture):
            results.append(argument)
        elif isinstance(argument, Surface):
            results.append(buffer.contents())
        else:
            found = np.empty_like(argument)
            checked(driver.cuMemcpyDtoH(found.ctypes.data, buffer, found.nbytes))
            results.append(found)
    return results


def _variables(run: Run, module: Any) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    for name, expected in run.expected_globals.items():
        address, size = checked(driver.cuModuleGetGlobal(module, name.encode()))
        assert size == expected.nbytes, f"{name} has {size} bytes, not {expected.nbytes}"
        found[name] = np.empty_like(expected)
        checked(driver.cuMemcpyDtoH(found[name].ctypes.data, address, size))
    return found
