"""Checked mode finds nothing wrong in kernels that read the runtime's own objects: textures, surfaces, loaded modules."""

from __future__ import annotations

import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
CASES = ("address_spaces.kinds", "surface.invert", "texture.edges", "texture.elements", "texture_detail.levels")


def test_nothing_is_found(any_shim_python):
    said = any_shim_python.run(
        "-m", "cuda_shim", "run", "--backend", "cpu", FOLDER / "worker.py", *CASES, CUDA_SHIM_CPU_CHECK="1"
    )
    lines = [json.loads(line) for line in said.splitlines() if line.startswith('{"case"')]
    assert {line["case"]: line["error"] for line in lines if "error" in line} == dict.fromkeys(CASES)
