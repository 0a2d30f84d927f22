"""A picture of speedups by number of threads, as SVG: both axes are logarithmic, and the diagonal is the ideal."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass

WIDTH, HEIGHT = 760, 420
LEFT, TOP, RIGHT, BOTTOM = 56, 44, 500, 376
#: Colours that people with colour blindness can tell apart (Okabe and Ito), on light and dark pages.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
LEAST_GAP = 17


@dataclass(frozen=True)
class Curve:
    """The speedups of one kernel by number of threads."""

    title: str
    speedups: dict[int, float]


def draw(title: str, curves: list[Curve]) -> str:
    """Return the picture of some curves, which have the same numbers of threads."""
    threads = list(curves[0].speedups)
    most = max(2.0, float(threads[-1]), *(max(curve.speedups.values()) for curve in curves))
    least = min(1.0, *(min(curve.speedups.values()) for curve in curves))

    def x(count: float) -> float:
        return LEFT + (RIGHT - LEFT) * math.log(count) / math.log(max(2, threads[-1]))

    def y(speedup: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * math.log(speedup / least) / math.log(most / least)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="24" font-size="15">{html.escape(title)}</text>',
    ]
    for count in threads:
        parts.append(_line(x(count), TOP, x(count), BOTTOM, "#dddddd"))
        parts.append(f'<text x="{x(count):.0f}" y="{BOTTOM + 18}" text-anchor="middle">{count}</text>')
        parts.append(_line(LEFT, y(count), RIGHT, y(count), "#dddddd"))
        parts.append(f'<text x="{LEFT - 8}" y="{y(count) + 4:.0f}" text-anchor="end">{count}</text>')
    parts.append(f'<text x="{(LEFT + RIGHT) // 2}" y="{BOTTOM + 36}" text-anchor="middle">threads</text>')
    parts.append(_line(x(1), y(1), x(threads[-1]), y(threads[-1]), "#999999", 'stroke-dasharray="5 4"'))
    for curve, place, colour in zip(curves, _label_places([y(_last(one)) for one in curves]), COLOURS, strict=False):
        points = " ".join(f"{x(count):.1f},{y(speedup):.1f}" for count, speedup in curve.speedups.items())
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        label = html.escape(f"{curve.title}: {_last(curve):.1f}")
        parts.append(f'<text x="{RIGHT + 10}" y="{place + 4:.0f}" fill="{colour}">{label}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _last(curve: Curve) -> float:
    return curve.speedups[max(curve.speedups)]


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, style: str = "") -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{colour}" {style}/>'


def _label_places(heights: list[float]) -> list[float]:
    """Labels beside the ends of their curves, moved down where two would overlap."""
    places = dict.fromkeys(range(len(heights)), 0.0)
    lowest = -math.inf
    for at in sorted(places, key=heights.__getitem__):
        places[at] = lowest = max(heights[at], lowest + LEAST_GAP)
    return list(places.values())
