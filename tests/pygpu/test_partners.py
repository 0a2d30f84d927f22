"""Arrays of PyGPU with those of other libraries: cuda.core and CuPy themselves, and a stand-in for PyTorch.

PyTorch's wheels for Linux on x86 are built for CUDA, take gigabytes, and refuse every tensor of a device without a
driver of NVIDIA. A stand-in has the interfaces of a tensor on the host, and treats a refused capsule as PyTorch does.
"""

from __future__ import annotations

import ctypes
import gc
import platform
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from cuda_shim.pygpu import dlpack
from tests import environments
from tests.adapters.answers import ok
from tests.hip_on_host.kernel_modules import COMPILER

PROGRAMS = Path(__file__).parent / "partners"
NEWEST = environments.HIP_PYTHON[environments.newest(environments.HIP_PYTHON)]

#: Libraries that CuPy's build for ROCm 7 is linked with, beside HIP.
AMD_LIBRARIES = [
    "librocfft.so.0", "libhipfft.so.0", "librocsolver.so.0", "libhipblas.so.3", "librocblas.so.5", "librccl.so.1",
    "libhipsparse.so.4", "libhiprand.so.1", "libroctx64.so.4", "libroctracer64.so.4",
]  # fmt: skip
#: The kernels inside CuPy are AMD's code, which is registered when it is loaded. None of them is launched.
REGISTRATION = """
extern "C" void *__hipRegisterFatBinary(const void *) { static void *handle; return &handle; }
extern "C" void __hipRegisterFunction() {}
extern "C" void __hipUnregisterFatBinary() {}
"""
#: As PyTorch does: the capsule is given back while the error is on its way.
REFUSAL = """
extern "C" void *PyExc_RuntimeError;
extern "C" void PyErr_SetString(void *, const char *);
extern "C" void refuse(void (*deleter)(void *), void *managed) {
    PyErr_SetString(PyExc_RuntimeError, "no driver");
    deleter(managed);
}
"""


def compile_library(folder: Path, name: str, text: str = "") -> Path:
    source, library = folder / f"{name}.cpp", folder / name
    source.write_text(text)
    subprocess.run([*COMPILER, "-shared", "-fPIC", source, "-o", library, f"-Wl,-soname,{name}"], check=True)
    return library


def test_cuda_core(shared_folder: Path):
    """By its last release that stands on the Python of cuda.bindings alone."""
    wheel = environments.build_wheel(shared_folder)
    python = environments.make(shared_folder / "cuda-core", str(wheel), NEWEST, "numpy", "cuda-core==0.3.2")
    assert python.run("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAMS / "cuda_core_program.py") == "ok\n"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="there is no wheel of CuPy for ROCm")
def test_cupy(shared_folder: Path, tmp_path: Path):
    """CuPy's build for ROCm, with the HIP library that the shim has loaded."""
    wheel = environments.build_wheel(shared_folder)
    python = environments.make(shared_folder / "cupy", str(wheel), NEWEST, "numpy", "cupy-rocm-7-0==14.2.0")
    loaded = python.run(
        "-m", "cuda_shim", "run", "--backend", "cpu", "-c",
        "import PyGPU; PyGPU.cudaSetDevice(0); from cuda_shim import backends; print(backends.decided().libamdhip64)",
    ).strip()  # fmt: skip
    (tmp_path / "libamdhip64.so.7").symlink_to(loaded)
    empty = compile_library(tmp_path, "libempty.so")
    for name in AMD_LIBRARIES:
        (tmp_path / name).symlink_to(empty)
    preloaded = compile_library(tmp_path, "libregistration.so", REGISTRATION)
    said = python.run(
        "-W", "ignore", "-m", "cuda_shim", "run", "--backend", "cpu", PROGRAMS / "cupy_program.py",
        LD_LIBRARY_PATH=str(tmp_path), LD_PRELOAD=str(preloaded),
    )  # fmt: skip
    assert said == "ok\n"


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="there is no wheel of numpy 1 for this Python")
def test_numpy_before_2(shared_folder: Path):
    """An interpreter with a numpy whose capsules are older than DLPack's version 1."""
    wheel = environments.build_wheel(shared_folder)
    python = environments.make(shared_folder / "numpy-1", str(wheel), NEWEST, "numpy==1.26.4")
    assert python.run("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAMS / "numpy_1_program.py") == "1.26.4\n"


class HostTensor:
    """Stand-in for a tensor of PyTorch on the host: no buffer, but numpy's and DLPack's methods, and an index."""

    def __init__(self, data: np.ndarray, numpys: Exception | None = None) -> None:
        self.data, self._numpys = data, numpys

    def __array__(self, dtype=None, copy=None):
        if self._numpys is not None:
            raise self._numpys
        return self.data

    def __index__(self):
        return self.data.__index__()

    def __dlpack__(self, **wanted):
        return self.data.__dlpack__(**wanted)

    def __dlpack_device__(self):
        return 1, 0


def test_a_tensor_of_the_host_is_a_buffer(gpu, double):
    data = np.arange(4)
    array = gpu.to_gpu(HostTensor(data))
    data += 1
    assert array.get().tolist() == [0, 1, 2, 3]
    array.to_gpu()
    double(array.ptr, 4)
    array.to_host()
    assert data.tolist() == [2, 4, 6, 8]
    array.set(HostTensor(np.arange(4)))
    assert array.get().tolist() == [0, 1, 2, 3]
    assert gpu.from_dlpack(HostTensor(np.arange(6).reshape(2, 3).T)).get().tolist() == [[0, 3], [1, 4], [2, 5]]
    low = gpu.DeviceArray_int64(HostTensor(data))
    assert low.allocate() == low.to_device() == 0
    data[:] = 0
    assert low.to_host() == 0
    assert data.tolist() == [2, 4, 6, 8]


def test_a_tensor_is_an_index(gpu):
    array = gpu.to_gpu(np.arange(6).reshape(3, 2))
    for index in (np.array([2, 0]), np.array(1), np.array([True, False, True])):
        assert array[HostTensor(index)].get().tolist() == np.arange(6).reshape(3, 2)[index].tolist()
    assert array[1:, HostTensor(np.array([1]))].get().tolist() == [[3], [5]]


def test_tensors_that_numpy_cannot_hold(gpu):
    """The messages are PyTorch's: of a dtype, and of a tensor with a gradient."""
    with pytest.raises(
        gpu.UnsupportedDataType, match=r"a HostTensor cannot become .*: Got unsupported ScalarType BFloat16"
    ):
        gpu.to_gpu(HostTensor(np.arange(2), TypeError("Got unsupported ScalarType BFloat16")))
    with pytest.raises(RuntimeError, match=r"Use tensor\.detach"):
        gpu.to_gpu(HostTensor(np.arange(2), RuntimeError("Use tensor.detach().numpy() instead.")))

    class Bfloat16(HostTensor):
        def __dlpack__(self, **wanted):
            capsule = np.arange(2, dtype=np.int16).__dlpack__()
            dlpack._content(capsule)[1].tensor.code = 4  # kDLBfloat
            return capsule

    with pytest.raises(gpu.UnsupportedDataType, match=r"from_dlpack.*: Bfloat16 on the host: "):
        gpu.from_dlpack(Bfloat16(np.arange(2)))


def test_an_array_that_has_dlpack_alone(gpu):
    """A GPUArray is made from an object with DLPack as from one with the other interface."""
    owner = gpu.to_gpu(np.arange(3))

    class Device:
        def __dlpack__(self, **wanted):
            return owner.__dlpack__(**wanted)

        def __dlpack_device__(self):
            return owner.__dlpack_device__()

    class Host(Device):
        def __dlpack__(self, **wanted):
            return np.arange(3).__dlpack__(**wanted)

        def __dlpack_device__(self):
            return 1, 0

    assert gpu.GPUArray(Device()).ptr == owner.ptr
    assert gpu.GPUArray(Host()).get().tolist() == [0, 1, 2]


@pytest.mark.parametrize("version", [None, (1, 0)], ids=["plain", "versioned"])
def test_a_consumer_that_refuses(gpu, cuda, tmp_path, version):
    """Its own error arrives, and the memory is given back."""
    refuse = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(
        ("refuse", ctypes.PyDLL(str(compile_library(tmp_path, "librefusal.so", REFUSAL))))
    )
    gc.collect()
    free = ok(cuda.runtime.cudaMemGetInfo())[0]
    capsule = gpu.GPUArray((1 << 16,), "int64").__dlpack__(max_version=version)
    name, managed = dlpack._content(capsule)
    dlpack._rename(capsule, dlpack._USED[name])
    with pytest.raises(RuntimeError, match="no driver"):
        refuse(managed.deleter, ctypes.addressof(managed))
    gc.collect()
    assert ok(cuda.runtime.cudaMemGetInfo())[0] == free


def test_a_consumer_of_another_thread(gpu, cuda):
    """It is done without the lock of the interpreter."""
    gc.collect()
    free = ok(cuda.runtime.cudaMemGetInfo())[0]
    capsule = gpu.GPUArray((1 << 16,), "int64").__dlpack__()
    name, managed = dlpack._content(capsule)
    dlpack._rename(capsule, dlpack._USED[name])
    delete = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)
    thread = threading.Thread(target=delete, args=(ctypes.addressof(managed),))
    thread.start()
    thread.join()
    gc.collect()
    assert ok(cuda.runtime.cudaMemGetInfo())[0] == free


def test_the_host_shares_memory_only_when_it_asks_to(gpu):
    """As a tensor of PyTorch on the host would: torch.utils.dlpack.from_dlpack takes the capsule."""
    array = gpu.to_gpu(np.arange(3))
    copied = np.from_dlpack(array, device="cpu")
    shared = np.from_dlpack(array, device="cpu", copy=False)
    assert shared.ctypes.data == array.ptr != copied.ctypes.data
    shared[:] = 7
    assert array.get().tolist() == [7, 7, 7]
    assert copied.tolist() == [0, 1, 2]


def test_a_gpu_shares_nothing_with_the_host(gpu, monkeypatch):
    array = gpu.to_gpu(np.arange(3))
    from cuda_shim import backends

    amd = backends.Backend(name="rocm", libamdhip64="libamdhip64.so", libhiprtc="libhiprtc.so", why="a test")
    monkeypatch.setattr(backends, "_decided", amd)
    assert array.__dlpack_device__() == (dlpack.ROCM, 0)
    assert array.__dlpack__(dl_device=(dlpack.CPU, 0))
    with pytest.raises(BufferError, match="without a copy"):
        array.__dlpack__(dl_device=(dlpack.CPU, 0), copy=False)


def test_a_capsule_says_whether_it_is_a_copy(gpu):
    array = gpu.to_gpu(np.arange(3))
    for wanted, flag in (
        ({}, 0),
        ({"copy": True}, 2),
        ({"dl_device": (1, 0)}, 2),
        ({"dl_device": (1, 0), "copy": False}, 0),
    ):
        capsule = array.__dlpack__(max_version=(1, 0), **wanted)
        assert dlpack._content(capsule)[1].flags & 2 == flag, wanted
