"""Launches in three steps, and the number of clusters that the device holds."""

from __future__ import annotations

import ctypes

import numpy as np

from tests.clusters import DEVICES_HAVE_CLUSTERS, run_again

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
SUCCESS, INVALID, INVALID_CONFIGURATION, NO_FUNCTION, WRONG_CLUSTER = 0, 1, 9, 98, 1054
COUNT = 256


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


class Attribute(ctypes.Structure):
    """hipLaunchAttribute with the value of a cluster."""

    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("cluster", Dim3), ("rest", ctypes.c_ubyte * 52)]


class Config(ctypes.Structure):
    """hipLaunchConfig_t."""

    _fields_ = [
        ("grid", Dim3), ("block", Dim3), ("shared", SIZE), ("stream", P), ("attributes", P), ("count", ctypes.c_uint),
    ]  # fmt: skip


def function(kernels, basic, name):
    return P(int(kernels.function(basic, name)))


def test_configure_set_up_and_launch(library, kernels, basic):
    x, y = kernels.device(np.arange(COUNT, dtype=np.float32)), kernels.device(np.ones(COUNT, np.float32))
    factor, count = ctypes.c_float(3), ctypes.c_uint64(COUNT)
    assert library.hipConfigureCall(Dim3(COUNT // 64, 1, 1), Dim3(64, 1, 1), SIZE(0), None) == SUCCESS
    for value, offset in ((count, 24), (factor, 0), (x, 8), (y, 16)):
        assert library.hipSetupArgument(ctypes.byref(value), SIZE(ctypes.sizeof(value)), SIZE(offset)) == SUCCESS
    assert library.hipLaunchByPtr(function(kernels, basic, "saxpy")) == SUCCESS
    assert (kernels.fetch(y, np.zeros(COUNT, np.float32)) == 3 * np.arange(COUNT) + 1).all()


def test_what_was_configured_is_used_once(library, kernels, basic):
    empty, value = function(kernels, basic, "empty"), ctypes.c_int()
    assert library.hipLaunchByPtr(empty) == INVALID_CONFIGURATION
    assert library.hipSetupArgument(ctypes.byref(value), SIZE(4), SIZE(0)) == INVALID
    assert library.hipConfigureCall(Dim3(1, 1, 1), Dim3(1, 1, 1), SIZE(0), None) == SUCCESS
    for size, offset in ((8000, 0), (4, 1 << 60)):
        assert library.hipSetupArgument(ctypes.byref(value), SIZE(size), SIZE(offset)) == INVALID
    assert library.hipLaunchByPtr(P(0x1000)) == NO_FUNCTION
    assert library.hipLaunchByPtr(empty) == INVALID_CONFIGURATION


def clusters(library, kernel, *sides, block=64):
    attribute = Attribute(4, 0, Dim3(*sides)) if sides else None
    place = ctypes.addressof(attribute) if attribute else None
    config = Config(Dim3(64, 1, 1), Dim3(block, 1, 1), 0, None, place, 1 if attribute else 0)
    found = ctypes.c_int(-1)
    return library.hipOccupancyMaxActiveClusters(ctypes.byref(found), kernel, ctypes.byref(config)), found.value


def test_clusters_that_are_resident(hip, library, kernels, basic):
    kernel, blocks, most = function(kernels, basic, "saxpy"), ctypes.c_int(), ctypes.c_int()
    assert library.hipOccupancyMaxActiveBlocksPerMultiprocessor(ctypes.byref(blocks), kernel, 64, SIZE(0)) == SUCCESS
    cores = hip.hipDeviceGetAttribute(hip.hipDeviceAttribute_t.hipDeviceAttributeMultiprocessorCount, 0)[1]
    assert clusters(library, kernel) == clusters(library, kernel, 1, 1, 1) == (SUCCESS, blocks.value * cores)
    two = (SUCCESS, blocks.value * cores // 2) if DEVICES_HAVE_CLUSTERS else (INVALID, -1)
    wrong = (WRONG_CLUSTER if DEVICES_HAVE_CLUSTERS else INVALID, -1)
    assert clusters(library, kernel, 2, 1, 1) == two
    assert clusters(library, kernel, 3, 1, 1) == clusters(library, kernel, 32, 1, 1) == wrong
    assert clusters(library, kernel, block=0) == (INVALID, -1)
    assert clusters(library, P(0x1000)) == (NO_FUNCTION, -1)
    config = ctypes.byref(Config())
    assert library.hipOccupancyMaxPotentialClusterSize(ctypes.byref(most), kernel, config) == SUCCESS
    assert most.value == (8 if DEVICES_HAVE_CLUSTERS else 1)


def test_devices_of_compute_capability_9_0_have_clusters():
    run_again(
        "tests/hip_on_host/test_configured_launch.py::test_clusters_that_are_resident",
        "tests/hip_on_host/test_function_attributes.py::test_the_size_of_clusters_needs_a_device_that_has_them",
        "tests/hip_on_host/test_launch.py::test_clusters_divide_the_grid",
        "tests/hip_on_host/test_rows.py::test_atomics_of_a_block_in_a_cluster",
    )
