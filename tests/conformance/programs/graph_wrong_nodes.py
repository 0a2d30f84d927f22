"""Getters and setters of one node type given nodes of another, null and destroyed ones."""

from _device import context
from _show import call
from cuda.bindings import driver, runtime

context()
graph = driver.cuGraphCreate(0)[1]
node = driver.cuGraphAddEmptyNode(graph, None, 0)[1]
pointer = driver.cuMemAlloc(64)[1]
for name in (
    "cuGraphKernelNodeGetParams", "cuGraphMemcpyNodeGetParams", "cuGraphMemsetNodeGetParams",
    "cuGraphHostNodeGetParams", "cuGraphChildGraphNodeGetGraph", "cuGraphEventRecordNodeGetEvent",
    "cuGraphEventWaitNodeGetEvent", "cuGraphMemAllocNodeGetParams", "cuGraphMemFreeNodeGetParams",
    "cuGraphBatchMemOpNodeGetParams",
):  # fmt: skip
    call(getattr(driver, name), node, note="of an empty node")
    call(getattr(driver, name), None, note="null")
for name in (
    "cudaGraphKernelNodeGetParams", "cudaGraphMemcpyNodeGetParams", "cudaGraphMemsetNodeGetParams",
    "cudaGraphHostNodeGetParams", "cudaGraphChildGraphNodeGetGraph", "cudaGraphEventRecordNodeGetEvent",
    "cudaGraphEventWaitNodeGetEvent", "cudaGraphMemAllocNodeGetParams", "cudaGraphMemFreeNodeGetParams",
):  # fmt: skip
    call(getattr(runtime, name), node, note="of an empty node")
fill = driver.CUDA_MEMSET_NODE_PARAMS()
fill.dst, fill.value, fill.elementSize, fill.width, fill.height = pointer, 1, 1, 8, 1
call(driver.cuGraphMemsetNodeSetParams, node, fill, note="of an empty node")
call(driver.cuGraphMemsetNodeSetParams, node, None, note="None")
call(driver.cuGraphMemsetNodeSetParams, node, 5, note="int")
call(driver.cuGraphHostNodeSetParams, node, driver.CUDA_HOST_NODE_PARAMS(), note="of an empty node")
call(driver.cuGraphEventRecordNodeSetEvent, node, driver.cuEventCreate(0)[1], note="of an empty node")
executable = driver.cuGraphInstantiate(graph, 0)[1]
current = driver.cuCtxGetCurrent()[1]
call(driver.cuGraphExecMemsetNodeSetParams, executable, node, fill, current, note="of an empty node")
call(driver.cuGraphExecMemsetNodeSetParams, None, node, fill, current, note="null executable")
call(driver.cuGraphNodeSetEnabled, executable, node, 0, note="of an empty node")
call(driver.cuGraphNodeGetEnabled, executable, node, note="of an empty node")
call(driver.cuGraphNodeGetType, None, note="null")
call(driver.cuGraphNodeGetDependencies, None, note="null")
call(driver.cuGraphNodeGetDependentNodes, None, 2, note="null")
call(driver.cuGraphGetNodes, None, note="null")
call(driver.cuGraphGetRootNodes, None, 1, note="null")
call(driver.cuGraphDestroyNode, None, note="null")
call(driver.cuGraphDestroy, None, note="null")
call(driver.cuGraphUpload, None, 0, note="null")
call(driver.cuGraphExecGetFlags, None, note="null")
call(driver.cuGraphCreate, 1, note="flags")
call(driver.cuGraphDestroyNode, node)
call(driver.cuGraphGetNodes, graph, values=True)
call(driver.cuGraphLaunch, executable, 0, note="its node destroyed")
call(driver.cuGraphDestroy, graph)
call(driver.cuGraphLaunch, executable, 0, note="its graph destroyed")
call(driver.cuCtxSynchronize)
