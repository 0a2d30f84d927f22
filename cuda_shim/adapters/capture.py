"""Stream capture: the graph that a stream has captured so far, and the mode of a thread."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import address, require
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding

__all__ = ["exchange_mode", "information"]


def information(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuStreamGetCaptureInfo, cudaStreamGetCaptureInfo in each form; HIP's is hipStreamGetCaptureInfo_v2.

    CUDA 11 reports the status and the capture's id, 12 the graph and the nodes that the next one will depend on as
    well, 13 also the data of those edges, which are ordinary ones with HIP.
    """
    outcome, outputs = binding.outcome, binding.row.outputs
    query = binding.native(binding.row.hip or "", *(ctypes.c_void_p,) * 6)
    statuses = binding.enums(outputs[0].base).from_hip
    identity = binding.class_of("cuuint64_t") if binding.api == "driver" else int
    if len(outputs) > 2:
        graph_class, node_class = binding.class_of(outputs[2].base), binding.class_of(outputs[3].base)
    edge_class = binding.class_of(outputs[4].base) if len(outputs) > 5 else None

    def get(stream: Any) -> tuple[Any, ...]:
        state, number, count = ctypes.c_int(), ctypes.c_ulonglong(), ctypes.c_size_t()
        graph, nodes = ctypes.c_void_p(), ctypes.c_void_p()
        status = query(address(stream), *map(ctypes.byref, (state, number, graph, nodes, count)))
        if status:
            return outcome.failed(status)
        capture = (outcome.success, statuses[state.value], identity(number.value))
        if len(outputs) == 2:
            return capture
        slots = (ctypes.c_size_t * count.value).from_address(nodes.value) if nodes.value else ()
        dependencies = [node_class(slot) for slot in slots]
        edges = () if edge_class is None else ([edge_class() for _ in dependencies],)
        return (*capture, graph_class(graph.value or 0), dependencies, *edges, len(dependencies))

    return get


def exchange_mode(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode: sets the mode, gives the one before."""
    outcome = binding.outcome
    exchange = binding.native(binding.row.hip or "", ctypes.c_void_p)
    modes = binding.enums(binding.row.inputs[0].base)

    def serve(mode: Any) -> tuple[Any, ...]:
        require(mode=mode)
        try:
            cell = ctypes.c_int(modes.to_hip[mode])
        except Refused as refusal:
            return outcome.refused(refusal)
        status = exchange(ctypes.byref(cell))
        return outcome.failed(status) if status else (outcome.success, modes.from_hip[cell.value])

    return serve
