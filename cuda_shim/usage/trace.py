"""The timeline in the format of Chrome's tracing, which Perfetto and chrome://tracing show."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from cuda_shim.atomic_write import atomic_write
from cuda_shim.errors import ShimError
from cuda_shim.usage.timeline import Activity, Call

__all__ = ["Lane", "lane_of", "read_trace", "trace_events", "write_trace"]

# Streams are shown as threads of the process, with numbers that no thread has.
_STREAMS = 1 << 40
_DEVICE = 1 << 20


class Lane(NamedTuple):
    """The events that are drawn in one row: a thread's calls, or what one stream of a device does.

    Lanes sort as they are drawn: a process with its threads, then its devices with their streams.
    """

    process: int
    device: int  # -1 for the calls of a thread
    number: int  # the thread, or the stream

    def title(self, with_process: bool) -> str:
        """Return its title; programs of several processes need the process in it."""
        if self.device < 0:
            title = f"calls of thread {self.number}"
        else:
            stream = f"stream {self.number}" if self.number else "default stream"
            title = f"device {self.device}, {stream}"
        return f"{self.process}: {title}" if with_process else title

    @property
    def row(self) -> int:
        """The number that stands for a thread in Chrome's format."""
        return self.number if self.device < 0 else _STREAMS + self.device * _DEVICE + self.number


def lane_of(event: Call | Activity) -> Lane:
    """Return the lane that an event is drawn in."""
    if isinstance(event, Call):
        return Lane(event.process, -1, event.thread)
    return Lane(event.process, event.device, event.stream)


def write_trace(path: str, events: Iterable[Call | Activity | str]) -> None:
    """Write a file of events that appears whole or not at all. Raises OSError."""
    atomic_write(path, json.dumps({"displayTimeUnit": "ms", "traceEvents": trace_events(events)}) + "\n")


def trace_events(events: Iterable[Call | Activity | str]) -> list[dict[str, Any]]:
    """Put calls in rows of their threads, kernels and copies in rows of their streams, with arrows between them."""
    measured = [event for event in events if not isinstance(event, str)]
    start = min((event.begin for event in measured), default=0)
    calls = {(event.process, event.number): event for event in measured if isinstance(event, Call)}
    lanes = dict.fromkeys(map(lane_of, measured))
    written: list[dict[str, Any]] = []
    for event in measured:
        box = _box(event, start)
        written.append(box)
        if isinstance(event, Activity) and (call := calls.get((event.process, event.number))) is not None:
            written += _arrow(call, box, start)
    for lane in lanes:
        written.append(_title("thread_name", lane.process, lane.row, lane.title(False)))
    for process in sorted({lane.process for lane in lanes}):
        written.append(_title("process_name", process, None, f"process {process}"))
    return written


def _box(event: Call | Activity, start: int) -> dict[str, Any]:
    arguments: dict[str, Any] = {"line": event.site}
    if isinstance(event, Activity) and event.bytes:
        arguments["bytes"] = event.bytes
    return {
        "ph": "X",
        "ts": (event.begin - start) / 1e3,
        "dur": (event.end - event.begin) / 1e3,
        "pid": event.process,
        "tid": lane_of(event).row,
        "cat": "call" if isinstance(event, Call) else event.kind,
        "name": event.title,
        "args": arguments,
    }


def _title(kind: str, process: int, row: int | None, name: str) -> dict[str, Any]:
    thread = {} if row is None else {"tid": row}
    return {"ph": "M", "name": kind, "pid": process, **thread, "args": {"name": name}}


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


def read_trace(path: Path, document: Any) -> list[Call | Activity]:
    """Return the events of a JSON document that `write_trace` wrote; times begin with 0.

    Raises:
        ShimError: the document holds no trace of this package.
    """
    try:
        boxes = [event for event in document["traceEvents"] if event["ph"] == "X"]
        causes = {
            (event["pid"], event["tid"], event["ts"]): int(event["id"].split(".")[1])
            for event in document["traceEvents"] if event["ph"] in ("s", "f")
        }  # fmt: skip
        return [_event(box, causes.get((box["pid"], box["tid"], box["ts"]), 0)) for box in boxes]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        raise ShimError(f"{path} is not a trace of this package: `run --trace={path}` writes one") from None


def _event(box: dict[str, Any], number: int) -> Call | Activity:
    begin = round(box["ts"] * 1e3)
    end = begin + round(box["dur"] * 1e3)
    kind, name, site = box["cat"], box["name"], box["args"]["line"]
    if kind == "call":
        return Call([*map(str, (box["pid"], begin, end, number, box["tid"])), name, site])
    device, stream = divmod(box["tid"] - _STREAMS, _DEVICE)
    size = box["args"].get("bytes", 0)
    work = name if kind == "kernel" else name.removeprefix(kind).lstrip()
    return Activity([*map(str, (box["pid"], begin, end, number, device, stream, size)), kind, site, work])
