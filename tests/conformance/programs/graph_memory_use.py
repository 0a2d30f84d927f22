"""Memory of graphs: its counters, its release, nodes that may be destroyed, managed memory in nodes."""

from typing import Any

from _device import context, good
from _show import call, show
from cuda.bindings import driver

device = context()
MIB = 1 << 20
stream = good(driver.cuStreamCreate(1))
names = ("USED_MEM_CURRENT", "USED_MEM_HIGH", "RESERVED_MEM_CURRENT", "RESERVED_MEM_HIGH")


def use(note: str) -> None:
    for name in names:
        kind = getattr(driver.CUgraphMem_attribute, f"CU_GRAPH_MEM_ATTR_{name}")
        show(f"{name} [{note}]", int(good(driver.cuDeviceGetGraphMemAttribute(device, kind))) // MIB)


def described(size: int) -> Any:
    node = driver.CUDA_MEM_ALLOC_NODE_PARAMS()
    node.poolProps.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    node.poolProps.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    node.bytesize = size
    return node


use("at the start")
graph = good(driver.cuGraphCreate(0))
wanted = described(64 * MIB)
allocation = call(driver.cuGraphAddMemAllocNode, graph, None, 0, wanted)
release = call(driver.cuGraphAddMemFreeNode, graph, [allocation], 1, wanted.dptr)
use("a graph")
executable = call(driver.cuGraphInstantiate, graph, 0)
use("instantiated")
call(driver.cuGraphUpload, executable, stream)
call(driver.cuStreamSynchronize, stream)
use("uploaded")
call(driver.cuGraphLaunch, executable, stream)
call(driver.cuStreamSynchronize, stream)
use("launched")
call(driver.cuDeviceGraphMemTrim, device)
use("trimmed")
call(driver.cuGraphLaunch, executable, stream, note="again")
call(driver.cuStreamSynchronize, stream)
use("launched again")
call(driver.cuGraphDestroyNode, allocation, note="allocation")
call(driver.cuGraphDestroyNode, release, note="release")
call(driver.cuGraphClone, graph, note="with memory")
call(driver.cuGraphRemoveDependencies, graph, [allocation], [release], None, 1, note="with memory")
second = call(driver.cuGraphInstantiate, graph, 0, note="twice")
call(driver.cuGraphExecDestroy, executable)
call(driver.cuDeviceGraphMemTrim, device, note="after the executable graph")
use("executable graph destroyed")
call(driver.cuGraphDestroy, graph)

kept = good(driver.cuGraphCreate(0))
wanted = described(32 * MIB)
call(driver.cuGraphAddMemAllocNode, kept, None, 0, wanted, note="never freed")
executable = call(driver.cuGraphInstantiate, kept, 0, note="never freed")
call(driver.cuGraphLaunch, executable, stream, note="never freed")
call(driver.cuStreamSynchronize, stream)
use("never freed")
call(driver.cuGraphLaunch, executable, stream, note="never freed, again")
call(driver.cuDeviceGraphMemTrim, device, note="in use")
use("in use, trimmed")
call(driver.cuMemFreeAsync, wanted.dptr, stream, note="by the stream")
call(driver.cuStreamSynchronize, stream)
use("freed by the stream")
call(driver.cuGraphLaunch, executable, stream, note="after it was freed")
call(driver.cuStreamSynchronize, stream)
call(driver.cuMemFree, wanted.dptr, note="of a graph")
use("freed")
call(driver.cuDeviceGraphMemTrim, device, note="free")
use("free, trimmed")
call(
    driver.cuDeviceSetGraphMemAttribute,
    device,
    driver.CUgraphMem_attribute.CU_GRAPH_MEM_ATTR_USED_MEM_HIGH,
    driver.cuuint64_t(0),
)
use("high marks reset")

managed = described(MIB)
managed.poolProps.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_MANAGED
call(driver.cuGraphAddMemAllocNode, kept, None, 0, managed, note="managed")
host = described(MIB)
host.poolProps.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST
call(driver.cuGraphAddMemAllocNode, kept, None, 0, host, note="host")
nothing = described(0)
call(driver.cuGraphAddMemAllocNode, kept, None, 0, nothing, note="nothing")
call(driver.cuGraphAddMemFreeNode, kept, None, 0, 0, note="null")
call(driver.cuGraphAddMemFreeNode, kept, None, 0, 4096, note="nonsense")
