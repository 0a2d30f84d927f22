"""Devices: count, properties, attributes, limits, flags, peers."""

from __future__ import annotations

import ctypes
import os

import pytest

from tests.hip_on_host import hip_program
from tests.hip_on_host.hip_program import check, device_properties, name


def as_bytes(text):
    return text if isinstance(text, bytes) else str(text).encode()


def test_version(hip):
    assert check(hip.hipRuntimeGetVersion()) == check(hip.hipDriverGetVersion()) >= 70000000
    assert name(hip.hipInit(0)) == "hipSuccess"
    assert name(hip.hipInit(1)) == "hipErrorInvalidValue"


def test_properties_are_those_of_this_machine(hip):
    properties = check(device_properties(hip, 0))
    assert as_bytes(properties.name).startswith(b"cuda_shim host CPU (")
    assert as_bytes(properties.gcnArchName) == b"cpu"
    assert 1 <= properties.multiProcessorCount <= len(os.sched_getaffinity(0))
    assert properties.warpSize == 32
    assert 0 < properties.totalGlobalMem <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert properties.totalGlobalMem == check(hip.hipDeviceTotalMem(0))
    assert properties.maxThreadsPerBlock == 1024
    assert properties.unifiedAddressing == 1


ATTRIBUTES = {
    "hipDeviceAttributeWarpSize": "warpSize",
    "hipDeviceAttributeMultiprocessorCount": "multiProcessorCount",
    "hipDeviceAttributeMaxThreadsPerBlock": "maxThreadsPerBlock",
    "hipDeviceAttributeComputeCapabilityMajor": "major",
    "hipDeviceAttributeComputeCapabilityMinor": "minor",
    "hipDeviceAttributeMaxSharedMemoryPerBlock": "sharedMemPerBlock",
    "hipDeviceAttributeClockRate": "clockRate",
    "hipDeviceAttributePciBusId": "pciBusID",
    "hipDeviceAttributeManagedMemory": "managedMemory",
    "hipDeviceAttributeIntegrated": "integrated",
}


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_attributes_agree_with_the_properties(hip, attribute):
    properties = check(device_properties(hip, 0))
    value = check(hip.hipDeviceGetAttribute(getattr(hip.hipDeviceAttribute_t, attribute), 0))
    assert value == getattr(properties, ATTRIBUTES[attribute])


def test_every_real_attribute_has_a_value(hip):
    skipped = ("Unused", "CompatibleBegin", "CompatibleEnd", "SpecificBegin", "SpecificEnd", "Luid")
    for attribute in hip.hipDeviceAttribute_t:
        if any(word in attribute.name for word in skipped) and attribute.name != "hipDeviceAttributeEccEnabled":
            continue
        assert name(hip.hipDeviceGetAttribute(attribute, 0)) == "hipSuccess", attribute


def test_a_device_that_does_not_exist(hip):
    count = check(hip.hipGetDeviceCount())
    for ordinal in (-1, count, 1000):
        assert name(hip.hipSetDevice(ordinal)) == "hipErrorInvalidDevice"
        assert name(hip.hipDeviceTotalMem(ordinal)) == "hipErrorInvalidDevice"
        assert name(device_properties(hip, ordinal)) == "hipErrorInvalidDevice"
        assert name(hip.hipDeviceGet(ordinal)) == "hipErrorInvalidDevice"
    assert check(hip.hipGetDevice()) == 0


def test_names_are_cut_to_the_buffer(library):
    text = ctypes.create_string_buffer(b"#" * 32, 32)
    assert library.hipDeviceGetName(text, 10, 0) == 0
    assert text.raw[:11] == b"cuda_shim\x00#"
    assert library.hipDeviceGetName(text, 0, 0) == 1
    assert library.hipDeviceGetName(None, 10, 0) == 1


def test_pci_bus_ids_lead_back_to_the_device(library):
    text = ctypes.create_string_buffer(64)
    ordinal = ctypes.c_int(-1)
    assert library.hipDeviceGetPCIBusId(text, 64, 0) == 0
    assert library.hipDeviceGetByPCIBusId(ctypes.byref(ordinal), text.value) == 0
    assert ordinal.value == 0
    for nobody in (b"ffff:ff:1f.0", b"nonsense", b""):
        assert library.hipDeviceGetByPCIBusId(ctypes.byref(ordinal), nobody) == 1


def test_limits(hip, run_hip):
    run_hip("""
limit = hip.hipLimit_t.hipLimitMallocHeapSize
before = check(hip.hipDeviceGetLimit(limit))
check(hip.hipDeviceSetLimit(limit, before * 2))
assert check(hip.hipDeviceGetLimit(limit)) == before * 2
check(hip.hipDeviceSetLimit(limit, before))
""")
    assert name(hip.hipDeviceGetLimit(hip.hipLimit_t.hipLimitRange)) == "hipErrorUnsupportedLimit"


def test_device_flags(hip):
    check(hip.hipSetDeviceFlags(hip.hipDeviceScheduleYield))
    assert check(hip.hipGetDeviceFlags()) == hip.hipDeviceScheduleYield
    two_schedules = hip.hipDeviceScheduleYield | hip.hipDeviceScheduleSpin
    assert name(hip.hipSetDeviceFlags(two_schedules)) == "hipErrorInvalidValue"
    assert name(hip.hipSetDeviceFlags(0x10000)) == "hipErrorInvalidValue"
    check(hip.hipSetDeviceFlags(0))


def test_choosing_a_device(hip):
    wanted = hip.hipDeviceProp_t()
    assert check(hip.hipChooseDevice(wanted)) == 0


def test_a_device_is_no_peer_of_itself(hip):
    assert check(hip.hipDeviceCanAccessPeer(0, 0)) == 0
    assert name(hip.hipDeviceEnablePeerAccess(0, 0)) == "hipErrorInvalidDevice"


def test_several_devices(run_hip):
    out = run_hip(
        """
print(check(hip.hipGetDeviceCount()), check(hip.hipDeviceCanAccessPeer(0, 2)))
print(name(hip.hipDeviceDisablePeerAccess(1)), name(hip.hipDeviceEnablePeerAccess(1, 0)),
      name(hip.hipDeviceEnablePeerAccess(1, 0)), name(hip.hipDeviceDisablePeerAccess(1)))
uuids = set()
for ordinal in range(3):
    properties = check(device_properties(hip, ordinal))
    uuids.add(bytes(properties.uuid.bytes))
print(len(uuids))
check(hip.hipSetDevice(2))
def other():
    print("thread", check(hip.hipGetDevice()))
thread = threading.Thread(target=other); thread.start(); thread.join()
print("main", check(hip.hipGetDevice()))
pointer = check(hip.hipMalloc(16))
print(check(pointer_attributes(hip, pointer)).device)
""",
        CUDA_SHIM_CPU_DEVICES="3",
    )
    assert out.splitlines() == [
        "3 1",
        "hipErrorPeerAccessNotEnabled hipSuccess hipErrorPeerAccessAlreadyEnabled hipSuccess",
        "3",
        "thread 0",
        "main 2",
        "2",
    ]


@pytest.mark.parametrize("value", ["many", "0", "65"])
def test_a_bad_setting_names_the_variable_and_the_default_is_used(runtime_folder, value):
    done = hip_program.run(runtime_folder, "print(check(hip.hipGetDeviceCount()))", CUDA_SHIM_CPU_DEVICES=value)
    assert done.stdout.strip() == "1"
    assert done.stderr == (
        f"cuda_shim: CUDA_SHIM_CPU_DEVICES={value} is not allowed; use an integer from 1 to 64; the default is used\n"
    )


def test_the_number_of_threads_is_a_setting(run_hip):
    attribute = "hip.hipDeviceAttribute_t.hipDeviceAttributeMultiprocessorCount"
    assert run_hip(f"print(check(hip.hipDeviceGetAttribute({attribute}, 0)))", CUDA_SHIM_CPU_THREADS="7").strip() == "7"


def test_wave64(run_hip):
    code = "print(check(hip.hipDeviceGetAttribute(hip.hipDeviceAttribute_t.hipDeviceAttributeWarpSize, 0)))"
    assert run_hip(code, CUDA_SHIM_CPU_WARP_SIZE="64").strip() == "64"


@pytest.mark.parametrize(("length", "wanted"), [(13, 0), (64, 0), (12, 1), (1, 1), (0, 1), (-1, 1)])
def test_room_for_a_bus_number(library, length, wanted):
    text = ctypes.create_string_buffer(b"?" * 64)
    assert library.hipDeviceGetPCIBusId(text, length, 0) == wanted
    assert (len(text.value) == 12) == (wanted == 0)


def test_the_compute_capability_is_one_without_clusters(hip):
    attribute = hip.hipDeviceAttribute_t
    major = check(hip.hipDeviceGetAttribute(attribute.hipDeviceAttributeComputeCapabilityMajor, 0))
    minor = check(hip.hipDeviceGetAttribute(attribute.hipDeviceAttributeComputeCapabilityMinor, 0))
    assert (major, minor) == (8, 0)
    assert tuple(check(hip.hipDeviceComputeCapability(0))) == (8, 0)
