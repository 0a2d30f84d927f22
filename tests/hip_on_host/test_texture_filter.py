"""Linear filtering of floats, which has forms of its own for one channel and for four, beside the form for all others."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.hip_on_host.test_texture import (
    BORDER,
    CLAMP,
    FLOAT,
    LINEAR,
    MIRROR,
    PITCHED,
    SUCCESS,
    WRAP,
    Choice,
    Format,
    PitchedResource,
    Resource,
    create,
    settings,
)  # fmt: skip
from tests.program_files import read_program

WIDTH, HEIGHT, POINTS = 13, 9, 4096

SOURCE = read_program(__file__, "texture_filter.cu")


@pytest.mark.parametrize("normalized", [0, 1], ids=["texels", "normalized"])
@pytest.mark.parametrize("address", [WRAP, CLAMP, MIRROR, BORDER], ids=["wrap", "clamp", "mirror", "border"])
def test_as_many_channels_as_there_are_the_values_are_the_same(library, programs, address, normalized):
    rng = np.random.default_rng(address)
    image = rng.normal(size=(HEIGHT, WIDTH, 4)).astype(np.float32)
    image[2, 3], image[5, 7], image[8, 12, 1] = np.nan, np.inf, -0.0
    at = rng.uniform(-1.5, 2.5, (POINTS, 2)).astype(np.float32)
    at[:64] = np.round(at[:64] * 4) / 4  # points for which a neighbour has no weight
    at[64:70, 0] = [np.nan, np.inf, -np.inf, 1e37, -0.0, 1e-30]
    if not normalized:
        at *= np.array([WIDTH, HEIGHT], np.float32)
    module = programs.load(SOURCE)
    how = settings(LINEAR, address=address)
    how.normalized, how.border = normalized, (ctypes.c_float * 4)(0.5, -2.0, 7.0, 1.0)
    found = {}
    for name, channels in ("one", 1), ("two", 2), ("four", 4):
        pitch = 256
        rows = np.zeros((HEIGHT, pitch), np.uint8)
        rows[:, : WIDTH * channels * 4] = (
            np.ascontiguousarray(image[:, :, :channels]).reshape(HEIGHT, -1).view(np.uint8)
        )
        memory = module.upload(rows)
        form = Format(*[32 if channel < channels else 0 for channel in range(4)], FLOAT)
        status, texture = create(
            library, Resource(PITCHED, Choice(plane=PitchedResource(int(memory), form, WIDTH, HEIGHT, pitch))), how
        )
        assert status == SUCCESS
        out = np.zeros((POINTS, 4), np.float32)
        module.launch(name, POINTS // 64, 64, ctypes.c_void_p(texture.value), at, out)
        assert library.hipDestroyTextureObject(texture) == SUCCESS
        found[name] = out.view(np.uint32)
    np.testing.assert_array_equal(found["one"][:, 0], found["two"][:, 0])
    np.testing.assert_array_equal(found["four"][:, :2], found["two"][:, :2])
    assert len(np.unique(found["four"][:, 3])) > 200
