"""Executable graphs updated from changed graphs."""

from typing import Any

from _device import context
from _show import call, fields, show
from cuda.bindings import driver

context()
current = driver.cuCtxGetCurrent()[1]
pointer = driver.cuMemAlloc(64)[1]


def graph(value: int, extra: int = 0) -> Any:
    made = driver.cuGraphCreate(0)[1]
    fill = driver.CUDA_MEMSET_NODE_PARAMS()
    fill.dst, fill.value, fill.elementSize, fill.width, fill.height = pointer, value, 1, 8, 1
    driver.cuGraphAddMemsetNode(made, None, 0, fill, current)
    for _ in range(extra):
        driver.cuGraphAddEmptyNode(made, None, 0)
    return made


executable = call(driver.cuGraphInstantiate, graph(1), 0)
info = call(driver.cuGraphExecUpdate, executable, graph(2))
fields("info", info, "result", "errorNode", "errorFromNode")
target = bytearray(2)
call(driver.cuGraphLaunch, executable, 0)
driver.cuCtxSynchronize()
driver.cuMemcpyDtoH(target, pointer, 2)
show("updated", bytes(target))
call(driver.cuGraphExecUpdate, executable, graph(3, extra=1), note="another shape")
call(driver.cuGraphExecUpdate, executable, None, note="null graph")
call(driver.cuGraphExecUpdate, None, graph(1), note="null executable")
parameters = driver.CUDA_GRAPH_INSTANTIATE_PARAMS()
parameters.flags = 0
call(driver.cuGraphInstantiateWithParams, graph(1), parameters)
fields("parameters", parameters, "result_out", "hErrNode_out")
