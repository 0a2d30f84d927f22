"""Instructions that only some AMD GPUs have are refused with their line before they are compiled."""

import pytest

from cuda_shim.adapters.ptx import _limit
from cuda_shim.translate.ptx.writer import translate
from tests.ptx.texts import kernel

TEXTURE = "tex.1d.v4.f32.s32 {%f1, %f1, %f1, %f1}, [%rd1, {%r1}];"
SURFACE = "suld.b.1d.b32.{mode} {{%r1}}, [%rd1, {{%r2}}];"


def refusal(body, architecture):
    limit = _limit(translate(kernel(body)), architecture)
    return None if limit is None else limit.message("m")


@pytest.mark.parametrize("body", [TEXTURE, SURFACE.format(mode="trap")])
@pytest.mark.parametrize("architecture", ["gfx942:sramecc+:xnack-", "gfx950"])
def test_gpus_without_image_units_are_named(body, architecture):
    opcode = body.partition(" ")[0]
    said = refusal(body, architecture)
    assert f"line 21, column 1; error   : '{opcode}' needs image units, which {architecture} does not have" in said


@pytest.mark.parametrize("architecture", ["gfx90a", "gfx1030", "gfx1100", "gfx1201", None])
@pytest.mark.parametrize("body", [TEXTURE, SURFACE.format(mode="zero")])
def test_others_have_textures(body, architecture):
    assert refusal(body, architecture) is None


def test_amd_gpus_do_not_clamp_surfaces():
    body = SURFACE.format(mode="clamp")
    assert "AMD's hardware reads zeros outside a surface" in refusal(body, "gfx1100")
    assert refusal(body, None) is None
