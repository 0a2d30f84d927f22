"""Structs that count their lists: no call reads more entries than there are, with counts from any place."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import pytest

from cuda_shim.binding.catalogue import Catalogue
from cuda_shim.binding.structs.counted import counted_lists
from cuda_shim.binding.structs.layout import StructLayout, layout_of
from cuda_shim.mapping import store
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.rows import StructRow
from tests.adapters.answers import failed, ok, raising
from tests.c_level.test_by_name import run
from tests.program_files import read_program

LAYOUT = "13.5"
#: Members that lead to one object, to a chain of them, to memory that the driver writes, or to numbers without a list
#: of ours.
NO_LISTS = {"nextResource", "cigParams", "streamCigParams", "dstActBytes", "phGraph_out", "sizes", "attrsIdxs"}
#: As a fuzzer found it: a gigabyte of handles, where as much can be read.
ABSURD = 256777518
NO_RESERVE = 0x4000  # MAP_NORESERVE, which mmap names since Python 3.12


def lists_of(layout: StructLayout) -> set[str]:
    found: set[str] = set()
    for place in layout.places:
        if place.nested is not None:
            found |= lists_of(place.nested)
        base = place.field.base
        if base.endswith("*") and not base.endswith("**") and base not in ("void*", "char*"):
            found.add(place.field.name)
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_list_of_every_struct_has_its_count(layout: str) -> None:
    catalogue = Catalogue(layout, {table: table for table in store.TABLES})
    seen = set()
    for table in store.TABLES:
        for name in store.load(table).names(layout):
            row = store.load(table).row(name, layout)
            if isinstance(row, StructRow):
                found = layout_of(row, catalogue.scope(table))
                lists = lists_of(found) - NO_LISTS
                assert lists - {one.name for one in counted_lists(found)} == set(), name
                seen |= lists
    assert seen >= {"paramArray", "accessDescs", "extSemArray", "paramsArray"}


@pytest.fixture
def graph(cuda: Any) -> Any:
    made = ok(cuda.driver.cuGraphCreate(0))
    yield made
    ok(cuda.driver.cuGraphDestroy(made))


def operations(driver: Any, node: Any, count: int) -> Any:
    """A list of one operation, and a count."""
    one = driver.CUstreamBatchMemOpParams()
    one.operation = driver.CUstreamBatchMemOpType.CU_STREAM_MEM_OP_BARRIER
    node.paramArray, node.count = [one], count
    return node


def test_a_count_above_the_list_is_refused(cuda: Any, graph: Any) -> None:
    """In a struct of its own, and in the struct of nodes of every type."""
    driver = cuda.driver
    for count in (2, 256, (1 << 32) - 1):
        given = operations(driver, driver.CUDA_BATCH_MEM_OP_NODE_PARAMS(), count)
        failed(driver.cuGraphAddBatchMemOpNode(graph, [], 0, given), "CUDA_ERROR_INVALID_VALUE", 1)
        node = driver.CUgraphNodeParams()
        node.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP
        operations(driver, node.memOp, count)
        failed(driver.cuGraphAddNode(graph, [], None, 0, node), "CUDA_ERROR_INVALID_VALUE", 1)
    right = operations(driver, driver.CUDA_BATCH_MEM_OP_NODE_PARAMS(), 1)
    made = ok(driver.cuGraphAddBatchMemOpNode(graph, [], 0, right))
    wrong = operations(driver, driver.CUDA_BATCH_MEM_OP_NODE_PARAMS(), 2)
    failed(driver.cuGraphBatchMemOpNodeSetParams(made, wrong), "CUDA_ERROR_INVALID_VALUE")
    assert ok(driver.cuGraphBatchMemOpNodeGetParams(made)).count == 1


def test_access_to_what_a_graph_allocates_is_counted(cuda: Any, graph: Any) -> None:
    driver = cuda.driver
    given, access = driver.CUDA_MEM_ALLOC_NODE_PARAMS(), driver.CUmemAccessDesc()
    given.poolProps.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    device = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    given.poolProps.location.type = access.location.type = device
    access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    given.bytesize, given.accessDescs = 64, [access]
    for count in (2, 1 << 40):
        given.accessDescCount = count
        failed(driver.cuGraphAddMemAllocNode(graph, [], 0, given), "CUDA_ERROR_INVALID_VALUE", 1)
    given.accessDescCount = 1
    ok(driver.cuGraphAddMemAllocNode(graph, [], 0, given))


def test_a_count_that_nobody_has_is_read_nowhere(cuda: Any) -> None:
    """Even where all of it could be read, which would take minutes and tens of gigabytes."""
    driver, place = cuda.driver, mmap.mmap(-1, 8 * ABSURD, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
    params = driver.CUgraphNodeParams()
    at = ctypes.addressof(ctypes.c_char.from_buffer(place))
    layout = type(params).__struct__.layout
    address = params.getPtr() + layout.place("conditional.phGraph_out").offset
    ctypes.c_uint64.from_address(address).value = at
    params.conditional.size = 2
    assert [int(one) for one in params.conditional.phGraph_out] == [0, 0]
    params.conditional.size = ABSURD
    with raising(ValueError, f"{ABSURD} numbers at address {at:#x} cannot be read"):
        _ = params.conditional.phGraph_out


def test_in_c_a_list_that_is_not_there_is_refused() -> None:
    """The call of a function that C leaves to Python; a readable list that is too short is the program's fault."""
    code = read_program(__file__, "counted_lists_missing_list.py")
    assert set(run(code, "--cuda", "12.9").split()) == {"1"}
