"""Graphs inside graphs, clones, and pictures of graphs."""

import tempfile
from pathlib import Path

from _device import context
from _show import call, show
from cuda.bindings import driver

context()
inner = driver.cuGraphCreate(0)[1]
leaf = driver.cuGraphAddEmptyNode(inner, None, 0)[1]
outer = driver.cuGraphCreate(0)[1]
child = call(driver.cuGraphAddChildGraphNode, outer, None, 0, inner)
call(driver.cuGraphNodeGetType, child)
embedded = call(driver.cuGraphChildGraphNodeGetGraph, child)
show("a copy", embedded != inner)
show("nodes of the copy", driver.cuGraphGetNodes(embedded)[1])
call(driver.cuGraphChildGraphNodeGetGraph, leaf, note="of an empty node")
clone = call(driver.cuGraphClone, inner)
twin = call(driver.cuGraphNodeFindInClone, leaf, clone)
show("another node", twin != leaf)
call(driver.cuGraphNodeFindInClone, leaf, outer, note="no clone")
call(driver.cuGraphClone, None, note="null")
executable = call(driver.cuGraphInstantiate, outer, 0)
call(driver.cuGraphExecGetFlags, executable, values=True)
call(driver.cuGraphExecChildGraphNodeSetParams, executable, child, inner)
call(driver.cuGraphUpload, executable, 0)
call(driver.cuGraphLaunch, executable, 0)
call(driver.cuCtxSynchronize)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "graph.dot"
    call(driver.cuGraphDebugDotPrint, outer, str(path).encode(), 0)
    show("drawn", path.read_text(encoding="utf-8").startswith("digraph"))
    call(driver.cuGraphDebugDotPrint, outer, str(path), 0, note="str")
    call(driver.cuGraphDebugDotPrint, outer, b"/no/such/folder/graph.dot", 0, note="no such folder")
call(driver.cuGraphInstantiate, None, 0, note="null")
call(driver.cuGraphInstantiate, outer, 0xFFFF, note="bad flags")
call(driver.cuGraphLaunch, None, 0, note="null")
call(driver.cuGraphExecDestroy, executable)
call(driver.cuGraphExecDestroy, None, note="null")
