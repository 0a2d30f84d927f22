"""Nodes that copy, set, allocate and free memory."""

import numpy
from _device import context
from _show import call, fields, show
from cuda.bindings import driver

context()
current = driver.cuCtxGetCurrent()[1]
stream = driver.cuStreamCreate(0)[1]
graph = driver.cuGraphCreate(0)[1]
pointer = driver.cuMemAlloc(64)[1]
target = numpy.zeros(8, dtype=numpy.uint8)
fill = driver.CUDA_MEMSET_NODE_PARAMS()
fill.dst, fill.value, fill.elementSize, fill.width, fill.height, fill.pitch = pointer, 7, 1, 8, 1, 8
first = call(driver.cuGraphAddMemsetNode, graph, None, 0, fill, current)
got = call(driver.cuGraphMemsetNodeGetParams, first)
fields("fill", got, "value", "elementSize", "width", "height", values=True)
fields("fill", got, "dst")
copy = driver.CUDA_MEMCPY3D()
copy.srcMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
copy.srcDevice, copy.srcPitch, copy.srcHeight = pointer, 8, 1
copy.dstMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_HOST
copy.dstHost, copy.dstPitch, copy.dstHeight = target, 8, 1
copy.WidthInBytes, copy.Height, copy.Depth = 8, 1, 1
second = call(driver.cuGraphAddMemcpyNode, graph, [first], 1, copy, current)
got = call(driver.cuGraphMemcpyNodeGetParams, second)
fields("copy", got, "WidthInBytes", "Height", "Depth", values=True)
fields("copy", got, "srcMemoryType", "dstMemoryType", "srcDevice", "dstHost")
executable = call(driver.cuGraphInstantiate, graph, 0)
call(driver.cuGraphLaunch, executable, stream)
call(driver.cuStreamSynchronize, stream)
show("copied", target.tolist())
fill.value = 9
call(driver.cuGraphExecMemsetNodeSetParams, executable, first, fill, current)
copy.WidthInBytes = 4
call(driver.cuGraphExecMemcpyNodeSetParams, executable, second, copy, current)
call(driver.cuGraphLaunch, executable, stream)
call(driver.cuStreamSynchronize, stream)
show("changed", target.tolist())
call(driver.cuGraphMemsetNodeSetParams, first, fill)
call(driver.cuGraphMemcpyNodeSetParams, second, copy)
fill.elementSize = 3
call(driver.cuGraphAddMemsetNode, graph, None, 0, fill, current, note="element of 3")
call(driver.cuGraphAddMemsetNode, graph, None, 0, driver.CUDA_MEMSET_NODE_PARAMS(), current, note="empty")
call(driver.cuGraphAddMemcpyNode, graph, None, 0, None, current, note="None")
with_memory = driver.cuGraphCreate(0)[1]
wanted = driver.CUDA_MEM_ALLOC_NODE_PARAMS()
wanted.poolProps.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
wanted.poolProps.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
wanted.bytesize = 4096
made = call(driver.cuGraphAddMemAllocNode, with_memory, None, 0, wanted)
fields("allocated", wanted, "dptr", "bytesize")
got = call(driver.cuGraphMemAllocNodeGetParams, made)
fields("got", got, "bytesize", values=True)
freed = call(driver.cuGraphAddMemFreeNode, with_memory, [made], 1, wanted.dptr)
show("freed", call(driver.cuGraphMemFreeNodeGetParams, freed) is not None)
executable = call(driver.cuGraphInstantiate, with_memory, 0, note="with memory")
call(driver.cuGraphLaunch, executable, stream)
call(driver.cuStreamSynchronize, stream)
call(driver.cuDeviceGetGraphMemAttribute, 0, driver.CUgraphMem_attribute.CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT)
call(driver.cuDeviceGraphMemTrim, 0)
