"""The runtime's headers agree with the hip-python that is installed, whichever generation that is."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ABI = ROOT / "cuda_shim/backends/cpu/runtime/abi"
#: Ends of ranges that grow from version to version, and the version itself.
MOVING = re.compile(r"hipErrorTbd|HIP_FUNC_ATTRIBUTE_MAX|hipFuncAttributeMax|hipLaunchAttributeMax|HIP_VERSION")


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("generate_hip_abi", ROOT / "tools/generate_hip_abi.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def facts(generator):
    return generator.dump_facts()


def test_values_of_enums_and_constants(facts):
    text = (ABI / "hip_enums.h").read_text(encoding="utf-8")
    ours = {found[1]: int(found[2]) for found in re.finditer(r"\b(\w+) = (-?\d+)", text)}
    shared = {name for name in ours if name in facts["values"] and not MOVING.match(name)}
    assert len(shared) > 700
    differing = {name for name in shared if ours[name] & 0xFFFFFFFF != facts["values"][name] & 0xFFFFFFFF}
    assert differing == set()


def test_sizes_and_offsets_of_structs(facts):
    text = (ABI / "hip_layout.h").read_text(encoding="utf-8")
    sizes = {found[1]: int(found[2]) for found in re.finditer(r"sizeof\((\w+)\) == (\d+)", text)}
    offsets = {(found[1], found[2]): int(found[3]) for found in re.finditer(r"offsetof\((\w+), (\w+)\) == (\d+)", text)}
    compared = 0
    for name, known in facts["classes"].items():
        if name in sizes:
            assert known["size"] == sizes[name], name
        for field, offset in known["offsets"].items():
            if (name, field) in offsets:
                assert offset == offsets[name, field], f"{name}.{field}"
                compared += 1
    assert compared > 200


def test_the_headers_are_what_the_generator_writes(generator, facts):
    """On the generation that they were written from; the other one has fewer names."""
    if not generator.import_hip().__name__.startswith("rocm."):
        pytest.skip("the headers are generated from hip-python 10.0")
    stale = [
        name for name, text in generator.generate(facts, dict(facts["symbols"])).items()
        if (ABI / name).read_text(encoding="utf-8") != text
    ]  # fmt: skip
    assert stale == []


def test_every_symbol_is_exported(facts, library):
    assert [symbol for symbol in facts["symbols"].values() if not hasattr(library, symbol)] == []
