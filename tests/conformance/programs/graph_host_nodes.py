"""Nodes that call the host, and nodes of events."""

import ctypes
from typing import Any

from _device import context
from _show import call, fields, show
from cuda.bindings import driver

context()
stream = driver.cuStreamCreate(0)[1]
graph = driver.cuGraphCreate(0)[1]
seen: list[Any] = []


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def function(data: int) -> None:
    seen.append(data)


wanted = driver.CUDA_HOST_NODE_PARAMS()
wanted.fn = driver.CUhostFn(_ptr=ctypes.addressof(function))
wanted.userData = 41
node = call(driver.cuGraphAddHostNode, graph, None, 0, wanted)
got = call(driver.cuGraphHostNodeGetParams, node)
fields("got", got, "userData", values=True)
fields("got", got, "fn")
event = driver.cuEventCreate(0)[1]
other = driver.cuEventCreate(0)[1]
recorded = call(driver.cuGraphAddEventRecordNode, graph, [node], 1, event)
waited = call(driver.cuGraphAddEventWaitNode, graph, [recorded], 1, event)
show("its event", call(driver.cuGraphEventRecordNodeGetEvent, recorded) == event)
show("its event", call(driver.cuGraphEventWaitNodeGetEvent, waited) == event)
call(driver.cuGraphEventRecordNodeSetEvent, recorded, other)
call(driver.cuGraphEventWaitNodeSetEvent, waited, other)
show("another", driver.cuGraphEventRecordNodeGetEvent(recorded)[1] == other)
call(driver.cuGraphNodeGetType, node, note="host")
call(driver.cuGraphNodeGetType, recorded, note="record")
call(driver.cuGraphNodeGetType, waited, note="wait")
executable = call(driver.cuGraphInstantiate, graph, 0)
call(driver.cuGraphLaunch, executable, stream)
call(driver.cuStreamSynchronize, stream)
show("seen", seen)
wanted.userData = 42
call(driver.cuGraphExecHostNodeSetParams, executable, node, wanted)
call(driver.cuGraphExecEventRecordNodeSetEvent, executable, recorded, event)
call(driver.cuGraphExecEventWaitNodeSetEvent, executable, waited, event)
call(driver.cuGraphLaunch, executable, stream)
call(driver.cuStreamSynchronize, stream)
show("seen", seen)
call(driver.cuGraphHostNodeSetParams, node, wanted)
call(driver.cuGraphAddHostNode, graph, None, 0, driver.CUDA_HOST_NODE_PARAMS(), note="empty")
call(driver.cuGraphAddEventRecordNode, graph, None, 0, None, note="null event")
call(driver.cuGraphEventRecordNodeGetEvent, node, note="of a host node")
