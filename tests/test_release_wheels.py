"""Released wheels: their contents, where they install, and that they answer where no compiler is.

zig takes minutes for both machines, so those tests run only with CUDA_SHIM_TEST_RELEASE=1; the others put this
machine's own libraries into the wheel.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from cuda_shim import settings
from cuda_shim.backends import host_libraries
from cuda_shim.binding.native_calls import build as calls
from cuda_shim.c_level import build as c_level
from tests import environments

ELF_MACHINES = {"x86_64": 62, "aarch64": 183}
LIBRARIES = ("libamdhip64.so", "libhiprtc.so")
RELEASE = os.environ.get("CUDA_SHIM_TEST_RELEASE") == "1"

#: A compiled package finds its C functions, and a program opens the driver by name.
COMPILED = """
import ctypes
from cuda.core import Device
device = Device()
device.set_current()
stream = device.create_stream()
device.memory_resource.allocate(64, stream=stream).close(stream)
stream.sync()
print(ctypes.CDLL("libcuda.so.1").cuInit(0))
"""
DEVICES = "from cuda.bindings import driver; print(driver.cuInit(0)[0].name, driver.cuDeviceGetCount()[1])"
SAXPY = (environments.ROOT / "tests/programs/saxpy_overview.py").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def release_wheels() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release_wheels", environments.ROOT / "tools/release_wheels.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_without_libraries_the_wheel_is_pure(release_wheels: ModuleType, tmp_path: Path) -> None:
    wheel = release_wheels.build_wheel(None, tmp_path)
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if "/prebuilt/" in name]


@pytest.fixture(scope="module")
def own_libraries(release_wheels: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This machine's libraries as a release has them, built by zig or by the compiler that is here."""
    machine = platform.machine()
    folder = tmp_path_factory.mktemp("libraries") / machine
    if RELEASE:
        release_wheels.build_libraries(machine, folder)
    else:
        (folder / "lib").mkdir(parents=True)
        for name in LIBRARIES:
            (folder / "lib" / name).write_bytes(
                Path(host_libraries.ensure_libraries(settings.current()), "lib", name).read_bytes()
            )
        (folder / "platform").write_text(release_wheels.platform_tag(machine))
    return folder


@pytest.fixture(scope="module")
def own_c_level(release_wheels: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C interface as a release has it, of one layout unless it is a release."""
    folder = tmp_path_factory.mktemp("c_level") / platform.machine()
    if RELEASE:
        release_wheels.build_c_level(platform.machine(), folder)
    else:
        entry = Path(c_level.ensure_library("13.5", settings.current()))
        shutil.copytree(entry, folder / c_level.shipped_name("13.5"))
    return folder


@pytest.fixture(scope="module")
def own_calls(release_wheels: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library of calls as a release has it."""
    folder = tmp_path_factory.mktemp("calls") / platform.machine()
    if RELEASE:
        release_wheels.build_calls(platform.machine(), folder)
    else:
        shutil.copytree(Path(calls.ensure_library(settings.current())).parent, folder)
    return folder


def test_a_wheel_with_libraries_needs_no_compiler(
    release_wheels: ModuleType, own_libraries: Path, own_c_level: Path, own_calls: Path, tmp_path: Path
) -> None:  # fmt: skip
    machine = platform.machine()
    built = {"hip_on_host/prebuilt": own_libraries, "cuda_shim/c_level/prebuilt": own_c_level}
    wheel = release_wheels.build_wheel(
        machine, tmp_path, {**built, "cuda_shim/binding/native_calls/prebuilt": own_calls}
    )
    assert wheel.name.endswith(f"-py3-none-manylinux_2_31_{machine}.whl")
    held = {Path(name).name for name in zipfile.ZipFile(wheel).namelist() if f"/prebuilt/{machine}/lib/" in name}
    assert held == set(LIBRARIES)
    python = environments.make(tmp_path / "bare", str(wheel), environments.HIP_PYTHON["10.0"], "numpy", "cuda-core")
    alone = {"PATH": str(tmp_path / "none"), "CUDA_SHIM_CACHE_DIR": str(tmp_path / "cache"), "CUDA_SHIM_BACKEND": "cpu"}
    assert python.run("-c", DEVICES, CUDA_SHIM="1", **alone) == "CUDA_SUCCESS 1\n"
    assert python.run("-c", COMPILED, CUDA_SHIM="1", **alone) == "0\n"
    # As in a container: no home, and nothing that can be written.
    bare = {**alone, "HOME": "/nonexistent", "CUDA_SHIM_CACHE_DIR": "/proc/none"}
    assert python.run("-c", DEVICES, CUDA_SHIM="1", **bare) == "CUDA_SUCCESS 1\n"
    maps = "from cuda.bindings import driver; driver.cuInit(0); print(open('/proc/self/maps').read())"
    assert f"native_calls/prebuilt/{machine}/calls.so" in python.run("-c", maps, CUDA_SHIM="1", **alone)
    assert not [name for name in ("runtime", "c_level", "calls") if (tmp_path / "cache" / name).exists()]
    # The numbers of another hip-python are others, so its library is built: an error, where there is no compiler.
    environments.install(python, environments.HIP_PYTHON["7.2.2"])
    assert "compiler" in python.start("-c", COMPILED, CUDA_SHIM="1", **alone).stderr
    environments.install(python, environments.HIP_PYTHON["10.0"])
    environments.install(python, "ziglang")
    python.run("-c", SAXPY, CUDA_SHIM="1", **alone)  # raises when the result is wrong


@pytest.mark.skipif(not RELEASE, reason="takes minutes: CUDA_SHIM_TEST_RELEASE=1")
@pytest.mark.parametrize("machine", sorted(ELF_MACHINES))
def test_libraries_are_for_their_machine_and_debian_11(
    release_wheels: ModuleType, tmp_path: Path, machine: str
) -> None:  # fmt: skip
    release_wheels.build_libraries(machine, tmp_path / machine)
    release_wheels.build_c_level(machine, tmp_path / "c_level")
    release_wheels.build_calls(machine, tmp_path / "calls")
    built = list((tmp_path / "c_level").glob("*/lib*"))
    assert len(built) == 3 * (1 + 6)
    for path in [tmp_path / "calls/calls.so", *built, *(tmp_path / machine / "lib" / name for name in LIBRARIES)]:
        check_library(path, machine)


def check_library(path: Path, machine: str) -> None:
    """It is an ELF file for the machine, and needs no symbol that is newer than the C library of Debian 11."""
    image = path.read_bytes()
    assert image[:5] == b"\x7fELF\x02"
    assert int.from_bytes(image[18:20], "little") == ELF_MACHINES[machine]
    needed = {tuple(map(int, version.split(b"."))) for version in re.findall(rb"GLIBC_([0-9.]+)\0", image)}
    assert needed or "cuda_shim_c" not in path.name
    assert max(needed, default=(2, 0)) <= (2, 31), needed
    assert b"libstdc++" not in image
