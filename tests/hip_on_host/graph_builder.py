"""Building graphs through C, and the structs that their nodes take.

hip-python's two generations differ in the way that they pass and return nodes, and the library is under test, not they.
"""

from __future__ import annotations

import ctypes

import numpy as np

from tests.hip_on_host.hip_program import check

P = ctypes.c_void_p
SIZE = ctypes.c_size_t
HOST_FUNCTION = ctypes.CFUNCTYPE(None, P)
SUCCESS, INVALID, NOT_SUPPORTED, GRAPH_UPDATE_FAILURE = 0, 1, 801, 910
ON_DEVICE = 3


class MemsetParams(ctypes.Structure):
    _fields_ = [
        ("dst", P), ("element_size", ctypes.c_uint), ("height", SIZE), ("pitch", SIZE), ("value", ctypes.c_uint),
        ("width", SIZE),
    ]  # fmt: skip


class HostParams(ctypes.Structure):
    _fields_ = [("fn", HOST_FUNCTION), ("data", P)]


class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class PoolProps(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", Location), ("security", P), ("most", SIZE),
        ("reserved", ctypes.c_ubyte * 56),
    ]  # fmt: skip


class AllocParams(ctypes.Structure):
    _fields_ = [("props", PoolProps), ("access", P), ("access_count", SIZE), ("bytes", SIZE), ("dptr", P)]


def fill(dst, value, width, element_size=1):
    return MemsetParams(dst, element_size, 1, width * element_size, value, width)


class Builder:
    """Short methods for building graphs; handles are c_void_p."""

    def __init__(self, library):
        self.c = library
        self.graph = P()
        self.kept = []
        assert library.hipGraphCreate(ctypes.byref(self.graph), 0) == SUCCESS

    def try_add(self, what, *arguments, after=()):
        node = P()
        list_type = P * max(len(after), 1)
        before = list_type(*[one.value for one in after]) if after else None
        function = getattr(self.c, f"hipGraphAdd{what}Node" + ("1D" if what == "Memcpy" else ""))
        return function(ctypes.byref(node), self.graph, before, SIZE(len(after)), *arguments), node

    def add(self, what, *arguments, after=()):
        status, node = self.try_add(what, *arguments, after=after)
        assert status == SUCCESS
        return node

    def set(self, dst, value, width, after=()):
        return self.add("Memset", ctypes.byref(fill(dst, value, width)), after=after)

    def copy(self, dst, src, size, kind=ON_DEVICE, after=()):
        return self.add("Memcpy", P(dst), P(src), SIZE(size), kind, after=after)

    def host(self, function, after=()):
        self.kept.append(HOST_FUNCTION(function))
        params = HostParams(self.kept[-1], None)
        return self.add("Host", ctypes.byref(params), after=after)

    def instantiate(self, flags=0):
        made = P()
        assert self.c.hipGraphInstantiateWithFlags(ctypes.byref(made), self.graph, ctypes.c_ulonglong(flags)) == SUCCESS
        return made

    def launch(self, exec_):
        status = self.c.hipGraphLaunch(exec_, None)
        return status or self.c.hipStreamSynchronize(None)

    def listed(self, function, *first):
        count = SIZE()
        assert function(*first, None, ctypes.byref(count)) == SUCCESS
        nodes = (P * (count.value + 1))()
        room = SIZE(count.value + 1)
        assert function(*first, nodes, ctypes.byref(room)) == SUCCESS
        assert room.value == count.value
        return list(nodes[: count.value])

    def destroy(self):
        assert self.c.hipGraphDestroy(self.graph) == SUCCESS


def bytes_of(hip, pointer, count=64):
    out = np.zeros(count, np.uint8)
    check(hip.hipMemcpy(out, pointer, count, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    return out
