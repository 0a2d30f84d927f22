"""Compiles and launches through the served modules, on their first device."""

from __future__ import annotations

import ctypes
import re
from typing import Any

from cuda_shim.translate.refusal_log import NOT_SUPPORTED
from cuda_shim.verify.calls import Failed, Refused, checked
from cuda_shim.verify.images import Image
from cuda_shim.verify.launches import Argument, Array, Batch, Case, Launch, Result, Surface, Texture

__all__ = ["Device"]

#: Messages by which the translation marks a construct that it refuses; the reason follows.
_REFUSALS = (
    re.compile(rf"error: {NOT_SUPPORTED}(.+)"),
    re.compile(r"(.+ (?:(?:has|have) no counterpart in HIP|(?:is|are) not translated).*)"),
    re.compile(r"error: (The image/texture API not supported on the device)"),  # HIP's own header, without image units
)
_NO_IMAGES = "the device has no image units, which textures and surfaces need"


class Device:
    """The first device with its primary context.

    Attributes:
        name: the device's name.
        architecture: the compute capability as NVRTC's option spells it, such as "80".
        driver_version: the version that cuDriverGetVersion returns.
        has_images: True if it has textures and surfaces; AMD's MI300 has none.
    """

    def __init__(self) -> None:
        """Find the device. Raises Failed where there is none."""
        from cuda.bindings import driver, nvrtc

        self._driver, self._nvrtc = driver, nvrtc
        checked(driver.cuInit, 0)
        device = self._device = checked(driver.cuDeviceGet, 0)
        checked(driver.cuCtxSetCurrent, checked(driver.cuDevicePrimaryCtxRetain, device))
        attribute = driver.CUdevice_attribute
        names = ("COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR", "MAXIMUM_TEXTURE1D_WIDTH")
        major, minor, width = (
            checked(driver.cuDeviceGetAttribute, getattr(attribute, f"CU_DEVICE_ATTRIBUTE_{name}"), device)
            for name in names
        )
        self.architecture, self.has_images = f"{major}{minor}", width > 0
        self.name = checked(driver.cuDeviceGetName, 128, device).partition(b"\0")[0].decode(errors="replace")
        self.driver_version = int(checked(driver.cuDriverGetVersion))

    def close(self) -> None:
        """Release the primary context. Raises Failed."""
        checked(self._driver.cuDevicePrimaryCtxRelease, self._device)

    def load(self, batch: Batch, cases: tuple[Case, ...]) -> Module:
        """Compile, or load, the text of these cases.

        Raises Refused where the translation or the device refuses it, Failed with the messages where it is wrong.
        """
        source = batch.source(cases).encode()
        if batch.language == "ptx":
            image, kernels = source + b"\0", {case.launch.kernel: case.launch.kernel for case in cases}
        else:
            image, kernels = self._compiled(batch, source, [case.launch.kernel for case in cases])
        return Module(self._driver, image, kernels, self.has_images)

    def _compiled(self, batch: Batch, source: bytes, kernels: list[str]) -> tuple[bytes, dict[str, str]]:
        """Return the image, and the kernels' lowered names by their expressions."""
        nvrtc = self._nvrtc
        names = [name.encode() for name in batch.headers]
        texts = [text.encode() for text in batch.headers.values()]
        program = checked(nvrtc.nvrtcCreateProgram, source, batch.file.encode(), len(names), texts, names)
        try:
            for kernel in dict.fromkeys(kernels):
                checked(nvrtc.nvrtcAddNameExpression, program, kernel.encode())
            options = [f"--gpu-architecture=sm_{self.architecture}", *batch.options]
            (status,) = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
            if int(status) != 0:
                raise _compile_failure(status.name, self._log(program))
            image = b" " * checked(nvrtc.nvrtcGetCUBINSize, program)
            checked(nvrtc.nvrtcGetCUBIN, program, image)
            lowered = {name: checked(nvrtc.nvrtcGetLoweredName, program, name.encode()) for name in kernels}
            return image, {name: symbol.decode() for name, symbol in lowered.items()}
        finally:
            checked(nvrtc.nvrtcDestroyProgram, program)

    def _log(self, program: Any) -> str:
        log = bytearray(checked(self._nvrtc.nvrtcGetProgramLogSize, program))
        checked(self._nvrtc.nvrtcGetProgramLog, program, log)
        return log.partition(b"\0")[0].decode(errors="replace").strip()


def _compile_failure(status: str, log: str) -> Exception:
    """Return Refused with the translation's reason, or Failed with the compiler's first errors."""
    for pattern in _REFUSALS:
        if refusal := pattern.search(log):
            return Refused(refusal[1].strip())
    errors = [line for line in log.splitlines() if "error" in line][:3] or log.splitlines()[:3] or ["an empty log"]
    return Failed(f"nvrtcCompileProgram returned {status}: " + " | ".join(errors))


class Module:
    """A loaded module."""

    def __init__(self, driver: Any, image: bytes, kernels: dict[str, str], has_images: bool) -> None:
        """Load an image; `kernels` are the lowered names of kernels. Raises Refused, Failed."""
        self._driver, self._kernels, self._has_images = driver, kernels, has_images
        self._image = ctypes.create_string_buffer(image, len(image))  # as long as the module may read it
        self._module = checked(driver.cuModuleLoadData, ctypes.addressof(self._image))

    def run(self, launch: Launch, variables: dict[str, int]) -> Result:
        """Launch a kernel; return the arrays, surfaces and device variables (with their sizes in bytes) after it.

        Raises Refused, Failed.
        """
        driver = self._driver
        for name, data in launch.variables.items():
            checked(driver.cuMemcpyHtoD, self._variable(name, len(data)), data, len(data))
        buffers: list[Any] = []
        try:
            values = [self._argument(argument, buffers) for argument in launch.arguments]
            pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
            function = checked(driver.cuModuleGetFunction, self._module, self._kernels[launch.kernel].encode())
            sizes = (*launch.grid, *launch.block, launch.shared, 0, ctypes.addressof(pointers))
            if launch.cooperative:
                checked(driver.cuLaunchCooperativeKernel, function, *sizes)
            else:
                checked(driver.cuLaunchKernel, function, *sizes, 0)
            checked(driver.cuCtxSynchronize)
            results = self._contents(launch, buffers)
            results.update({name: self._read(self._variable(name, size), size) for name, size in variables.items()})
        finally:
            # After a fault every further call fails as well: the first failure is the one to report.
            failures = [failure for buffer in buffers if (failure := self._free(buffer)) is not None]
        if failures:
            raise failures[0]
        return results

    def close(self) -> None:
        """Unload the module. Raises Failed."""
        checked(self._driver.cuModuleUnload, self._module)

    def _argument(self, argument: Argument, buffers: list[Any]) -> Any:
        """Return memory that holds an argument's value; append the memory that it points to to `buffers`."""
        if isinstance(argument, bytes):
            buffers.append(None)
            return (ctypes.c_char * max(len(argument), 1)).from_buffer_copy(argument or b"\0")
        if isinstance(argument, (Texture, Surface)):
            if not self._has_images:
                raise Refused(_NO_IMAGES)
            image = Image(self._driver, argument)
            buffers.append(image)
            return ctypes.c_ulonglong(int(image.handle))
        memory = checked(self._driver.cuMemAlloc, max(len(argument.data), 1))
        buffers.append(memory)
        if argument.data:
            checked(self._driver.cuMemcpyHtoD, memory, argument.data, len(argument.data))
        return ctypes.c_void_p(int(memory))

    def _contents(self, launch: Launch, buffers: list[Any]) -> Result:
        results: Result = {}
        for place, (argument, buffer) in enumerate(zip(launch.arguments, buffers, strict=True)):
            if isinstance(argument, Surface):
                results[place] = buffer.contents()
            elif isinstance(argument, Array):
                results[place] = self._read(buffer, len(argument.data))
        return results

    def _read(self, address: Any, size: int) -> bytes:
        buffer = bytearray(size)
        if size:
            checked(self._driver.cuMemcpyDtoH, buffer, address, size)
        return bytes(buffer)

    def _variable(self, name: str, size: int) -> Any:
        address, actual = checked(self._driver.cuModuleGetGlobal, self._module, name.encode())
        if actual != size:
            raise Failed(f"cuModuleGetGlobal: {name} has {actual} bytes instead of {size}")
        return address

    def _free(self, buffer: Any) -> Exception | None:
        try:
            if isinstance(buffer, Image):
                buffer.close()
            elif buffer is not None:
                checked(self._driver.cuMemFree, buffer)
        except (Failed, Refused) as failure:
            return failure
        return None
