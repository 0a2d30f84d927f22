"""The target that CUDA C++ is compiled for, and the options about the device that hiprtc is given."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cuda_shim import settings
from cuda_shim.adapters import architecture, compilation_target
from cuda_shim.backends import native

RATES = {3: 2500000, 7: 100000}


@pytest.fixture
def device(cuda, monkeypatch):
    """A current device of a kind, as the adapters ask hip-python and HIP for it."""

    def ask(value: Any, attribute: int, number: int) -> int:
        value._obj.value = RATES[attribute]
        return number

    def become(name: str, **chosen: str) -> Any:
        found = settings.read(chosen)
        monkeypatch.setattr(settings, "current", lambda: found)
        for module in (architecture, compilation_target):
            monkeypatch.setattr(module, "translated", lambda: True)
        monkeypatch.setattr(architecture, "_by_device", {0: name} if name else {})
        monkeypatch.setattr(native, "function", lambda *asked: ask)
        attributes = SimpleNamespace(hipDeviceAttributeClockRate=3, hipDeviceAttributeWallClockRate=7)
        status = (0, 0) if name else (100, None)
        return SimpleNamespace(hip=SimpleNamespace(hipGetDevice=lambda: status, hipDeviceAttribute_t=attributes))

    return become


def test_the_device_unless_the_setting_names_another(device):
    assert compilation_target.compiled_for(device("gfx1100")) == "gfx1100"
    assert compilation_target.compiled_for(device("gfx1100", gfx="gfx942")) == "gfx942"
    assert compilation_target.compiled_for(device("")) == ""
    assert compilation_target.compiled_for(device("", gfx="gfx90a:sramecc+:xnack-")) == "gfx90a:sramecc+:xnack-"


def test_host_cores_have_no_target(cuda):
    assert compilation_target.compiled_for(None) is None
    assert compilation_target.device_options(None, None) == []


def test_clock_rates_are_those_of_the_current_device_alone(device):
    rates = [b"-DCUDA_ON_HIP_CLOCK_KHZ=2500000", b"-DCUDA_ON_HIP_WALL_CLOCK_KHZ=100000"]
    assert compilation_target.device_options(device("gfx1100"), "gfx1100") == rates
    assert compilation_target.device_options(device("gfx1100"), "gfx1030") == []
    assert compilation_target.device_options(device(""), "gfx1100") == []


def test_fast_atomics_are_asked_for_by_the_setting(device):
    assert compilation_target.device_options(device("", fast_atomics="1"), "gfx90a") == [
        b"-DCUDA_ON_HIP_FAST_ATOMICS=1"
    ]


@pytest.mark.parametrize("target", ["gfx942", "gfx950:sramecc+:xnack-", "gfx9-4-generic", "gfx1250"])
def test_gpus_without_image_units(target):
    assert not compilation_target.has_image_units(target)


@pytest.mark.parametrize("target", ["gfx90a:sramecc+:xnack-", "gfx1030", "gfx1100", "gfx1201", "gfx11-generic"])
def test_gpus_with_image_units(target):
    assert compilation_target.has_image_units(target)
