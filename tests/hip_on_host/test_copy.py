"""Copies and sets: kinds, ranges, two and three dimensions, arrays."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.hip_on_host.hip_program import check, name


@pytest.fixture
def device(hip):
    """Allocates device memory that is freed after the test."""
    made = []

    def allocate(size):
        made.append(int(check(hip.hipMalloc(size))))
        return made[-1]

    yield allocate
    for pointer in made:
        hip.hipFree(pointer)


@pytest.fixture
def kinds(hip):
    return hip.hipMemcpyKind


@pytest.mark.parametrize("size", [1, 7, 4096, 300_000, (5 << 20) + 13, 40 << 20])
def test_there_and_back(hip, device, kinds, size):
    source = np.random.default_rng(size).integers(0, 256, size, np.uint8)
    first, second = device(size), device(size)
    check(hip.hipMemcpy(first, source, size, kinds.hipMemcpyHostToDevice))
    check(hip.hipMemcpy(second, first, size, kinds.hipMemcpyDeviceToDevice))
    back = np.zeros_like(source)
    check(hip.hipMemcpy(back, second, size, kinds.hipMemcpyDeviceToHost))
    assert np.array_equal(source, back)


@pytest.mark.parametrize(("to", "start", "tail"), [(0, 0, 0), (3, 5, 77), (64, 1, 4095), (17, 4096, 16_384 - 1)])
def test_copies_that_no_cache_holds(hip, device, kinds, to, start, tail):
    size, room = (72 << 20) + tail, 1 << 15
    source = np.random.default_rng(tail).integers(0, 256, size + room, np.uint8)
    memory = device(size + room)
    check(hip.hipMemset(memory, 7, size + room))
    check(hip.hipMemcpy(memory + to, source[start:], size, kinds.hipMemcpyHostToDevice))
    back = np.zeros_like(source)
    check(hip.hipMemcpy(back, memory, size + room, kinds.hipMemcpyDeviceToHost))
    assert np.array_equal(back[to : to + size], source[start : start + size])
    assert (back[:to] == 7).all()
    assert (back[to + size :] == 7).all()


def test_default_kind_and_host_to_host(hip, device, kinds):
    source, back = np.arange(100, dtype=np.int32), np.zeros(100, np.int32)
    pointer = device(400)
    check(hip.hipMemcpy(pointer, source, 400, kinds.hipMemcpyDefault))
    check(hip.hipMemcpy(back, pointer, 400, kinds.hipMemcpyDefault))
    assert np.array_equal(source, back)
    other = np.zeros(100, np.int32)
    check(hip.hipMemcpy(other, source, 400, kinds.hipMemcpyHostToHost))
    assert np.array_equal(source, other)


def test_ranges_past_the_end(hip, device, kinds):
    pointer, buffer = device(100), np.zeros(200, np.uint8)
    assert name(hip.hipMemcpy(pointer, buffer, 101, kinds.hipMemcpyHostToDevice)) == "hipErrorInvalidValue"
    assert name(hip.hipMemcpy(pointer + 50, buffer, 51, kinds.hipMemcpyHostToDevice)) == "hipErrorInvalidValue"
    assert name(hip.hipMemcpy(buffer, pointer, 101, kinds.hipMemcpyDeviceToHost)) == "hipErrorInvalidValue"
    assert name(hip.hipMemset(pointer, 0, 101)) == "hipErrorInvalidValue"
    assert name(hip.hipMemset(pointer, 0, (1 << 64) - 1)) == "hipErrorInvalidValue"
    assert name(hip.hipMemcpy(pointer, buffer, (1 << 64) - 1, kinds.hipMemcpyHostToDevice)) == "hipErrorInvalidValue"
    check(hip.hipMemcpy(pointer + 50, buffer, 50, kinds.hipMemcpyHostToDevice))


def test_pointers_that_the_kind_does_not_allow(hip, device, kinds):
    pointer, mine, other = device(64), np.zeros(64, np.uint8), np.zeros(64, np.uint8)
    assert name(hip.hipMemcpy(mine, other, 64, kinds.hipMemcpyHostToDevice)) == "hipErrorInvalidValue"
    assert name(hip.hipMemcpy(mine, other, 64, kinds.hipMemcpyDeviceToHost)) == "hipErrorInvalidValue"
    assert name(hip.hipMemcpy(pointer, other, 64, kinds.hipMemcpyDeviceToDevice)) == "hipErrorInvalidValue"
    assert name(hip.hipMemset(mine.ctypes.data, 0, 64)) == "hipErrorInvalidValue"


def test_freed_and_invented_pointers(hip, kinds):
    pointer, mine = int(check(hip.hipMalloc(4 << 20))), np.zeros(64, np.uint8)
    check(hip.hipFree(pointer))
    for bad in (pointer, 8, 0):
        for kind in (kinds.hipMemcpyHostToDevice, kinds.hipMemcpyDefault, kinds.hipMemcpyHostToHost):
            assert name(hip.hipMemcpy(bad, mine, 64, kind)) == "hipErrorInvalidValue"
        for kind in (kinds.hipMemcpyDeviceToHost, kinds.hipMemcpyDefault):
            assert name(hip.hipMemcpy(mine, bad, 64, kind)) == "hipErrorInvalidValue"


def test_nothing_to_copy(hip, kinds):
    check(hip.hipMemcpy(None, None, 0, kinds.hipMemcpyHostToDevice))
    check(hip.hipMemset(None, 0, 0))


def test_blocks_of_nothing_need_no_ends(library, hip):
    """Descriptions that were never filled in: no width, no memory types, no pointers."""
    for call, description in (
        (library.hipMemcpy3D, hip.hipMemcpy3DParms()),
        (library.hipDrvMemcpy3D, hip.HIP_MEMCPY3D()),
        (library.hipMemcpyParam2D, hip.hip_Memcpy2D()),
    ):
        assert call(ctypes.c_void_p(int(description.as_c_void_p().value))) == 0


def test_a_kind_that_is_none(library):
    buffer = ctypes.create_string_buffer(8)
    assert library.hipMemcpy(buffer, buffer, ctypes.c_size_t(8), 77) == 21
    assert library.hipMemcpy(buffer, buffer, ctypes.c_size_t(8), -1) == 21


def test_overlapping_copies(hip, device, kinds):
    size = 6 << 20
    source = np.random.default_rng(1).integers(0, 256, size, np.uint8)
    pointer = device(size)
    check(hip.hipMemcpy(pointer, source, size, kinds.hipMemcpyHostToDevice))
    check(hip.hipMemcpy(pointer + 1000, pointer, size - 1000, kinds.hipMemcpyDeviceToDevice))
    back = np.zeros_like(source)
    check(hip.hipMemcpy(back, pointer, size, kinds.hipMemcpyDeviceToHost))
    assert np.array_equal(back[1000:], source[:-1000])


@pytest.mark.parametrize("width, height", [(3, 5), (100, 1), (1000, 6000)])
def test_two_dimensions(hip, device, kinds, width, height):
    source = np.random.default_rng(2).integers(0, 256, (height, width + 11), np.uint8)
    pitch = width + 29
    pointer = device(pitch * height)
    check(hip.hipMemset(pointer, 0xEE, pitch * height))
    check(hip.hipMemcpy2D(pointer, pitch, source, width + 11, width, height, kinds.hipMemcpyHostToDevice))
    back = np.zeros((height, pitch), np.uint8)
    check(hip.hipMemcpy(back, pointer, back.nbytes, kinds.hipMemcpyDeviceToHost))
    assert np.array_equal(back[:, :width], source[:, :width])
    assert (back[:, width:] == 0xEE).all()


def test_rows_wider_than_their_pitch(hip, device, kinds):
    pointer, mine = device(1000), np.zeros(1000, np.uint8)
    wide = hip.hipMemcpy2D(pointer, 10, mine, 20, 11, 2, kinds.hipMemcpyHostToDevice)
    assert name(wide) == "hipErrorInvalidPitchValue"
    past = hip.hipMemcpy2D(pointer, 100, mine, 10, 10, 11, kinds.hipMemcpyHostToDevice)
    assert name(past) == "hipErrorInvalidValue"
    check(hip.hipMemcpy2D(pointer, 100, mine, 10, 10, 0, kinds.hipMemcpyHostToDevice))


def test_three_dimensions(hip, device, kinds):
    source = np.random.default_rng(3).integers(0, 256, (4, 6, 32), np.uint8)
    pointer = device(source.nbytes)
    check(hip.hipMemcpy(pointer, source, source.nbytes, kinds.hipMemcpyHostToDevice))
    back = np.zeros((3, 5, 20), np.uint8)
    params = hip.hipMemcpy3DParms()
    params.srcPtr.ptr, params.srcPtr.pitch, params.srcPtr.xsize, params.srcPtr.ysize = pointer, 32, 32, 6
    params.srcPos.x, params.srcPos.y, params.srcPos.z = 2, 1, 1
    params.dstPtr.ptr, params.dstPtr.pitch, params.dstPtr.xsize, params.dstPtr.ysize = back.ctypes.data, 20, 20, 5
    params.extent.width, params.extent.height, params.extent.depth = 10, 4, 2
    params.kind = kinds.hipMemcpyDeviceToHost
    check(hip.hipMemcpy3D(params))
    assert np.array_equal(back[:2, :4, :10], source[1:3, 1:5, 2:12])
    assert not back[:, 4:].any()
    params.extent.depth = 4
    assert name(hip.hipMemcpy3D(params)) == "hipErrorInvalidValue"


@pytest.mark.parametrize(
    "place",
    [(0, 0, 2**62), (0, 2**61, 0), (2**64 - 8, 0, 0), (2**64 - 8, 2**60, 2**57), (2**64 - 8, 1, 0)],
    ids=str,
)
def test_places_that_no_address_has(hip, device, kinds, place):
    """The offsets overflow: the computed address would be a smaller one, inside of the device's memory."""
    pointer, back = device(4096), np.full((2, 3, 16), 7, np.uint8)
    params = hip.hipMemcpy3DParms()
    params.srcPtr.ptr, params.srcPtr.pitch, params.srcPtr.xsize, params.srcPtr.ysize = pointer + 64, 16, 16, 3
    params.dstPtr.ptr, params.dstPtr.pitch, params.dstPtr.xsize, params.dstPtr.ysize = back.ctypes.data, 16, 16, 3
    params.srcPos.x, params.srcPos.y, params.srcPos.z = place
    params.extent.width, params.extent.height, params.extent.depth = 8, 1, 1
    params.kind = kinds.hipMemcpyDeviceToHost
    assert name(hip.hipMemcpy3D(params)) == "hipErrorInvalidValue"
    assert (back == 7).all()


@pytest.mark.parametrize("bits, dtype", [(8, np.uint8), (16, np.uint16), (32, np.uint32)])
def test_sets_of_every_width(hip, device, kinds, bits, dtype):
    count = 1000
    pointer = device(count * bits // 8)
    value = {8: 0xAB, 16: 0xABCD, 32: 0x1BCDEF01}[bits]
    check(getattr(hip, f"hipMemsetD{bits}")(pointer, value, count))
    back = np.zeros(count, dtype)
    check(hip.hipMemcpy(back, pointer, back.nbytes, kinds.hipMemcpyDeviceToHost))
    assert (back == value).all()
    if bits > 8:
        assert name(getattr(hip, f"hipMemsetD{bits}")(pointer + 1, value, 1)) == "hipErrorInvalidValue"


def test_large_sets(hip, device, kinds):
    size = 24 << 20
    pointer = device(size)
    check(hip.hipMemsetD32(pointer, 0x01020304, size // 4))
    back = np.zeros(size // 4, np.uint32)
    check(hip.hipMemcpy(back, pointer, size, kinds.hipMemcpyDeviceToHost))
    assert (back == 0x01020304).all()


def test_sets_of_blocks(hip, device, kinds):
    pitched = hip.hipPitchedPtr()
    pitched.ptr, pitched.pitch, pitched.xsize, pitched.ysize = device(4 * 5 * 32), 32, 32, 5
    extent = hip.hipExtent()
    extent.width, extent.height, extent.depth = 10, 3, 4
    check(hip.hipMemset(pitched.ptr, 0, 4 * 5 * 32))
    check(hip.hipMemset3D(pitched, 9, extent))
    back = np.zeros((4, 5, 32), np.uint8)
    check(hip.hipMemcpy(back, pitched.ptr, back.nbytes, kinds.hipMemcpyDeviceToHost))
    assert (back[:, :3, :10] == 9).all()
    assert back.sum() == 9 * 10 * 3 * 4


def test_pageable_sources_may_change_right_after_the_call(hip, library, device, kinds):
    """An asynchronous copy out of ordinary memory has read it when the call returns, as on a GPU."""
    stream = check(hip.hipStreamCreate())
    pointer, back = device(64), np.zeros(64, np.uint8)
    source = np.full(64, 1, np.uint8)
    check(hip.hipMemcpyAsync(pointer, source, 64, kinds.hipMemcpyHostToDevice, stream))
    source[:] = 2
    check(hip.hipMemcpyAsync(back, pointer, 64, kinds.hipMemcpyDeviceToHost, stream))
    assert (back == 1).all()
    check(hip.hipStreamDestroy(stream))


def test_pinned_copies_are_asynchronous_and_in_order(hip, device, kinds):
    stream = check(hip.hipStreamCreate())
    size = 32 << 20
    pinned, pointer = int(check(hip.hipHostMalloc(size, 0))), device(size)
    view = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(pinned))
    for value in range(1, 6):
        check(hip.hipMemsetAsync(pointer, value, size, stream))
    check(hip.hipMemcpyAsync(pinned, pointer, size, kinds.hipMemcpyDeviceToHost, stream))
    check(hip.hipStreamSynchronize(stream))
    assert (view == 5).all()
    check(hip.hipHostFree(pinned))
    check(hip.hipStreamDestroy(stream))


def test_peer_copies(run_hip):
    out = run_hip(
        """
import numpy as np
kinds = hip.hipMemcpyKind
source = np.arange(256, dtype=np.uint8)
check(hip.hipSetDevice(0)); first = check(hip.hipMalloc(256))
check(hip.hipMemcpy(first, source, 256, kinds.hipMemcpyHostToDevice))
check(hip.hipSetDevice(1)); second = check(hip.hipMalloc(256))
check(hip.hipMemcpyPeer(second, 1, first, 0, 256))
back = np.zeros_like(source)
check(hip.hipMemcpy(back, second, 256, kinds.hipMemcpyDeviceToHost))
print((back == source).all(), name(hip.hipMemcpyPeer(second, 7, first, 0, 256)))
""",
        CUDA_SHIM_CPU_DEVICES="2",
    )
    assert out.split() == ["True", "hipErrorInvalidDevice"]


class Format(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int), ("z", ctypes.c_int), ("w", ctypes.c_int), ("f", ctypes.c_int)]


FLOAT = 2


def make_array(library, width, height, form=None, flags=0):
    array = ctypes.c_void_p()
    form = form or Format(32, 0, 0, 0, FLOAT)
    sizes = ctypes.c_size_t(width), ctypes.c_size_t(height)
    status = library.hipMallocArray(ctypes.byref(array), ctypes.byref(form), *sizes, flags)
    return status, array


def test_arrays(hip, library, kinds):
    source = np.random.default_rng(4).random((7, 13), np.float32)
    status, array = make_array(library, 13, 7)
    assert status == 0
    size = ctypes.c_size_t
    row = size(13 * 4)
    to_array = int(kinds.hipMemcpyHostToDevice)
    from_array = int(kinds.hipMemcpyDeviceToHost)
    data = ctypes.c_void_p(source.ctypes.data)
    assert library.hipMemcpy2DToArray(array, size(0), size(0), data, row, row, size(7), to_array) == 0
    back = np.zeros((3, 5), np.float32)
    out = ctypes.c_void_p(back.ctypes.data)
    part = size(5 * 4)
    assert library.hipMemcpy2DFromArray(out, part, array, size(2 * 4), size(1), part, size(3), from_array) == 0
    assert np.array_equal(back, source[1:4, 2:7])
    # past the right and the lower edge
    assert library.hipMemcpy2DFromArray(out, part, array, size(9 * 4), size(1), part, size(3), from_array) == 1
    assert library.hipMemcpy2DFromArray(out, part, array, size(0), size(5), part, size(3), from_array) == 1
    form, extent, flags = Format(), (ctypes.c_size_t * 3)(), ctypes.c_uint(9)
    assert library.hipArrayGetInfo(ctypes.byref(form), extent, ctypes.byref(flags), array) == 0
    assert (form.x, form.y, form.f, list(extent), flags.value) == (32, 0, FLOAT, [13, 7, 0], 0)
    assert library.hipFreeArray(array) == 0
    assert library.hipFreeArray(array) == 400


@pytest.mark.parametrize(
    "width, height, form",
    [(0, 4, None), (4, 4, Format(24, 0, 0, 0, FLOAT)), (4, 4, Format(8, 8, 8, 0, 1)), (4, 4, Format(8, 16, 0, 0, 1))],
)
def test_arrays_that_cannot_be(library, hip, width, height, form):
    assert make_array(library, width, height, form)[0] == 1


LAYERED, SURFACE, CUBEMAP, GATHER = 1, 2, 4, 8


@pytest.mark.parametrize(
    ("extent", "flags", "fits"),
    [
        ((8, 8, 0), LAYERED, False),
        ((8, 0, 0), LAYERED, False),
        ((8, 0, 3), LAYERED, True),
        ((8, 8, 3), LAYERED | SURFACE, True),
        ((8, 8, 0), CUBEMAP, False),
        ((8, 8, 5), CUBEMAP, False),
        ((8, 7, 6), CUBEMAP, False),
        ((8, 8, 6), CUBEMAP, True),
        ((8, 8, 12), CUBEMAP, False),
        ((8, 8, 12), CUBEMAP | LAYERED, True),
        ((8, 8, 0), CUBEMAP | LAYERED, False),
        ((8, 8, 0), GATHER, True),
        ((8, 0, 0), GATHER, False),
        ((8, 8, 8), GATHER, False),
        ((8, 8, 0), 1 << 20, False),
    ],
)
def test_flags_of_arrays_fit_their_extents(library, extent, flags, fits):
    class Extent(ctypes.Structure):
        _fields_ = [(axis, ctypes.c_size_t) for axis in ("width", "height", "depth")]

    form, array, mipmapped = Format(32, 0, 0, 0, FLOAT), ctypes.c_void_p(), ctypes.c_void_p()
    wanted = 0 if fits else 1
    more = Extent(*extent), ctypes.c_uint(flags)
    assert library.hipMalloc3DArray(ctypes.byref(array), ctypes.byref(form), *more) == wanted
    levels = more[0], ctypes.c_uint(1), more[1]
    assert library.hipMallocMipmappedArray(ctypes.byref(mipmapped), ctypes.byref(form), *levels) == wanted
    if fits:
        assert library.hipFreeArray(array) == 0
        assert library.hipFreeMipmappedArray(mipmapped) == 0
    if extent[2] == 0:
        width, height = extent[:2]
        flat = make_array(library, width, height, flags=flags)
        assert flat[0] == wanted
        if fits:
            assert library.hipFreeArray(flat[1]) == 0


def test_pitches_of_copies_to_and_from_arrays(library, hip):
    size, host = ctypes.c_size_t, (ctypes.c_char * 256)()
    array = make_array(library, 4, 4)[1]
    for pitch, wanted in ((0, 12), (15, 12), (16, 0), (32, 0)):  # hipErrorInvalidPitchValue
        ends = size(pitch), size(16), size(4), 4
        assert library.hipMemcpy2DToArray(array, size(0), size(0), host, *ends) == wanted
        assert library.hipMemcpy2DFromArray(host, size(pitch), array, size(0), size(0), *ends[1:]) == wanted
        assert library.hipMemcpy2DToArrayAsync(array, size(0), size(0), host, *ends, None) == wanted
    assert library.hipDeviceSynchronize() == 0
    assert library.hipFreeArray(array) == 0


NO_COMPUTE_UNITS = 1024  # hipMemcpyDeviceToDeviceNoCU


def test_copies_between_devices_without_their_compute_units(library, hip, device):
    size, pointer = ctypes.c_size_t, ctypes.c_void_p(device(64))
    array = make_array(library, 4, 4)[1]
    assert library.hipMemcpy(pointer, ctypes.c_void_p(int(pointer.value or 0) + 32), size(32), NO_COMPUTE_UNITS) == 0
    place = array, size(0), size(0)
    assert library.hipMemcpy2DToArray(*place, pointer, size(16), size(16), size(4), NO_COMPUTE_UNITS) == 0
    assert library.hipMemcpy2DFromArray(pointer, size(16), *place, size(16), size(4), NO_COMPUTE_UNITS) == 0
    assert library.hipMemcpy2DArrayToArray(*place, *place, size(16), size(4), NO_COMPUTE_UNITS) == 0
    host = (ctypes.c_char * 64)()
    assert library.hipMemcpy2DToArray(*place, host, size(16), size(16), size(4), NO_COMPUTE_UNITS) == 1
    assert library.hipDeviceSynchronize() == 0
    assert library.hipFreeArray(array) == 0
