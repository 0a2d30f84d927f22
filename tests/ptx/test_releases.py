"""PTX's versions and targets: as a driver recorded them, and as each layout takes them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cuda_shim.mapping.layouts import LAYOUTS, layout
from cuda_shim.translate.ptx.errors import PtxError, UnsupportedVersion
from cuda_shim.translate.ptx.parser import parse
from cuda_shim.translate.ptx.releases import NEWEST, VERSIONS, first_version_of
from tests.kernels import compilers

RECORDED: dict[str, Any] = json.loads(Path(__file__).with_name("recorded_releases.json").read_text())
ENTRY = "\n.entry k() { ret; }\n"
OTHER_VERSION = 222


def version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def test_versions_are_those_of_the_driver():
    newest = max(map(version, RECORDED["versions"]))
    assert {each for each in VERSIONS if each <= newest} == set(map(version, RECORDED["versions"]))


def test_targets_are_those_of_the_driver():
    for number in range(1, 200):
        for suffix in ("", "a", "f"):
            expected = RECORDED["first"].get(f"sm_{number}{suffix}")
            assert first_version_of(f"sm_{number}{suffix}") == (version(expected) if expected else None)


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_takes_what_its_nvrtc_writes(name: str):
    if name not in compilers.nvrtc():
        pytest.skip(f"NVRTC {name} is not installed")
    for number in layout(name).architectures:
        compiled = compilers.nvrtc()[name].ptx(
            b'extern "C" __global__ void k() {}', b"k.cu", [b"-arch=compute_%d" % number], {}, []
        )
        assert compiled is not None
        module = re.search(r"\.version (\S+)\n\.target (\S+)", compiled[0].decode())
        assert module is not None
        assert version(module[1]) == layout(name).ptx
        assert parse(compiled[0].decode(), layout(name).ptx)[0].target == module[2]


@pytest.mark.parametrize("name", LAYOUTS)
def test_newer_versions_and_their_targets_are_refused(name: str):
    newest = layout(name).ptx
    for each in sorted(VERSIONS):
        text = ".version {}.{}\n.target sm_10{}".format(*each, ENTRY)
        if each <= newest:
            assert parse(text, newest)[0].version == each
            continue
        with pytest.raises(
            UnsupportedVersion, match=r"Unsupported \.version .*; current version is '{}\.{}'".format(*newest)
        ):
            parse(text, newest)
    for target, first in RECORDED["first"].items():
        if version(first) > newest:
            with pytest.raises(PtxError, match=f"Unsupported .target '{target}'"):
                parse(".version {}.{}\n.target {}{}".format(*newest, target, ENTRY), newest)


@pytest.mark.parametrize("head", RECORDED["answers"])
def test_heads_of_modules_are_taken_as_by_the_driver(head: str):
    status, log = RECORDED["answers"][head]
    if status == 0:
        parse(head + ENTRY)
        return
    with pytest.raises(PtxError) as refused:
        parse(head + ENTRY)
    assert isinstance(refused.value, UnsupportedVersion) == (status == OTHER_VERSION)
    reason = re.search(r"(Unsupported \.\w+ [^;\n]+|PTX \.version [^\n]+)", log)
    if reason:
        current = "; current version is '{}.{}'".format(*NEWEST) if status == OTHER_VERSION else ""
        assert refused.value.reason == reason[1] + current
