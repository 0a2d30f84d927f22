"""Docstrings of enum constants: each has one of its own, as in NVIDIA's wheels."""

from __future__ import annotations

import pytest

from tests.interpreters import run_json

# For every constant: its docstring, and its class's.
CODE = """
import json
from cuda.bindings import driver, nvrtc, runtime
docs = {}
for module in (driver, runtime, nvrtc):
    for name in dir(module):
        members = getattr(getattr(module, name), "__members__", {})
        for key, member in members.items():
            docs[f"{name}.{key}"] = [member.__doc__, type(member).__doc__]
print(json.dumps(docs))
"""


@pytest.mark.parametrize("layout", ["11.8", "12.9", "13.5"])
def test_each_constant_has_a_text_of_its_own(layout: str) -> None:
    docs = run_json(CODE, CUDA_SHIM="1", CUDA_SHIM_CUDA=layout)
    assert len(docs) > 1400
    assert [name for name, (own, _) in docs.items() if not own] == []
    assert [name for name, (own, of_class) in docs.items() if own == of_class or "HIP" in own] == []


@pytest.mark.parametrize(
    ("constant", "text"),
    [
        ("CUresult.CUDA_ERROR_INVALID_CONTEXT", "invalid device context"),
        ("cudaError_t.cudaErrorIllegalAddress", "an illegal memory access was encountered"),
        ("CUmem_advise.CU_MEM_ADVISE_SET_READ_MOSTLY", "set read mostly"),
        ("cudaDeviceAttr.cudaDevAttrMaxTexture2DHeight", "max texture2D height"),
        ("cudaEglColorFormat.cudaEglColorFormatBayerBGGR", "bayer BGGR"),
        ("CUlaunchMemSyncDomain.CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE", "remote"),
    ],
)
def test_the_text_is_cudas_message_or_the_name_in_words(constant: str, text: str) -> None:
    assert run_json(CODE, CUDA_SHIM="1", CUDA_SHIM_CUDA="13.5")[constant][0] == text
