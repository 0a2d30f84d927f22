"""Edges of graphs: added, listed in part and in full, removed, and their data."""

from collections.abc import Iterable
from typing import Any

from _device import context
from _show import call, fields, show
from cuda.bindings import driver, runtime

context()
graph = driver.cuGraphCreate(0)[1]
a, b, c, d = (driver.cuGraphAddEmptyNode(graph, None, 0)[1] for _ in range(4))
names = {int(a): "a", int(b): "b", int(c): "c", int(d): "d", 0: "-"}


def named(nodes: Iterable[Any]) -> str:
    return "".join(names[int(node)] for node in nodes)


def edges(note: str, room: int) -> None:
    from_, to, data, count = call(driver.cuGraphGetEdges, graph, room, note=note)
    listed = sorted(named(pair) for pair in zip(from_, to, strict=True))
    show(note, [*listed, len(data), count])


data = driver.CUgraphEdgeData()
call(driver.cuGraphAddDependencies, graph, [a, a, b], [b, c, d], None, 3)
call(driver.cuGraphAddDependencies, graph, [c], [d], [data], 1, note="with data")
call(driver.cuGraphAddDependencies, graph, (), (), (), 0, note="none")
call(driver.cuGraphAddDependencies, graph, None, None, None, 0, note="None")
call(driver.cuGraphGetEdges, graph, note="how many", values=True)
edges("all", 4)
edges("room for more", 6)
call(driver.cuGraphGetEdges, graph, 2, note="two")
got = driver.cuGraphGetEdges(graph, 4)[3]
fields("data", got[0], "from_port", "to_port", "type", values=True)
nodes, kinds, count = call(driver.cuGraphNodeGetDependencies, d, 2)
show("before d", [sorted(named(nodes)), count])
nodes, kinds, count = call(driver.cuGraphNodeGetDependentNodes, a, 3)
show("after a", [sorted(named(nodes)), count])
call(driver.cuGraphNodeGetDependencies, a, note="how many", values=True)
call(driver.cuGraphNodeGetDependentNodes, a, note="how many", values=True)
nodes, count = call(driver.cuGraphGetRootNodes, graph, 3)
show("roots", [named(nodes), count])
call(driver.cuGraphAddDependencies, graph, [a], [b], None, 1, note="again")
call(driver.cuGraphAddDependencies, graph, [a], [a], None, 1, note="on itself")
call(driver.cuGraphRemoveDependencies, graph, [c], [b], None, 1, note="not there")
call(driver.cuGraphRemoveDependencies, graph, [c, b], [d, d], None, 2)
edges("the rest", 2)
other = driver.cuGraphCreate(0)[1]
stranger = driver.cuGraphAddEmptyNode(other, None, 0)[1]
call(driver.cuGraphAddDependencies, graph, [a], [stranger], None, 1, note="of another graph")
call(driver.cuGraphAddEmptyNode, graph, [stranger], 1, note="of another graph")
call(driver.cuGraphAddEmptyNode, graph, [a, a], 2, note="twice")
call(driver.cuGraphAddDependencies, graph, [a], [b], [1], 1, note="data int")
call(driver.cuGraphAddDependencies, graph, [a], b, None, 1, note="no list")
call(driver.cuGraphDestroyNode, a)
call(driver.cuGraphGetEdges, graph, note="without a", values=True)
call(driver.cuGraphGetEdges, None, 1, note="null")
call(runtime.cudaGraphGetEdges, graph, note="runtime", values=True)
call(runtime.cudaGraphAddDependencies, graph, [b], [c], [runtime.cudaGraphEdgeData()], 1)
call(runtime.cudaGraphGetEdges, graph, 1)
call(runtime.cudaGraphNodeGetDependencies, c, 1)
call(runtime.cudaGraphNodeGetDependentNodes, b, 1)
call(runtime.cudaGraphRemoveDependencies, graph, [b], [c], None, 1)
