"""cuGraphExecUpdate as C programs call it: a failed update reports the reason, beside its status."""

from __future__ import annotations

import pytest

from tests.c_level.test_by_name import run

CODE = """
import ctypes, sys
from cuda.bindings import driver, runtime
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
pointer = ctypes.c_void_p

class Info(ctypes.Structure):
    _fields_ = (("result", ctypes.c_int), ("error_node", pointer), ("error_from_node", pointer))

def graph(nodes):
    made = driver.cuGraphCreate(0)[1]
    for _ in range(nodes):
        driver.cuGraphAddEmptyNode(made, [], 0)
    return pointer(int(made))

executable = driver.cuGraphInstantiate(driver.CUgraph(graph(2).value), 0)[1]
for library, update in (("libcuda.so.1", "cuGraphExecUpdate_v2"), ("libcudart.so", "cudaGraphExecUpdate")):
    update = getattr(ctypes.CDLL(library), update)
    for nodes in (2, 3, 1):
        info = Info(99, 99, 99)
        print(nodes, update(pointer(int(executable)), graph(nodes), ctypes.byref(info)), info.result, info.error_from_node)
    print("no information", update(pointer(int(executable)), graph(2), None))
"""
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
