"""Names of `cuda.bindings._v2`, and modules of NVIDIA's wheels that are not served."""

from __future__ import annotations

import pytest

from cuda_shim.scan.diagnostics import Verdict
from cuda_shim.scan.support import Support

V2 = "cuda.bindings._v2.nvrtc"


def judged(target: str, cuda: str = "13.5") -> Verdict:
    verdict = Support(cuda).of(target)
    assert verdict is not None
    return verdict


def test_functions_are_judged_by_those_that_they_call() -> None:
    assert judged(f"{V2}.get_ptx") == judged("cuda.bindings.nvrtc.nvrtcGetPTX")
    assert judged(f"{V2}.get_pch_create_status").code == "CS201"
    assert judged(f"{V2}.CompilationError").code == "CS103"
    assert judged(f"{V2}.compile").code == "CS204"
    assert Support("13.5").of(V2) is None


@pytest.mark.parametrize("cuda", ["11.8", "12.9"])
def test_older_cuda_has_no_such_package(cuda: str) -> None:
    assert judged(f"{V2}.get_ptx", cuda).message.endswith("CUDA_SHIM_CUDA=13 serves it")


def test_a_module_that_is_not_served_has_its_reason() -> None:
    assert "nvFatbin takes comments out of PTX" in judged("cuda.bindings.nvfatbin.create").message
    assert "pip install cuda-bindings" in judged("cuda.bindings._v2.driver.init").message
    assert judged("cuda.bindings.nothing").message.endswith("not served, and hidden while the shim is active")
