"""Nodes of operations on memory: written words, awaited words, changed ones."""

from typing import Any

import numpy
from _device import context
from _show import call, fields, show
from cuda.bindings import driver

context()
kinds = driver.CUstreamBatchMemOpType
graph = driver.cuGraphCreate(0)[1]
stream = driver.cuStreamCreate(0)[1]
pointer = driver.cuMemAlloc(64)[1]
driver.cuMemsetD8(pointer, 0, 64)
target = numpy.zeros(4, dtype=numpy.uint32)


def write(offset: int, value: int) -> Any:
    made = driver.CUstreamBatchMemOpParams()
    made.operation = made.writeValue.operation = kinds.CU_STREAM_MEM_OP_WRITE_VALUE_32
    made.writeValue.address, made.writeValue.value = int(pointer) + offset, value
    return made


def wait(offset: int, value: int) -> Any:
    made = driver.CUstreamBatchMemOpParams()
    made.operation = made.waitValue.operation = kinds.CU_STREAM_MEM_OP_WAIT_VALUE_32
    made.waitValue.address, made.waitValue.value = int(pointer) + offset, value
    made.waitValue.flags = driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_EQ
    return made


def wanted(*operations: Any) -> Any:
    made = driver.CUDA_BATCH_MEM_OP_NODE_PARAMS()
    made.ctx = driver.cuCtxGetCurrent()[1]
    made.count, made.paramArray, made.flags = len(operations), list(operations), 0
    return made


def run(note: str, executable: Any) -> None:
    call(driver.cuGraphLaunch, executable, stream, note=note)
    call(driver.cuStreamSynchronize, stream)
    driver.cuMemcpyDtoH(target, pointer, 16)
    show(note, target.tolist())


node = call(driver.cuGraphAddBatchMemOpNode, graph, None, 0, wanted(write(0, 5), wait(0, 5), write(4, 6)))
call(driver.cuGraphNodeGetType, node)
got = call(driver.cuGraphBatchMemOpNodeGetParams, node)
fields("got", got, "count", "flags", values=True)
executable = call(driver.cuGraphInstantiate, graph, 0)
run("written", executable)
call(driver.cuGraphExecBatchMemOpNodeSetParams, executable, node, wanted(write(8, 7), wait(8, 7), write(12, 8)))
run("changed", executable)
call(driver.cuGraphBatchMemOpNodeSetParams, node, wanted(write(0, 1)))
got = call(driver.cuGraphBatchMemOpNodeGetParams, node, note="shorter")
fields("got", got, "count", values=True)
run("made anew", driver.cuGraphInstantiate(graph, 0)[1])
call(driver.cuGraphAddBatchMemOpNode, graph, None, 0, wanted(), note="nothing")
call(driver.cuGraphAddBatchMemOpNode, graph, None, 0, None, note="None")
