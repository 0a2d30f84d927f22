"""Graphs: nodes without work, dependencies and edges in the forms of 13.x."""

from _device import context
from _show import call, fields, show
from cuda.bindings import driver

context()
graph = call(driver.cuGraphCreate, 0)
call(driver.cuGraphCreate, 77, note="bad flags")
call(driver.cuGraphGetNodes, graph, note="empty", values=True)
call(driver.cuGraphGetEdges, graph, note="empty", values=True)
first = call(driver.cuGraphAddEmptyNode, graph, None, 0)
second = call(driver.cuGraphAddEmptyNode, graph, [first], 1)
third = call(driver.cuGraphAddEmptyNode, graph, (first,), 1, note="tuple")
call(driver.cuGraphAddDependencies, graph, [second], [third], None, 1)
call(driver.cuGraphAddDependencies, graph, [second], [third], None, 1, note="twice")
call(driver.cuGraphAddDependencies, graph, [third], [third], None, 1, note="itself")
call(driver.cuGraphAddDependencies, graph, [], [], None, 0, note="nothing")
call(driver.cuGraphGetNodes, graph)
nodes, count = call(driver.cuGraphGetNodes, graph, 3, note="with room")
show("nodes in order", [nodes.index(node) for node in (first, second, third)])
call(driver.cuGraphGetNodes, graph, 2, note="less room")
call(driver.cuGraphGetNodes, graph, 5, note="more room")
call(driver.cuGraphGetNodes, graph, numNodes=3, note="keyword")
call(driver.cuGraphGetRootNodes, graph)
call(driver.cuGraphGetRootNodes, graph, 1, note="with room")
call(driver.cuGraphGetEdges, graph)
froms, tos, data, count = call(driver.cuGraphGetEdges, graph, 3, note="with room")
fields("edge", data[0], "from_port", "to_port", "type", values=True)
call(driver.cuGraphNodeGetDependencies, third)
call(driver.cuGraphNodeGetDependencies, third, 2, note="with room")
call(driver.cuGraphNodeGetDependentNodes, first)
call(driver.cuGraphNodeGetDependentNodes, first, 2, note="with room")
call(driver.cuGraphNodeGetType, first)
call(driver.cuGraphRemoveDependencies, graph, [second], [third], None, 1)
call(driver.cuGraphRemoveDependencies, graph, [second], [third], None, 1, note="twice")
call(driver.cuGraphDestroyNode, third)
call(driver.cuGraphGetNodes, graph, note="after", values=True)
call(driver.cuGraphAddEmptyNode, graph, [5], 1, note="list of int")
call(driver.cuGraphAddEmptyNode, graph, first, 1, note="no list")
call(driver.cuGraphAddEmptyNode, graph, [first], 2, note="list too short")
call(driver.cuGraphAddEmptyNode, None, None, 0, note="null graph")
call(
    driver.cuGraphAddEmptyNode,
    graph,
    [driver.cuGraphAddEmptyNode(driver.cuGraphCreate(0)[1], None, 0)[1]],
    1,
    note="node of another graph",
)
call(driver.cuGraphDestroy, graph)
call(driver.cuGraphGetNodes, None, note="null")
call(driver.cuGraphDestroy, None, note="null")
round_trip = driver.cuGraphCreate(0)[1]
here = driver.cuGraphAddEmptyNode(round_trip, None, 0)[1]
there = driver.cuGraphAddEmptyNode(round_trip, [here], 1)[1]
call(driver.cuGraphAddDependencies, round_trip, [there], [here], None, 1, note="a circle")
call(driver.cuGraphInstantiate, round_trip, 0, note="a circle")
