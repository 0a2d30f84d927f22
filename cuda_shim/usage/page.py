"""One HTML file that shows a recorded run: its timeline, its times and its calls with their support.

A browser shows it without a network: style, script and data are inside of the file. The script is in
``page_parts/page.js``; it reads one JSON document:

    summary     a sentence
    timeline    null, or texts (lanes, names, sites), numbers (end, left_out), and a list for each field of the events:
                lane, begin, length (nanoseconds), name, site (places in the lists of texts), bytes, cause (the place of
                another event, -1 for none)
    profile     null, or the JSON form of a profile
    report      null, or the JSON form of a report
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from heapq import nlargest
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from cuda_shim import __version__
from cuda_shim.atomic_write import atomic_write
from cuda_shim.usage.table import in_words
from cuda_shim.usage.timeline import Activity, Call
from cuda_shim.usage.trace import lane_of

if TYPE_CHECKING:
    from cuda_shim.usage.profile import Profile
    from cuda_shim.usage.usage_report import Report

__all__ = ["page_of", "timeline_of", "write_page"]

#: A browser draws this many events without a pause; they are about 10 MB of the page.
MAX_EVENTS = 250_000


def write_page(
    path: str, events: Iterable[Call | Activity | str], profile: Profile | None, report: Report | None
) -> None:
    """Write a page, the file appearing whole or not at all. Raises OSError."""
    atomic_write(path, page_of(events, profile, report))


def page_of(events: Iterable[Call | Activity | str], profile: Profile | None, report: Report | None) -> str:
    """Return the HTML of a page.

    Args:
        events: the calls and the work of devices of a timeline.
        profile: the times, None where there are none.
        report: the counted calls, None where they were not counted.
    """
    parts = {
        "timeline": timeline_of(events),
        "profile": None if profile is None else profile.as_dict(),
        "report": None if report is None else {**report.as_dict(), "profile": None},
    }
    document = {"summary": _summary(**parts), **parts}
    # A script element ends at "</script", whatever surrounds it: no "<" of a name may reach the HTML.
    data = json.dumps(document, separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")
    text = _part("page.html")
    for name, part in (("style", _part("page.css")), ("script", _part("page.js")), ("data", data)):
        before, after = text.split(f"@@{name}@@")
        text = before + part + after
    return text


def timeline_of(events: Iterable[Call | Activity | str]) -> dict[str, Any] | None:
    """Return the timeline of a page: the longest events where there are too many; None where there is none."""
    measured = [event for event in events if not isinstance(event, str)]
    if not measured:
        return None
    start = min(event.begin for event in measured)
    shown = measured
    if len(measured) > MAX_EVENTS:
        longest = set(nlargest(MAX_EVENTS, range(len(measured)), lambda at: measured[at].end - measured[at].begin))
        shown = [event for at, event in enumerate(measured) if at in longest]
    processes = len({event.process for event in shown})
    lanes = sorted({lane_of(event) for event in shown})
    names, sites = _Texts(), _Texts()
    lane_numbers = {lane: number for number, lane in enumerate(lanes)}
    calls = {(event.process, event.number): at for at, event in enumerate(shown) if isinstance(event, Call)}
    return {
        "lanes": [lane.title(processes > 1) for lane in lanes],
        "end": max(event.end for event in measured) - start,
        "left_out": len(measured) - len(shown),
        "lane": [lane_numbers[lane_of(event)] for event in shown],
        "begin": [event.begin - start for event in shown],
        "length": [event.end - event.begin for event in shown],
        "name": [names.place(event.title) for event in shown],
        "site": [sites.place(event.site) for event in shown],
        "bytes": [0 if isinstance(event, Call) else event.bytes for event in shown],
        "cause": [-1 if isinstance(event, Call) else calls.get((event.process, event.number), -1) for event in shown],
        "names": list(names.places),
        "sites": list(sites.places),
    }


class _Texts:
    """Texts by their place in a list, each of which is there once."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def place(self, text: str) -> int:
        return self.places.setdefault(text, len(self.places))


def _summary(timeline: dict[str, Any] | None, profile: dict[str, Any] | None, report: dict[str, Any] | None) -> str:
    parts = [f"cuda_shim {__version__}"]
    if profile is not None:
        parts.append(in_words(profile["seconds"]))
    elif timeline is not None:
        parts.append(in_words(timeline["end"] / 1e9))
    if report is not None:
        calls = sum(call["count"] for call in report["calls"].values())
        parts.append(f"{calls:,} CUDA calls")
        if report["processes"] > 1:
            parts.append(f"{report['processes']} processes")
    return ", ".join(parts)


def _part(name: str) -> str:
    return (files("cuda_shim.usage") / "page_parts" / name).read_text(encoding="utf-8")
