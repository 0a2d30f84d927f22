"""Fetches through texture references give the values of texture objects with the same settings."""

from __future__ import annotations

import ctypes
import itertools
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.hip_on_host.hip_program import check
from tests.hip_on_host.hiprtc_program import Kernels, Module
from tests.hip_on_host.test_texture import (  # fmt: skip
    ARRAY,
    BORDER,
    CLAMP,
    ELEMENT,
    FLOAT,
    LINEAR,
    MIRROR,
    NORMALIZED,
    POINT,
    SIGNED,
    SUCCESS,
    UNSIGNED,
    WRAP,
    Choice,
    Format,
    Resource,
    Settings,
    array_of,
    create,
)
from tests.hip_on_host.texture_references import (
    NORMALIZED_COORDINATES,
    OVERRIDE_FORMAT,
    READ_AS_INTEGER,
    fill,
    reference,
)

LAYERED, CUBEMAP = 1, 4
#: Each kind's extents, the flags of its arrays, and the arguments of a fetch, of which `c` has four.
KINDS = {
    "1D": ((7, 0, 0), 0, "c[0]"),
    "2D": ((7, 5, 0), 0, "c[0], c[1]"),
    "3D": ((7, 5, 3), 0, "c[0], c[1], c[2]"),
    "Cubemap": ((4, 4, 6), CUBEMAP, "c[0], c[1], c[2]"),
    "1DLayered": ((7, 0, 3), LAYERED, "c[0], (int)c[3]"),
    "2DLayered": ((7, 5, 3), LAYERED, "c[0], c[1], (int)c[3]"),
    "CubemapLayered": ((4, 4, 12), CUBEMAP | LAYERED, "c[0], c[1], c[2], (int)c[3]"),
}
#: Each element type's channels, its numpy type and read mode, and the type of a fetch.
TYPES = {
    "float": (Format(32, 0, 0, 0, FLOAT), np.dtype(np.float32), ELEMENT, "float"),
    "uchar4": (Format(8, 8, 8, 8, UNSIGNED), np.dtype((np.uint8, 4)), NORMALIZED, "float4"),
    "short2": (Format(16, 16, 0, 0, SIGNED), np.dtype((np.int16, 2)), ELEMENT, "short2"),
}
SETTINGS = [
    (POINT, 0, CLAMP), (LINEAR, 0, CLAMP), (POINT, 0, BORDER), (POINT, 1, MIRROR), (LINEAR, 1, WRAP), (LINEAR, 1, BORDER),
]  # fmt: skip
MODES = {ELEMENT: "cudaReadModeElementType", NORMALIZED: "cudaReadModeNormalizedFloat"}


def sampler(kind: str, element: str) -> str:
    """A reference, a kernel that reads through it, and one that reads through an object."""
    arguments, (_, _, mode, result) = KINDS[kind][2], TYPES[element]
    fetch = f"tex{kind}"
    return f"""
    texture<{element}, cudaTextureType{kind}, {MODES[mode]}> t{kind}_{element};
    extern "C" __global__ void r{kind}_{element}(uint4* out, const float* at) {{
        const float* c = at + 4 * threadIdx.x;
        *({result}*)(out + threadIdx.x) = {fetch}(t{kind}_{element}, {arguments});
    }}
    extern "C" __global__ void o{kind}_{element}(uint4* out, const float* at, cudaTextureObject_t object) {{
        const float* c = at + 4 * threadIdx.x;
        *({result}*)(out + threadIdx.x) = {fetch}<{result}>(object, {arguments});
    }}"""


@pytest.fixture(scope="module")
def samplers(programs: Kernels) -> Module:
    return programs.load("".join(itertools.starmap(sampler, itertools.product(KINDS, TYPES))))


def coordinates(kind: str, normalized: int) -> npt.NDArray[np.float32]:
    """Places inside and outside of the image, and layers."""
    random = np.random.default_rng(3)
    if kind.startswith("Cubemap"):
        places = random.uniform(-1, 1, (64, 3))
    else:
        places = random.uniform(-0.4, 1.4, (64, 3)) * (1 if normalized else [7, 5, 3])
    return np.hstack([places, random.integers(0, 3, (64, 1))]).astype(np.float32)


def settle(hip: ModuleType, of: Any, how: Settings) -> None:
    """Give a reference the settings of an object; the border's colour is for ctypes."""
    flags = (READ_AS_INTEGER if how.read == ELEMENT else 0) | (NORMALIZED_COORDINATES if how.normalized else 0)
    check(hip.hipTexRefSetFlags(of, flags))
    check(hip.hipTexRefSetFilterMode(of, hip.hipTextureFilterMode(how.filter)))
    for axis in range(3):
        check(hip.hipTexRefSetAddressMode(of, axis, hip.hipTextureAddressMode(how.address[axis])))


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_fetches_are_those_of_objects(
    hip: ModuleType, library: ctypes.CDLL, samplers: Module, kind: str, element: str
) -> None:
    form, dtype, mode, _ = TYPES[element]
    extents, flags, _ = KINDS[kind]
    array = array_of(library, form, *extents, flags)
    count = extents[0] * max(extents[1], 1) * max(extents[2], 1) * dtype.itemsize
    bits = np.random.default_rng(5).integers(0, 256, count, np.uint8)
    texels = np.linspace(-2, 3, count // 4, dtype=np.float32).view(np.uint8) if element == "float" else bits
    of = reference(samplers, f"t{kind}_{element}")
    assert library.hipTexRefSetArray(ctypes.c_void_p(int(of)), array, OVERRIDE_FORMAT) == SUCCESS
    colour = (ctypes.c_float * 4)(0.25, 0.5, 0.75, 1.0)
    assert library.hipTexRefSetBorderColor(ctypes.c_void_p(int(of)), colour) == SUCCESS
    for filtering, normalized, address in SETTINGS:
        if filtering == LINEAR and element == "short2":
            continue  # no object can have it
        how = Settings((ctypes.c_int * 3)(*[address] * 3), filtering, mode, 0, colour, normalized)
        status, texture = create(library, Resource(ARRAY, Choice(array=array.value)), how)
        assert status == SUCCESS
        fill(texture, texels)
        settle(hip, of, how)
        at = coordinates(kind, normalized)
        by_reference, by_object = np.zeros((64, 4), np.uint32), np.zeros((64, 4), np.uint32)
        samplers.launch(f"r{kind}_{element}", 1, 64, by_reference, at)
        samplers.launch(f"o{kind}_{element}", 1, 64, by_object, at, ctypes.c_void_p(texture.value))
        np.testing.assert_array_equal(by_reference, by_object, str((filtering, normalized, address)))
        assert len(np.unique(by_object[:, 0])) > 4
        assert library.hipDestroyTextureObject(texture) == SUCCESS
    assert library.hipFreeArray(array) == SUCCESS
    check(hip.hipUnbindTexture(of))


def test_integers_are_not_interpolated(hip: ModuleType, library: ctypes.CDLL, samplers: Module) -> None:
    of = reference(samplers, "t1D_short2")
    array = array_of(library, TYPES["short2"][0], 2, 0)
    status, texture = create(library, Resource(ARRAY, Choice(array=array.value)))
    assert status == SUCCESS
    fill(texture, np.array([1, 2, 30, 40], np.int16))
    assert library.hipTexRefSetArray(ctypes.c_void_p(int(of)), array, OVERRIDE_FORMAT) == SUCCESS
    settle(hip, of, Settings((ctypes.c_int * 3)(CLAMP, CLAMP, CLAMP), LINEAR, ELEMENT))
    at, out = np.array([[0.75, 0, 0, 0], [1.0, 0, 0, 0]], np.float32), np.zeros((2, 4), np.uint32)
    samplers.launch("r1D_short2", 1, 2, out, at)
    np.testing.assert_array_equal(out[:, 0].copy().view(np.int16), [1, 2, 30, 40])
    check(hip.hipUnbindTexture(of))
    assert library.hipDestroyTextureObject(texture) == SUCCESS
    assert library.hipFreeArray(array) == SUCCESS


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("texture<float> a, b; extern texture<float> c;", {"a": 0, "b": 0, "c": 500}),
        ("typedef texture<float, 2> Image; Image a; using Line = texture<int4>; Line b;", {"a": 0, "b": 0}),
        ("namespace n { texture<float> a; } static texture<float> b;", {"_ZN1n1aE": 0, "b": 0}),
        ("#define TEXTURE(name) texture<float, 2, hipReadModeElementType> name\nTEXTURE(a);", {"a": 0}),
        ('#include <texture_types.h>\n#include "hip/texture_types.h"\ntexture<float> a;', {"a": 0}),
        ("__device__ float a; __constant__ int b;", {"a": 500, "b": 500}),
        (
            "template <class T> struct texture { T first; }; __device__ texture<int> a; texture<int> b;",
            {"a": 500, "b": 500},
        ),
    ],
    ids=["declarators", "named types", "scopes", "macro", "headers", "other variables", "a class of the program's"],
)
def test_references_are_found_by_name(programs: Kernels, hip: ModuleType, source: str, found: dict[str, int]) -> None:
    module = programs.load(source + "\n__global__ void k(float* out, int texture) { out[texture] = 1; }\n")
    statuses = {symbol: int(hip.hipModuleGetTexRef(module.module, symbol.encode())[0]) for symbol in found}
    assert statuses == found


def test_kernels_with_barriers(hip: ModuleType, programs: Kernels) -> None:
    module = programs.load("""
    texture<float, 1> source;
    __device__ float twice(int i) { return 2 * tex1Dfetch(source, i); }
    extern "C" __global__ void turn(float* out) {
        __shared__ float tile[64];
        tile[threadIdx.x] = twice(threadIdx.x);
        __syncthreads();
        out[threadIdx.x] = tile[63 - threadIdx.x] + tex1Dfetch(source, threadIdx.x);
    }""")
    memory, out = module.upload(np.arange(64, dtype=np.float32)), np.zeros(64, np.float32)
    check(hip.hipTexRefSetAddress(reference(module, "source"), memory, 256))
    module.launch("turn", 1, 64, out)
    np.testing.assert_array_equal(out, 126 - np.arange(64))
    check(hip.hipFree(memory))
