"""Output of every benchmark here: one line per row, with the times of this package and of its peers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

__all__ = ["Line", "read", "show", "slower", "write"]

OURS = "cuda_shim"


@dataclass(frozen=True)
class Line:
    """A row: less is better in every unit."""

    benchmark: str
    row: str
    unit: str
    ours: float
    others: dict[str, float] = field(default_factory=dict)

    def ratio(self, other: str) -> float:
        """Return the ratio of the other's figure to this package's: above 1 this package is ahead."""
        return self.others[other] / self.ours if self.ours else float("nan")


def show(lines: Iterable[Line]) -> list[Line]:
    """Print lines as they come, below the names of the peers; return them."""
    shown: list[Line] = []
    columns: list[str] = []
    for line in lines:
        if not shown or line.unit != shown[-1].unit or any(other not in columns for other in line.others):
            known = columns if shown and line.benchmark == shown[-1].benchmark else []
            columns = list(dict.fromkeys([*known, *line.others]))
            named = "".join(f"{other:>20}" for other in columns)
            print(f"{line.benchmark + ', ' + line.unit:52}{OURS:>10}{named}", flush=True)
        print(text(line, columns), flush=True)
        shown.append(line)
    return shown


def text(line: Line, others: list[str]) -> str:
    """A row as it is printed: the value, and for each of the others its own and the ratio."""
    cells = (
        f"{number(line.others[other]):>12} {line.ratio(other):6.2f}x" if other in line.others else " " * 20
        for other in others
    )
    return f"{line.row:52}{number(line.ours):>10}" + "".join(cells).rstrip()


def number(value: float) -> str:
    """Three digits that matter, and no exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def write(lines: list[Line], file: Path) -> None:
    """Keep lines for another run."""
    file.write_text(json.dumps([asdict(line) for line in lines], indent=1) + "\n", encoding="utf-8")


def read(file: Path) -> list[Line]:
    """Return the lines that `write` kept. Raises ValueError or TypeError for a file that is something else."""
    return [Line(**line) for line in json.loads(file.read_text(encoding="utf-8"))]


def slower(now: list[Line], before: list[Line], factor: float) -> Iterator[str]:
    """Report the rows that became slower by more than `factor`.

    If the same peer ran beside this package both times, the ratios to it are compared, which a slower machine does not
    change; else the times.
    """
    known = {(line.benchmark, line.row): line for line in before}
    for line in now:
        then = known.get((line.benchmark, line.row))
        if then is None or not then.ours or not line.ours:
            continue
        changes = {
            f"beside {other}": then.ratio(other) / line.ratio(other)
            for other in line.others
            if then.others.get(other) and line.others[other]
        } or {"by itself": line.ours / then.ours}
        beside, least = min(changes.items(), key=lambda change: change[1])
        if least > factor:
            said = f"{number(then.ours)} to {number(line.ours)} {line.unit}"
            yield f"{line.benchmark}: {line.row}: {least:.2f} times as slow {beside} ({said})"
