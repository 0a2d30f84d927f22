"""Rows with an adapter in Python that C nevertheless serves.

Most adapters exist because HIP behaves otherwise, and C calls them through Python. Some exist because Python passes
arguments otherwise than C; others matter for some arguments only. This file lists the last two kinds, each with the C
condition under which HIP's function is right; `written` ones have C code of their own in `adapters/`.
"""

from __future__ import annotations

from cuda_shim.c_level.types import c_name
from cuda_shim.frozen_record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.mapping.rows import FunctionRow

__all__ = ["ADAPTED", "WRITTEN", "Adapted"]


class Adapted(Record):
    """`when` is a C condition, with `{0}` for the first parameter and so on.

    `unless` is a status of HIP's with which the call goes to Python after all.
    """

    when: str
    unless: int = 0

    def condition(self, row: FunctionRow) -> str:
        """Return the condition with the names of the row's parameters."""
        return self.when.format(*(c_name(parameter) for parameter in row.parameters))


_NOT_FOUND = 500  # hipErrorNotFound

ADAPTED = {
    "copy.fill_words": Adapted("true"),
    "linked_library.find": Adapted("true", unless=_NOT_FOUND),
    "memory.allocate": Adapted("{1}"),
    "memory.free_async": Adapted("{0}"),
    "memory_operations.write": Adapted("!{3}"),
    "memory_pool.get_attribute": Adapted("{2}"),
    "memory_pool.get_graph_attribute": Adapted("{2}"),
    "memory_pool.import_from_handle": Adapted("!({3} >> 32)"),
    "memory_pool.set_attribute": Adapted("{2}"),
    "memory_pool.set_graph_attribute": Adapted("{2}"),
}
"""By the adapter's name in the tables."""

WRITTEN = {
    "context.current": "current_context",
    "context.current_device": "current_context_device",
    "callback.in_stream": "host_function",
    "callback.with_status": "stream_callback",
    "capture.information": "capture_information",
    "graph.exec_update": "update_graph",
    "launch.kernel_with_attributes": "launch_with_attributes",
    "pointer.get_attribute": "pointer_attribute",
    "pointer.get_attributes": "pointer_attributes",
    "private_tables.get": "private_table",
}
"""The C functions that stand for adapters; they give HIP's status, or `ask_python`."""
