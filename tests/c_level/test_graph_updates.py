"""cuGraphExecUpdate as C programs call it: a failed update reports the reason, beside its status."""

from __future__ import annotations

import pytest

from tests.c_level.test_by_name import run
from tests.program_files import read_program

CODE = read_program(__file__, "graph_updates.py")
OLD = """
import ctypes
from cuda.bindings import driver
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
small, large = driver.cuGraphCreate(0)[1], driver.cuGraphCreate(0)[1]
driver.cuGraphAddEmptyNode(large, [], 0)
executable = driver.cuGraphInstantiate(small, b"", 0)[1]
node, result = ctypes.c_void_p(99), ctypes.c_int(99)
update = ctypes.CDLL("libcuda.so.1").cuGraphExecUpdate
print(update(ctypes.c_void_p(int(executable)), ctypes.c_void_p(int(large)), ctypes.byref(node), ctypes.byref(result)), result.value)
"""


@pytest.mark.parametrize("layout", ["12.9", "13.5"])
def test_the_reason_of_a_failure_is_written(layout: str) -> None:
    lines = ["2 0 0 None", "3 910 2 None", "1 910 2 None", "no information 1"]
    assert run(CODE, "--cuda", layout).splitlines() == lines * 2


def test_cuda_11_has_two_results() -> None:
    assert run(OLD, "--cuda", "11.8") == "910 2\n"
