"""A trace file as a picture, as a small version of Perfetto's."""

from __future__ import annotations

from html import escape
from typing import Any

LEFT, WIDTH, MARGIN, ROW, TOP = 170, 960, 40, 34, 40
COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#9d755d", "#e45756", "#72b7b2", "#bab0ac")
TICKS = 5


def picture(document: dict[str, Any], title: str) -> str:
    """The rows of a trace from the first thing that a device does on, as SVG."""
    events = [event for event in document["traceEvents"] if event["ph"] == "X"]
    begin = min(event["ts"] for event in events if event["cat"] != "call")
    events = [event for event in events if event["ts"] + event["dur"] >= begin]
    span = max(event["ts"] + event["dur"] for event in events) - begin
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in document["traceEvents"] if e["name"] == "thread_name"}
    rows = sorted({(event["pid"], event["tid"]) for event in events})
    colours = dict(zip(dict.fromkeys(event["name"] for event in events), 9 * COLOURS, strict=False))
    bottom = TOP + len(rows) * ROW

    def across(time: float) -> float:
        return LEFT + max(0.0, time - begin) / span * (WIDTH - LEFT - MARGIN)

    drawn = [text(10, 22, title, "bold")]
    for at, row in enumerate(rows):
        drawn.append(text(10, TOP + at * ROW + 20, names[row]))
        drawn.append(f'<line x1="{LEFT}" x2="{WIDTH - MARGIN}" y1="{TOP + at * ROW + 30}" y2="{TOP + at * ROW + 30}"/>')
    for event in events:
        left, right = across(event["ts"]), across(event["ts"] + event["dur"])
        drawn.append(
            f'<rect x="{left:.1f}" width="{max(1.0, right - left):.1f}" y="{TOP + rows.index((event["pid"], event["tid"])) * ROW + 5}" '
            f'height="22" fill="{colours[event["name"]]}"/>'
        )
    for tick in range(TICKS + 1):
        time = span * tick / TICKS
        drawn.append(text(across(begin + time), bottom + 16, f"{time / 1e3:.1f} ms", anchor="middle"))
    for at, (name, colour) in enumerate(colours.items()):
        x, y = LEFT + at % 3 * 250, bottom + 30 + at // 3 * 20
        drawn.append(f'<rect x="{x}" y="{y}" width="14" height="14" fill="{colour}"/>')
        drawn.append(text(x + 20, y + 12, name))
    height = bottom + 40 + (len(colours) + 2) // 3 * 20
    style = "text{font:13px sans-serif}.bold{font-weight:bold}line{stroke:#ccc}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}">\n'
        f'<style>{style}</style>\n<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(drawn) + "\n</svg>\n"
    )


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """A line of text."""
    return f'<text x="{x:.1f}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'
