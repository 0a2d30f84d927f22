"""cuGraphExecUpdate as C programs call it: a failed update says why."""

import ctypes

from _device import context
from _show import show
from cuda.bindings import driver

context()
library = ctypes.CDLL("libcuda.so.1")
# The form of CUDA 12, whose parameter is a struct; a program that is compiled calls it by this name.
update = library.cuGraphExecUpdate_v2


class Info(ctypes.Structure):
    """CUgraphExecUpdateResultInfo."""

    _fields_ = (("result", ctypes.c_int), ("error_node", ctypes.c_void_p), ("error_from_node", ctypes.c_void_p))


def graph(nodes):
    """Return a graph with so many empty nodes."""
    made = driver.cuGraphCreate(0)[1]
    for _ in range(nodes):
        driver.cuGraphAddEmptyNode(made, [], 0)
    return made


executable = driver.cuGraphInstantiate(graph(2), 0)[1]
handle = ctypes.c_void_p(int(executable))
for nodes in (2, 3, 1):
    info = Info(99, 99, 99)
    status = update(handle, ctypes.c_void_p(int(graph(nodes))), ctypes.byref(info))
    show(f"{nodes} nodes", (status, info.result))
show("no info", update(handle, ctypes.c_void_p(int(graph(2))), None))
show("no graph", update(handle, None, ctypes.byref(info)))
