"""An installed copy scans and explains as a checkout does: the headers and tables that it asks are in the wheel."""

from __future__ import annotations

from pathlib import Path

from tests.environments import Python

PROGRAM = """\
import nvmath
from cuda.bindings import driver
driver.cuProfilerStart, driver.cuImportExternalSemaphore
source = '''
#include <cuda/barrier>
__global__ void k() { __syncthreads(); }
'''
"""


def test_scan_and_explain(any_shim_python: Python, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = any_shim_python.start("-m", "cuda_shim", "scan", "--problems", path)
    assert (done.returncode, done.stderr) == (1, "")
    lines = [line.removeprefix(f"{path}:") for line in done.stdout.splitlines() if line.startswith(str(path))]
    assert [line.partition(": ")[2].split(":")[0] for line in lines] == [
        "CS205 nvmath", "CS201 cuImportExternalSemaphore", "CS302 #include <cuda/barrier>",
    ]  # fmt: skip
    done = any_shim_python.start("-m", "cuda_shim", "explain", "curand_kernel.h", "cp.async")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("on host cores") == 2
