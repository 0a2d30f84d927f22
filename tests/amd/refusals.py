"""All code of this repository's programs that AMD's compiler refuses, with the reasons."""

from __future__ import annotations

from tests.amd.toolchain import TARGETS

_NO_IMAGES = "this GPU has no image units, which textures and surfaces need"
_CLAMPED = "AMD's hardware reads zeros outside a surface, not what lies nearest"
_CONSTANT = "__isConstant: HIP does not tell constant memory from the device's other memory"

#: By program of the corpus: the reason on each target that refuses it.
CORPUS: dict[str, dict[str, str]] = {
    "address_spaces.cu": dict.fromkeys(TARGETS, _CONSTANT),
    "surface_bounds.cu": dict.fromkeys(TARGETS, _CLAMPED),
    "surface.cu": {"gfx942": _NO_IMAGES},
    "texture.cu": {"gfx942": _NO_IMAGES},
    "texture_detail.cu": {"gfx942": _NO_IMAGES},
}

#: By PTX module: the same.
PTX: dict[str, dict[str, str]] = {
    "nvcc 32.ptx": {"gfx942": "needs image units, which gfx942 does not have"},
    "nvcc 33.ptx": dict.fromkeys(TARGETS, "'suld.b.2d.b32.clamp': AMD's hardware reads zeros outside a surface"),
    "nvcc 35.ptx": {"gfx942": "needs image units, which gfx942 does not have"},
    "nvcc 36.ptx": {"gfx942": "needs image units, which gfx942 does not have"},
}
