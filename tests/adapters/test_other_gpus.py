"""A code object for another GPU is refused with both names and a remedy."""

import logging
import struct
from types import SimpleNamespace
from typing import Any

import pytest

from cuda_shim.adapters import code_object, image
from tests.adapters.amd_code import build
from tests.adapters.answers import failed


@pytest.fixture(scope="module")
def gfx90a(tmp_path_factory):
    return build("gfx90a:sramecc+:xnack-", tmp_path_factory.mktemp("gfx90a"))


def bundle(*targets):
    """A bundle as hipcc writes it, without its code."""
    names = [b"host-x86_64-unknown-linux--", *(b"hipv4-amdgcn-amd-amdhsa--" + target for target in targets)]
    table = b"".join(struct.pack("<QQQ", 4096, 0, len(name)) + name for name in names)
    return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(names)) + table.ljust(8192, b"\0")


def test_host_cores_name_the_target(cuda, gfx90a, tmp_path, caplog):
    path = tmp_path / "code.co"
    path.write_bytes(gfx90a)
    with caplog.at_level(logging.WARNING, "cuda_shim"):
        failed(cuda.driver.cuModuleLoadData(gfx90a), "CUDA_ERROR_NO_BINARY_FOR_GPU", 1)
        failed(cuda.driver.cuModuleLoad(str(path).encode()), "CUDA_ERROR_NO_BINARY_FOR_GPU", 1)
        failed(cuda.driver.cuLibraryLoadData(gfx90a, None, None, 0, None, None, 0), "CUDA_ERROR_NO_BINARY_FOR_GPU", 1)
    said = "a code object for gfx90a:sramecc+:xnack-, and the CPU backend runs kernels on host cores"
    assert [said in line for line in caplog.messages] == [True] * 3


def test_an_address_is_as_good_as_bytes(cuda, gfx90a, caplog):
    import ctypes

    held = ctypes.create_string_buffer(gfx90a, len(gfx90a))
    failed(cuda.driver.cuModuleLoadData(ctypes.addressof(held)), "CUDA_ERROR_NO_BINARY_FOR_GPU", 1)
    assert "gfx90a" in caplog.text


def explained(table: str, code: bytes) -> image.Image | None:
    binding: Any = SimpleNamespace(hip_python=None, api=table)
    return image.for_another_gpu(binding, code)


@pytest.mark.parametrize(
    ("device", "other"),
    [
        ("gfx1100", True),
        ("gfx90a:sramecc+:xnack+", True),
        ("gfx90a:sramecc+:xnack-", False),
        ("", False),  # HIP does not report the GPU
    ],
)
def test_the_current_device_is_named(cuda, gfx90a, device, other, monkeypatch):
    monkeypatch.setattr(image, "of_current_device", lambda hip_python: device)
    found = explained("driver", gfx90a)
    assert (found is not None) is other
    if found is not None:
        assert f"the current device is {device}: compile" in found.log
        assert f"CUDA_SHIM_GFX={device.partition(':')[0]}" in found.log


@pytest.mark.parametrize(
    ("targets", "other"),
    [
        ([b"gfx90a", b"gfx942"], True),
        ([b"gfx942", b"gfx1100"], False),
        ([b"gfx11-generic"], False),  # a family, of which the device may be one
        ([], False),
    ],
)
def test_bundles_name_all_their_targets(targets, other, monkeypatch):
    monkeypatch.setattr(image, "of_current_device", lambda hip_python: "gfx1100")
    found = explained("runtime", bundle(*targets))
    assert (found is not None) is other
    if found is not None:
        assert found.status == "cudaErrorNoKernelImageForDevice"
        assert "a code object for gfx90a, gfx942, and" in found.log


@pytest.mark.parametrize("damaged", [bundle(b"gfx90a")[:40], b"__CLANG_OFFLOAD_BUNDLE__" + b"\xff" * 200, b"\x7fELF"])
def test_damaged_bundles_name_nothing(damaged):
    assert code_object.targets_of(damaged) == []
