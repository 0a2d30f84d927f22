"""Textures: the fetches of texture.cu against images.fetch."""

from __future__ import annotations

import numpy as np

from . import Run, case
from .images import BORDER, CLAMP, MIRROR, WRAP, Texture, fetch, floats, numbers, off_the_edges

N = 400


@case()
def elements(rng):
    plain, colours = floats(rng, N, 1), rng.integers(0, 256, (N, 4)).astype(np.uint8)
    parts = rng.integers(-128, 128, (N, 4)).astype(np.int8)
    textures = Texture(plain, memory=True), Texture(colours, memory=True), Texture(parts, memory=True, as_float=True)
    # The first ones are before the memory, where zeros are read.
    shifted = np.concatenate([np.zeros(5, np.float32), plain[: N - 5, 0]])
    out = [np.zeros(N, np.float32), np.zeros((N, 4), np.uint8), np.zeros((N, 4), np.float32)]
    return Run(
        [*textures, *out, np.int32(-5), np.int32(N)],
        {3: shifted, 4: colours, 5: numbers(textures[2], parts).astype(np.float32)}, grid=4, block=128, rtol=1e-6,
    )  # fmt: skip


def _modes(rng, linear, normalized):
    texels = floats(rng, 8, 1)
    # A border would be blended with the one beneath and above the row: so only textures without filtering have one.
    modes = (WRAP, CLAMP, MIRROR, CLAMP if linear else BORDER)
    textures = [
        Texture(texels, address=mode, linear=linear, normalized=normalized, border=(7.0, 8.0, 9.0, 10.0))
        for mode in modes
    ]
    x = off_the_edges(rng.uniform(-20, 28, N)) / np.float32(8 if normalized else 1)
    expected = np.stack([fetch(texture, x)[:, 0] for texture in textures]).astype(np.float32)
    return Run(
        [*textures, x, np.zeros((4, N), np.float32), np.int32(N)],
        {5: expected},
        grid=4,
        block=128,
        rtol=1e-5,
        atol=1e-6,
    )


@case("address_modes")
def address_modes_nearest(rng):
    return _modes(rng, False, False)


@case("address_modes")
def address_modes_normalized(rng):
    return _modes(rng, False, True)


@case("address_modes")
def address_modes_linear(rng):
    return _modes(rng, True, False)


@case("address_modes")
def address_modes_linear_normalized(rng):
    return _modes(rng, True, True)


def _plane(rng, texture, atol=2e-6):
    at = np.stack([off_the_edges(rng.uniform(-3, 12, N)), off_the_edges(rng.uniform(-3, 9, N))], axis=1)
    expected = fetch(texture, at[:, 0], at[:, 1])[:, 0].astype(np.float32)
    return Run([texture, at, np.zeros(N, np.float32), np.int32(N)], {2: expected}, grid=2, block=64, atol=atol)


@case("plane")
def plane_nearest(rng):
    return _plane(rng, Texture(floats(rng, 5, 7, 1), address=(CLAMP, BORDER, CLAMP), border=(2.0, 0.0, 0.0, 0.0)))


@case("plane")
def plane_linear(rng):
    return _plane(rng, Texture(floats(rng, 5, 7, 1), linear=True))


@case("plane")
def plane_linear_border(rng):
    return _plane(rng, Texture(floats(rng, 5, 7, 1), linear=True, address=BORDER, border=(2.0, 0.0, 0.0, 0.0)))


@case("plane")
def plane_linear_of_bytes(rng):
    return _plane(rng, Texture(rng.integers(0, 256, (5, 7, 1)).astype(np.uint8), linear=True, as_float=True), atol=1e-5)


@case()
def volume(rng):
    texture = Texture(floats(rng, 3, 5, 7, 2), linear=True)
    at = np.stack([off_the_edges(rng.uniform(-2, most, N)) for most in (9, 7, 5, 1)], axis=1)
    expected = fetch(texture, *at.T[:3]).astype(np.float32)
    # A GPU rounds the weights of three dimensions in a way that is not documented.
    return Run([texture, at, np.zeros((N, 2), np.float32), np.int32(N)], {2: expected}, grid=4, block=128, atol=2 / 256)


@case()
def channels(rng):
    n = 64
    integers = Texture(rng.integers(-30000, 30000, (1, n, 4)).astype(np.int16))
    parts = Texture(rng.integers(0, 256, (1, n, 4)).astype(np.uint8), as_float=True, srgb=True)
    words = Texture(rng.integers(-(2**31), 2**31, (1, n, 1)).astype(np.int32))
    halves = Texture(rng.uniform(-4, 4, (1, n, 2)).astype(np.float16))
    expected = {
        4: integers.texels[0], 5: numbers(parts, parts.texels)[0].astype(np.float32),
        6: np.pad(words.texels[0], ((0, 0), (0, 3))), 7: halves.texels[0].astype(np.float32),
    }  # fmt: skip
    # A GPU converts from sRGB with about eight bits.
    return Run(
        [integers, parts, words, halves, *(np.zeros_like(expected[at]) for at in range(4, 8)), np.int32(n)],
        expected,
        block=n,
        atol=1 / 256,
    )


@case()
def layers(rng):
    rows = Texture(floats(rng, 3, 1, 6, 1), layered=True, linear=True)
    planes = Texture(floats(rng, 3, 5, 6, 1), layered=True)
    at = np.stack([off_the_edges(rng.uniform(-2, 8, N)), off_the_edges(rng.uniform(-2, 7, N))], axis=1)
    layer = rng.integers(-1, 5, N).astype(np.int32)
    # A layer outside is the last one, below zero too.
    inside = np.where((layer < 0) | (layer > 2), 2, layer)
    expected = {
        4: fetch(rows, at[:, 0], slices=inside)[:, 0].astype(np.float32),
        5: fetch(planes, at[:, 0], at[:, 1], slices=inside)[:, 0].astype(np.float32),
    }
    return Run(
        [rows, planes, at, layer, np.zeros(N, np.float32), np.zeros(N, np.float32), np.int32(N)],
        expected,
        grid=4,
        block=128,
        atol=2e-6,
    )


def _face(x, y, z):
    """The face that a direction meets, and its coordinates from -1 to 1."""
    if abs(z) >= abs(x) and abs(z) >= abs(y):
        return (4, x / z, -y / z) if z > 0 else (5, x / z, y / z)
    if abs(y) >= abs(x):
        return (2, x / y, z / y) if y > 0 else (3, -x / y, z / y)
    return (0, -z / x, -y / x) if x > 0 else (1, -z / x, y / x)


@case()
def cube(rng):
    texture = Texture(floats(rng, 6, 4, 4, 1), cubemap=True, normalized=True)
    direction = rng.normal(size=(N, 4)).astype(np.float32)
    found = [_face(*(float(part) for part in row[:3])) for row in direction]
    expected = [texture.texels[face, int((t + 1) * 2), int((s + 1) * 2), 0] for face, s, t in found]
    return Run(
        [texture, direction, np.zeros(N, np.float32), np.int32(N)],
        {2: np.array(expected, np.float32)},
        grid=4,
        block=128,
    )


@case()
def edges(rng):
    width, height = 30, 6
    texture = Texture(floats(rng, height, width, 1))
    columns = np.arange(width)
    image = (
        texture.texels[:, np.clip(columns + 1, 0, width - 1), 0]
        - texture.texels[:, np.clip(columns - 1, 0, width - 1), 0]
    )
    expected = {1: np.abs(image).max(axis=1), 2: image}
    return Run(
        [texture, np.zeros(height, np.float32), np.zeros((height, width), np.float32), np.int32(width), np.int32(height)],
        expected, grid=height, block=32,
    )  # fmt: skip
