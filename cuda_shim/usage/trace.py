"""The timeline in the format of Chrome's tracing, which Perfetto and chrome://tracing show."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from cuda_shim.atomic_write import atomic_write
from cuda_shim.usage.timeline import Activity, Call

__all__ = ["trace_events", "write_trace"]

# Streams are shown as threads of the process, with numbers that no thread has.
_STREAMS = 1 << 40
_DEVICE = 1 << 20


def write_trace(path: str, events: Iterable[Call | Activity | str]) -> None:
    """Write a file of events that appears whole or not at all. Raises OSError."""
    atomic_write(path, json.dumps({"displayTimeUnit": "ms", "traceEvents": trace_events(events)}) + "\n")


def trace_events(events: Iterable[Call | Activity | str]) -> list[dict[str, Any]]:
    """Put calls in rows of their threads, kernels and copies in rows of their streams, with arrows between them."""
    timed = [event for event in events if not isinstance(event, str)]
    start = min((event.begin for event in timed), default=0)
    shown_events: list[dict[str, Any]] = []
    rows: dict[tuple[int, int], str] = {}
    calls = {(event.process, event.number): event for event in timed if isinstance(event, Call)}
    for event in timed:
        shown = _shown(event, start)
        shown_events.append(shown)
        if isinstance(event, Call):
            rows.setdefault((event.process, event.thread), f"calls of thread {event.thread}")
            continue
        rows.setdefault((event.process, shown["tid"]), _stream(event))
        if (call := calls.get((event.process, event.number))) is not None:
            shown_events += _arrow(call, shown, start)
    for (process, row), name in rows.items():
        shown_events.append({"ph": "M", "name": "thread_name", "pid": process, "tid": row, "args": {"name": name}})
    for process in sorted({process for process, _ in rows}):
        shown_events.append({"ph": "M", "name": "process_name", "pid": process, "args": {"name": f"process {process}"}})
    return shown_events


def _shown(event: Call | Activity, start: int) -> dict[str, Any]:
    times = {"ph": "X", "ts": (event.begin - start) / 1e3, "dur": (event.end - event.begin) / 1e3, "pid": event.process}
    if isinstance(event, Call):
        return {**times, "tid": event.thread, "cat": "call", "name": event.name, "args": {"line": event.site}}
    arguments: dict[str, Any] = {"line": event.site}
    if event.bytes:
        arguments["bytes"] = event.bytes
    name = event.name if event.kind == "kernel" else f"{event.kind} {event.name}".rstrip()
    row = _STREAMS + event.device * _DEVICE + event.stream
    return {**times, "tid": row, "cat": event.kind, "name": name, "args": arguments}


def _stream(event: Activity) -> str:
    stream = f"stream {event.stream}" if event.stream else "default stream"
    return f"device {event.device}, {stream}"


def _arrow(call: Call, to: dict[str, Any], start: int) -> list[dict[str, Any]]:
    same = {
        "cat": "asks for",
        "name": "asks for",
        "id": f"{call.process}.{call.number}.{to['ts']}",
        "pid": call.process,
    }
    return [
        {**same, "ph": "s", "tid": call.thread, "ts": (call.begin - start) / 1e3},
        {**same, "ph": "f", "bp": "e", "tid": to["tid"], "ts": to["ts"]},
    ]
