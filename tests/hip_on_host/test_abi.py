"""The runtime's headers agree with the hip-python that is installed, whichever generation that is."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ABI = ROOT / "hip_on_host/src/abi"
#: Ends of ranges that grow from version to version, and the version itself.
MOVING = re.compile(r"hipErrorTbd|HIP_FUNC_ATTRIBUTE_MAX|hipFuncAttributeMax|hipLaunchAttributeMax|HIP_VERSION")


@pytest.fixture(scope="module")
def generator():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "tools")
        yield importlib.import_module("generate_hip_abi")


@pytest.fixture(scope="module")
def measured(generator):
    return generator.measure()


def declarations(kind):
    """The headers of one kind, types or functions, as one text."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted((ABI / kind).iterdir()))


def test_values_of_enums_and_constants(measured):
    text = declarations("types")
    ours = {found[1]: int(found[2]) for found in re.finditer(r"\b(\w+) = (-?\d+)", text)}
    shared = {name for name in ours if name in measured["values"] and not MOVING.match(name)}
    assert len(shared) > 700
    differing = {name for name in shared if ours[name] & 0xFFFFFFFF != measured["values"][name] & 0xFFFFFFFF}
    assert differing == set()


def test_sizes_and_offsets_of_structs(measured):
    text = declarations("types")
    sizes = {found[1]: int(found[2]) for found in re.finditer(r"sizeof\((\w+)\) == (\d+)", text)}
    offsets = {(found[1], found[2]): int(found[3]) for found in re.finditer(r"offsetof\((\w+), (\w+)\) == (\d+)", text)}
    compared = 0
    for name, known in measured["classes"].items():
        if name in sizes:
            assert known["size"] == sizes[name], name
        for field, offset in known["offsets"].items():
            if (name, field) in offsets:
                assert offset == offsets[name, field], f"{name}.{field}"
                compared += 1
    assert compared > 200


def test_the_headers_are_what_the_generator_writes(generator, measured):
    """The headers were written from this generation of hip-python; the other one has fewer names."""
    if not generator.import_hip().__name__.startswith("rocm."):
        pytest.skip("the headers are generated from hip-python 10.0")
    assert generator.stale_files(generator.generated_files(measured)) == []


def test_every_symbol_is_exported(measured, library):
    assert [symbol for symbol in measured["symbols"].values() if not hasattr(library, symbol)] == []


def test_every_prototype_is_exported(library):
    """Functions that only another generation than the installed one asks for are exported too."""
    functions = re.findall(r"CUDA_SHIM_API .*?(\w+)\(", declarations("functions"))
    assert len(functions) > 500
    assert [function for function in functions if not hasattr(library, function)] == []


def test_each_name_is_in_the_header_of_its_subject():
    for kind, name, subject in [
        ("types", "hipMemcpyKind", "copy"),
        ("types", "hipMemPoolProps", "memory"),
        ("types", "hipDeviceMapHost", "device"),
        ("functions", "hipGraphAddMemcpyNode", "graph"),
        ("functions", "hipDevicePrimaryCtxRetain", "context"),
        ("functions", "hipDeviceGetDefaultMemPool", "memory"),
        ("functions", "hipModuleOccupancyMaxPotentialBlockSize", "launch"),
    ]:
        assert re.search(rf"\b{name}\b", (ABI / kind / f"{subject}.h").read_text(encoding="utf-8")), name


def test_a_name_without_a_subject_is_refused(generator):
    with pytest.raises(SystemExit, match=r"no subject for hipNovelty"):
        importlib.import_module("hip_abi.subjects").subject_of("hipNovelty")
