"""Statuses that HIP never returns: NVIDIA's own packages may compare with them, a program may not."""

from __future__ import annotations

import pytest

from tests.interpreters import run_json

CODE = """
import json
from cuda.bindings import driver, nvrtc, runtime

def read(module, expression):
    names = {"__name__": module, "driver": driver, "nvrtc": nvrtc, "runtime": runtime}
    try:
        return repr(eval(expression, names))
    except AttributeError as error:
        return str(error).partition(" HIP ")[0]

STATUSES = ("driver.CUresult.CUDA_ERROR_NOT_PERMITTED", "runtime.cudaError_t.cudaErrorStartupFailure")
MODULES = ("cuda.core._memory._virtual_memory_resource", "numba.cuda", "__main__", "cuda_of_mine", "numba.core")
print(json.dumps({module: [read(module, status) for status in STATUSES] for module in MODULES}))
"""
READ = ["<CUresult.CUDA_ERROR_NOT_PERMITTED: 800>", "<cudaError_t.cudaErrorStartupFailure: 127>"]
REFUSED = ["CUresult.CUDA_ERROR_NOT_PERMITTED has no", "cudaError_t.cudaErrorStartupFailure has no"]


@pytest.mark.parametrize("layout", ["11.8", "12.9", "13.5"])
def test_a_package_of_nvidias_reads_every_status(layout: str) -> None:
    seen = run_json(CODE, CUDA_SHIM="1", CUDA_SHIM_CUDA=layout)
    assert [seen[name] for name in ("cuda.core._memory._virtual_memory_resource", "numba.cuda")] == [READ] * 2
    assert [seen[name] for name in ("__main__", "cuda_of_mine", "numba.core")] == [REFUSED] * 3
