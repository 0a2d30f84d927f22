"""Texture references: their settings, the memory and arrays that they are bound to, and the modules that own them."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.hip_on_host.hip_program import check, name
from tests.hip_on_host.hiprtc_program import Kernels, Module
from tests.hip_on_host.test_texture import (  # fmt: skip
    ARRAY,
    CLAMP,
    FLOAT,
    INVALID,
    MIRROR,
    NORMALIZED,
    SIZE,
    SUCCESS,
    Choice,
    Format,
    Resource,
    array_of,
    create,
)
from tests.hip_on_host.texture_references import (
    NORMALIZED_COORDINATES,
    OVERRIDE_FORMAT,
    READ_AS_INTEGER,
    SRGB,
    fill,
    reference,
)
from tests.program_files import read_program

PLAIN = read_program(__file__, "texture_references_plain.cu")


@pytest.fixture
def plain(programs: Kernels) -> Module:
    """A module of its own for each test, with its references as they are at first."""
    return programs.load(PLAIN)


def test_a_reference_at_first(hip: ModuleType, library: ctypes.CDLL, plain: Module) -> None:
    of = reference(plain, "image")
    assert check(hip.hipTexRefGetFilterMode(of)) == hip.hipTextureFilterMode.hipFilterModePoint
    assert check(hip.hipTexRefGetMipmapFilterMode(of)) == hip.hipTextureFilterMode.hipFilterModePoint
    assert [int(check(hip.hipTexRefGetAddressMode(of, axis))) for axis in range(3)] == [CLAMP] * 3
    assert check(hip.hipTexRefGetFlags(of)) == READ_AS_INTEGER
    assert tuple(map(int, check(hip.hipTexRefGetFormat(of)))) == (32, 1)
    assert check(hip.hipTexRefGetMaxAnisotropy(of)) == 0
    assert check(hip.hipTexRefGetMipmapLevelBias(of)) == 0.0
    assert check(hip.hipTexRefGetMipmapLevelClamp(of)) == (0.0, 0.0)
    colour = (ctypes.c_float * 4)(1, 1, 1, 1)
    assert library.hipTexRefGetBorderColor(colour, ctypes.c_void_p(int(of))) == SUCCESS
    assert list(colour) == [0] * 4
    for get in (library.hipTexRefGetArray, library.hipTexRefGetMipMappedArray, library.hipTexRefGetAddress):
        assert get(ctypes.byref(ctypes.c_void_p()), ctypes.c_void_p(int(of))) == INVALID
    assert name(hip.hipGetTextureAlignmentOffset(of)) == "hipErrorInvalidValue"
    shares = reference(plain, "shares")
    assert check(hip.hipTexRefGetFlags(shares)) == 0
    assert tuple(map(int, check(hip.hipTexRefGetFormat(shares)))) == (1, 2)
    assert (shares.numChannels, int(shares.readMode), shares.channelDesc.y) == (2, NORMALIZED, 8)


def test_what_is_set_is_reported(hip: ModuleType, library: ctypes.CDLL, plain: Module) -> None:
    of = reference(plain, "image")
    linear, mirror = hip.hipTextureFilterMode.hipFilterModeLinear, hip.hipTextureAddressMode.hipAddressModeMirror
    check(hip.hipTexRefSetFilterMode(of, linear))
    assert check(hip.hipTexRefGetFilterMode(of)) == linear
    check(hip.hipTexRefSetMipmapFilterMode(of, linear))
    assert check(hip.hipTexRefGetMipmapFilterMode(of)) == linear
    check(hip.hipTexRefSetAddressMode(of, 1, mirror))
    assert [int(check(hip.hipTexRefGetAddressMode(of, axis))) for axis in range(3)] == [CLAMP, MIRROR, CLAMP]
    for flags in (0, SRGB, NORMALIZED_COORDINATES, READ_AS_INTEGER | NORMALIZED_COORDINATES):
        check(hip.hipTexRefSetFlags(of, flags))
        assert check(hip.hipTexRefGetFlags(of)) == flags
    half = hip.hipArray_Format.HIP_AD_FORMAT_HALF
    check(hip.hipTexRefSetFormat(of, half, 4))
    assert check(hip.hipTexRefGetFormat(of)) == (half, 4)
    check(hip.hipTexRefSetMaxAnisotropy(of, 7))
    assert check(hip.hipTexRefGetMaxAnisotropy(of)) == 7
    check(hip.hipTexRefSetMipmapLevelBias(of, 0.5))
    assert check(hip.hipTexRefGetMipmapLevelBias(of)) == 0.5
    check(hip.hipTexRefSetMipmapLevelClamp(of, 0.5, 2.0))
    assert check(hip.hipTexRefGetMipmapLevelClamp(of)) == (0.5, 2.0)
    colour, reported = (ctypes.c_float * 4)(1, 2, 3, 4), (ctypes.c_float * 4)()
    assert library.hipTexRefSetBorderColor(ctypes.c_void_p(int(of)), colour) == SUCCESS
    assert library.hipTexRefGetBorderColor(reported, ctypes.c_void_p(int(of))) == SUCCESS
    assert list(reported) == [1, 2, 3, 4]


def test_wrong_settings_are_refused(hip: ModuleType, library: ctypes.CDLL, plain: Module) -> None:
    of = int(reference(plain, "image"))
    at, word = ctypes.c_void_p(of), ctypes.byref(ctypes.c_uint())
    wrong = [
        library.hipTexRefSetFlags(at, 4), library.hipTexRefSetAddressMode(at, 3, CLAMP),
        library.hipTexRefSetAddressMode(at, -1, CLAMP), library.hipTexRefSetAddressMode(at, 0, 4),
        library.hipTexRefSetFilterMode(at, 2), library.hipTexRefSetMipmapFilterMode(at, -1),
        library.hipTexRefSetFormat(at, 7, 1), library.hipTexRefSetFormat(at, 32, 3),
        library.hipTexRefGetAddressMode(word, at, 3), library.hipTexRefGetFlags(None, at),
        library.hipTexRefGetFormat(word, None, at), library.hipTexRefSetBorderColor(at, None),
        library.hipTexRefSetArray(at, None, OVERRIDE_FORMAT), library.hipTexRefSetMipmappedArray(at, None, OVERRIDE_FORMAT),
        library.hipTexRefSetAddress2D(at, None, None, SIZE(0)),
    ]  # fmt: skip
    assert wrong == [INVALID] * len(wrong)
    for nothing in (None, ctypes.c_void_p(12), ctypes.c_void_p(of + 1)):
        assert library.hipTexRefSetFlags(nothing, 0) == INVALID
        assert library.hipTexRefGetFlags(word, nothing) == INVALID
        assert library.hipUnbindTexture(nothing) == INVALID


def test_what_is_bound_to_nothing_reads_as_zero(plain: Module) -> None:
    out = np.ones(4, np.float32)
    for kernel, arguments in (("fetch", ()), ("look", (0.5, 0.5)), ("level", (1.0,))):
        out[:] = 1
        plain.launch(kernel, 1, 4, out, *(ctypes.c_float(value) for value in arguments))
        np.testing.assert_array_equal(out, 0)
    gathered = np.ones(16, np.float32)
    plain.launch("gather", 1, 4, gathered)
    np.testing.assert_array_equal(gathered, 0)


def test_plain_memory(hip: ModuleType, plain: Module) -> None:
    of = reference(plain, "line")
    memory = plain.upload(np.array([5, 6, 7, 8], np.float32))
    assert check(hip.hipTexRefSetAddress(of, memory, 12)) == 0
    assert int(check(hip.hipTexRefGetAddress(of))) == int(memory)
    out = np.ones(6, np.float32)
    plain.launch("fetch", 1, 6, out)
    np.testing.assert_array_equal(out, [0, 5, 6, 7, 0, 0])
    # The kernel gets no offset when texels begin in the middle of memory.
    assert check(hip.hipTexRefSetAddress(of, int(memory) + 4, 12)) == 0
    plain.launch("fetch", 1, 6, out)
    np.testing.assert_array_equal(out, [0, 6, 7, 8, 0, 0])
    assert name(hip.hipTexRefSetAddress(of, memory, 1 << 40)) == "hipErrorInvalidValue"
    check(hip.hipTexRefSetAddress(of, 0, 0))
    assert name(hip.hipTexRefGetAddress(of)) == "hipErrorInvalidValue"
    plain.launch("fetch", 1, 6, out)
    np.testing.assert_array_equal(out, 0)
    check(hip.hipFree(memory))


def test_the_format_may_be_set_after_the_address(hip: ModuleType, plain: Module) -> None:
    of = reference(plain, "shares")
    memory = plain.upload(np.array([0, 51, 102, 153, 204, 255, 255, 0], np.uint8))
    check(hip.hipTexRefSetFormat(of, hip.hipArray_Format.HIP_AD_FORMAT_FLOAT, 4))
    check(hip.hipTexRefSetAddress(of, memory, 8))
    out = np.ones(8, np.float32)
    plain.launch("part", 1, 4, out)
    np.testing.assert_array_equal(out, 0)  # not one texel of four floats
    check(hip.hipTexRefSetFormat(of, hip.hipArray_Format.HIP_AD_FORMAT_UNSIGNED_INT8, 2))
    plain.launch("part", 1, 4, out)
    np.testing.assert_array_equal(out, np.array([0, 51, 102, 153, 204, 255, 255, 0], np.float32) / 255)
    check(hip.hipFree(memory))


@pytest.fixture
def rows(hip: ModuleType) -> Callable[..., Any]:
    """The description of rows of floats."""

    def describe(width: int, height: int) -> Any:
        made = hip.HIP_ARRAY_DESCRIPTOR()
        made.Width, made.Height, made.NumChannels = width, height, 1
        made.Format = hip.hipArray_Format.HIP_AD_FORMAT_FLOAT
        return made

    return describe


def test_rows_of_memory(hip: ModuleType, plain: Module, rows: Callable[..., Any]) -> None:
    of = reference(plain, "image")
    memory = plain.upload(np.arange(64, dtype=np.float32))
    check(hip.hipTexRefSetFormat(of, hip.hipArray_Format.HIP_AD_FORMAT_UNSIGNED_INT8, 1))
    check(hip.hipTexRefSetAddress2D(of, rows(6, 4), memory, 64))
    assert tuple(map(int, check(hip.hipTexRefGetFormat(of)))) == (32, 1)
    assert int(check(hip.hipTexRefGetAddress(of))) == int(memory)
    out = np.zeros(8, np.float32)
    plain.launch("look", 1, 8, out, ctypes.c_float(0.5), ctypes.c_float(2.5))
    np.testing.assert_array_equal(out, [32, 33, 34, 35, 36, 37, 37, 37])
    check(hip.hipTexRefSetFilterMode(of, hip.hipTextureFilterMode.hipFilterModeLinear))
    plain.launch("look", 1, 8, out, ctypes.c_float(1), ctypes.c_float(1))
    np.testing.assert_array_equal(out, [8.5, 9.5, 10.5, 11.5, 12.5, 13, 13, 13])
    for wrong in ((rows(17, 4), memory, 64), (rows(6, 5), memory, 64), (rows(6, 4), 0, 64), (rows(0, 4), memory, 64)):
        assert name(hip.hipTexRefSetAddress2D(of, *wrong)) == "hipErrorInvalidValue"
    plain.launch("look", 1, 8, out, ctypes.c_float(1), ctypes.c_float(1))
    assert out[0] == 8.5  # a refused call changes nothing
    check(hip.hipFree(memory))


def test_arrays_are_taken_with_their_format_or_without(hip: ModuleType, library: ctypes.CDLL, plain: Module) -> None:
    of = reference(plain, "image")
    at, reported = ctypes.c_void_p(int(of)), ctypes.c_void_p()
    array = array_of(library, Format(16, 0, 0, 0, FLOAT), 4, 4)
    status, texture = create(library, Resource(ARRAY, Choice(array=array.value)))
    assert status == SUCCESS
    fill(texture, np.arange(16, dtype=np.float16))
    assert library.hipTexRefSetArray(at, array, 2) == INVALID
    assert library.hipTexRefSetArray(at, array, 0) == SUCCESS
    out = np.ones(4, np.float32)
    plain.launch("look", 1, 4, out, ctypes.c_float(0.5), ctypes.c_float(1.5))
    np.testing.assert_array_equal(out, 0)  # its texels are no longer floats than the array's are
    check(hip.hipTexRefSetFormat(of, hip.hipArray_Format.HIP_AD_FORMAT_HALF, 1))
    plain.launch("look", 1, 4, out, ctypes.c_float(0.5), ctypes.c_float(1.5))
    np.testing.assert_array_equal(out, [4, 5, 6, 7])
    check(hip.hipTexRefSetFormat(of, hip.hipArray_Format.HIP_AD_FORMAT_FLOAT, 1))
    assert library.hipTexRefSetArray(at, array, OVERRIDE_FORMAT) == SUCCESS
    assert tuple(map(int, check(hip.hipTexRefGetFormat(of)))) == (16, 1)
    assert library.hipTexRefGetArray(ctypes.byref(reported), at) == SUCCESS
    assert reported.value == array.value
    assert name(hip.hipTexRefGetAddress(of)) == "hipErrorInvalidValue"
    plain.launch("look", 1, 4, out, ctypes.c_float(0.5), ctypes.c_float(2.5))
    np.testing.assert_array_equal(out, [8, 9, 10, 11])
    gathered = np.zeros(4, np.float32)
    plain.launch("gather", 1, 1, gathered)
    np.testing.assert_array_equal(gathered, [4, 5, 1, 0])
    assert library.hipDestroyTextureObject(texture) == SUCCESS
    assert library.hipFreeArray(array) == SUCCESS


def test_levels_of_a_mipmap(hip: ModuleType, library: ctypes.CDLL, plain: Module) -> None:
    class Extent(ctypes.Structure):
        _fields_ = (("e", SIZE * 3),)

    of = reference(plain, "image")
    at, mipmaps, reported = ctypes.c_void_p(int(of)), ctypes.c_void_p(), ctypes.c_void_p()
    floats, extent = Format(32, 0, 0, 0, FLOAT), Extent((SIZE * 3)(4, 4, 0))
    assert library.hipMallocMipmappedArray(ctypes.byref(mipmaps), ctypes.byref(floats), extent, 3, 0) == SUCCESS
    for number in range(3):
        level = ctypes.c_void_p()
        assert library.hipGetMipmappedArrayLevel(ctypes.byref(level), mipmaps, number) == SUCCESS
        status, texture = create(library, Resource(ARRAY, Choice(array=level.value)))
        assert status == SUCCESS
        fill(texture, np.full(16 >> 2 * number, 10.0 * number, np.float32))
        assert library.hipDestroyTextureObject(texture) == SUCCESS
    assert library.hipTexRefSetMipmappedArray(at, mipmaps, OVERRIDE_FORMAT) == SUCCESS
    assert library.hipTexRefGetMipMappedArray(ctypes.byref(reported), at) == SUCCESS
    assert reported.value == mipmaps.value
    assert library.hipTexRefGetArray(ctypes.byref(reported), at) == INVALID
    check(hip.hipTexRefSetFlags(of, NORMALIZED_COORDINATES | READ_AS_INTEGER))

    def read(level: float) -> float:
        out = np.ones(1, np.float32)
        plain.launch("level", 1, 1, out, ctypes.c_float(level))
        return float(out[0])

    assert read(2) == 0  # the clamp leaves nothing but level 0
    check(hip.hipTexRefSetMipmapLevelClamp(of, 0, 5))
    assert [read(0), read(1), read(2), read(9)] == [0, 10, 20, 20]
    check(hip.hipTexRefSetMipmapFilterMode(of, hip.hipTextureFilterMode.hipFilterModeLinear))
    check(hip.hipTexRefSetMipmapLevelBias(of, 0.5))
    assert read(1) == 15
    check(hip.hipUnbindTexture(of))
    assert library.hipFreeMipmappedArray(mipmaps) == SUCCESS


def test_the_runtimes_functions_bind_the_same_references(hip: ModuleType, library: ctypes.CDLL, plain: Module) -> None:
    line, image, out = reference(plain, "line"), reference(plain, "image"), np.zeros(4, np.float32)
    described = hip.hipChannelFormatDesc()
    described.x, described.f = 32, hip.hipChannelFormatKind.hipChannelFormatKindFloat
    memory = plain.upload(np.arange(64, dtype=np.float32))
    assert check(hip.hipBindTexture(line, memory, described, 12)) == 0
    assert check(hip.hipGetTextureAlignmentOffset(line)) == 0
    plain.launch("fetch", 1, 4, out)
    np.testing.assert_array_equal(out, [0, 0, 1, 2])
    assert name(hip.hipBindTexture(line, 0, described, 12)) == "hipErrorInvalidValue"
    # Members that a program sets count from the next binding on.
    image.filterMode = hip.hipTextureFilterMode.hipFilterModeLinear
    assert check(hip.hipBindTexture2D(image, memory, described, 8, 8, 32)) == 0
    plain.launch("look", 1, 4, out, ctypes.c_float(1), ctypes.c_float(0.5))
    np.testing.assert_array_equal(out, [0.5, 1.5, 2.5, 3.5])
    array = array_of(library, Format(32, 0, 0, 0, FLOAT), 4, 4)
    check(hip.hipBindTextureToArray(image, array.value, described))
    status, texture = create(library, Resource(ARRAY, Choice(array=array.value)))
    assert status == SUCCESS
    fill(texture, np.arange(100, 116, dtype=np.float32))
    plain.launch("look", 1, 4, out, ctypes.c_float(1), ctypes.c_float(0.5))
    np.testing.assert_array_equal(out, [100.5, 101.5, 102.5, 103])
    described.x = 16
    assert name(hip.hipBindTextureToArray(image, array.value, described)) == "hipErrorInvalidValue"
    check(hip.hipUnbindTexture(image))
    plain.launch("look", 1, 4, out, ctypes.c_float(1), ctypes.c_float(0.5))
    np.testing.assert_array_equal(out, 0)
    assert library.hipDestroyTextureObject(texture) == SUCCESS
    assert library.hipFreeArray(array) == SUCCESS
    check(hip.hipFree(memory))


def test_launches_before_a_change_read_what_was_bound(hip: ModuleType, library: ctypes.CDLL, plain: Module) -> None:
    of = ctypes.c_void_p(int(reference(plain, "line")))
    old, new = plain.upload(np.full(4, 1, np.float32)), plain.upload(np.full(4, 2, np.float32))
    result = plain.upload(np.zeros(4, np.float32))
    assert library.hipTexRefSetAddress(None, of, ctypes.c_void_p(int(old)), SIZE(16)) == SUCCESS
    stream = ctypes.c_void_p()
    assert library.hipStreamCreate(ctypes.byref(stream)) == SUCCESS
    pause = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: time.sleep(0.2))
    assert library.hipLaunchHostFunc(stream, pause, None) == SUCCESS
    out = ctypes.c_void_p(int(result))
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(out))
    kernel = ctypes.c_void_p(int(plain.function("fetch")))
    assert library.hipModuleLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, stream, arguments, None) == SUCCESS
    assert library.hipTexRefSetAddress(None, of, ctypes.c_void_p(int(new)), SIZE(16)) == SUCCESS
    assert library.hipStreamDestroy(stream) == SUCCESS
    found = np.zeros(4, np.float32)
    check(hip.hipMemcpy(found, result, 16, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    np.testing.assert_array_equal(found, [0, 1, 1, 1])
    for memory in (old, new, result):
        check(hip.hipFree(memory))


def test_references_go_with_their_module(hip: ModuleType, library: ctypes.CDLL, programs: Kernels) -> None:
    module = programs.load(PLAIN)
    of = ctypes.c_void_p(int(reference(module, "line")))
    memory = module.upload(np.zeros(4, np.float32))
    assert library.hipTexRefSetAddress(None, of, ctypes.c_void_p(int(memory)), SIZE(16)) == SUCCESS
    check(hip.hipModuleUnload(module.module))
    assert library.hipTexRefSetFlags(of, 0) == INVALID
    assert library.hipTexRefGetFlags(ctypes.byref(ctypes.c_uint()), of) == INVALID
    check(hip.hipFree(memory))


def test_a_struct_of_the_programs_own(hip: ModuleType, plain: Module) -> None:
    of = hip.textureReference()
    memory = plain.upload(np.zeros(4, np.float32))
    check(hip.hipTexRefSetFormat(of, hip.hipArray_Format.HIP_AD_FORMAT_FLOAT, 1))
    assert check(hip.hipTexRefSetAddress(of, memory, 16)) == 0
    assert int(check(hip.hipTexRefGetAddress(of))) == int(memory)
    check(hip.hipUnbindTexture(of))
    check(hip.hipFree(memory))
