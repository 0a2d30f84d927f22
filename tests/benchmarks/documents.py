"""The tables of a run as docs/benchmarks.md and README.md have them, by the marks above them (`<!-- MARK -->`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.benchmarks.lines import Line, number

__all__ = ["page_tables", "readme_tables"]


@dataclass(frozen=True)
class Shape:
    """A table: its mark is "benchmark NAME", the name being the benchmark's."""

    heads: tuple[str, str]  # the titles of the rows' column and of this package's
    columns: dict[str, str]  # by the beginning of a peer's name, the title of the column of ratios to it, if any
    inverse: bool = False  # the ratio is this package's time divided by the peer's


SHAPES = {
    "calls": Shape(("call, nanoseconds", "cuda_shim"), {"through Python": "", "hip-python-interop": "ratio to interop"}),
    "kernels": Shape(("kernel, milliseconds", "cuda_shim"), {"PoCL": "ratio", "C++": "ratio", "numpy": "ratio"}),
    "copies": Shape(("copy of 256 MiB, milliseconds", "cuda_shim"), {"memcpy": "ratio"}),
    "ptx": Shape(("kernel as PTX, milliseconds", "from PTX"), {"from CUDA C++": "ratio"}),
    "saxpy": Shape(("SAXPY's application, milliseconds", "cuda_shim"), {"hip-python": "ratio"}),
    "numba": Shape(("kernel, milliseconds", "Numba"), {"CUDA C++": "ratio", "Numba's own": "", "CUDASIM": ""}, inverse=True),
}  # fmt: skip

#: Rows of the README: benchmark, row, the beginning of the peer's name, and the peer's title.
SUMMARY = [
    *(("calls", row, "hip-python-interop", "hip-python-interop") for row in (
        "cudaGetDevice", "cudaEventRecord", "cuLaunchKernel, three, values and types",
    )),
    *(("kernels", row, "C++", "plain C++") for row in (
        "saxpy, 16M", "tiled matmul, 1024",
    )),
]  # fmt: skip
UNITS = {"nanoseconds a call": "ns", "milliseconds": "ms"}
#: The compilers as the benchmarks name them, and as the tables do.
COMPILERS = {"clang": "clang 19", "zig": "`ziglang`", "g++": "g++"}
STAGES = {
    "nothing cached": "a process's first", "another kernel": "a process's first", "the same kernel": "a process's first",
    "16 at once": "16 at once",
}  # fmt: skip


def page_tables(lines: Iterable[Line]) -> dict[str, str]:
    """Return the tables of docs/benchmarks.md for the benchmarks that ran, by their marks."""
    by_benchmark: dict[str, list[Line]] = {}
    for line in lines:
        by_benchmark.setdefault(line.benchmark, []).append(line)
    tables = {name: _table(SHAPES[name], rows) for name, rows in by_benchmark.items() if name in SHAPES}
    if "kernels" in by_benchmark:
        tables["compilers"] = _by_compiler(by_benchmark["kernels"])
    if "compiles" in by_benchmark:
        tables["compiles"] = _compiles(by_benchmark["compiles"])
    return {f"benchmark {name}": table for name, table in tables.items()}


def readme_tables(lines: Iterable[Line]) -> dict[str, str]:
    """Return the README's table, by its mark; none unless the run has all of its rows."""
    by_row = {(line.benchmark, line.row): line for line in lines}
    rows = []
    for benchmark, row, begins, title in SUMMARY:
        line = by_row.get((benchmark, row))
        peer = _peer(begins, [line]) if line else None
        if line is None or peer is None:
            return {}
        unit = UNITS[line.unit]
        beside = f"{title} {number(line.others[peer])} {unit}"
        rows.append([row, f"{number(line.ours)} {unit}", beside, f"{line.ratio(peer):.2f}"])
    return {"benchmark summary": _markdown(["call or kernel", "cuda_shim", "peer", "ratio"], rows)}


def _table(shape: Shape, lines: list[Line]) -> str:
    peers = {peer: ratio for begins, ratio in shape.columns.items() if (peer := _peer(begins, lines))}
    heads = [*shape.heads]
    for peer, ratio in peers.items():
        heads += [peer, ratio] if ratio else [peer]
    rows = []
    for line in lines:
        cells = [line.row, number(line.ours)]
        for peer, ratio in peers.items():
            cells.append(number(line.others[peer]) if peer in line.others else "")
            if ratio:
                cells.append(_ratio(line, peer, shape.inverse))
        rows.append(cells)
    return _markdown(heads, rows)


def _ratio(line: Line, peer: str, inverse: bool) -> str:
    if peer not in line.others:
        return ""
    return f"{1 / line.ratio(peer) if inverse else line.ratio(peer):.2f}"


def _by_compiler(lines: list[Line]) -> str:
    """The kernels of the first compiler, and the times of the others as multiples."""
    others = [peer for name in COMPILERS if (peer := _peer(name, lines))]
    first = next(title for name, title in COMPILERS.items() if not _peer(name, lines))
    heads = ["kernel", f"{first}, ms", *(COMPILERS[_compiler(peer)] for peer in others), "C++"]
    rows = [
        [line.row, number(line.ours), *(_ratio(line, peer, inverse=False) for peer in (*others, "C++"))]
        for line in lines
        if set(others) & set(line.others)
    ]
    return _markdown(heads, rows)


def _compiler(peer: str) -> str:
    return next(name for name in COMPILERS if peer.startswith(name))


def _compiles(lines: list[Line]) -> str:
    """The stages of a first compile, with a column for each compiler."""
    figures = {line.row: line for line in lines}
    compilers = list(dict.fromkeys(row.partition(": ")[0] for row in figures))
    rows = []
    for stage in STAGES:
        of_stage = [figures[f"{name}: {stage}"] for name in compilers]
        nvrtc = of_stage[0].others.get("NVRTC")
        title = "16 programs at once" if stage == "16 at once" else stage
        rows.append([title, number(nvrtc) if nvrtc else "", *(number(line.ours) for line in of_stage)])
    return _markdown(["", "NVRTC", *(COMPILERS[name] for name in compilers)], rows)


def _peer(begins: str, lines: Iterable[Line]) -> str | None:
    """The peer's full name, which can have a version."""
    return next((peer for line in lines for peer in line.others if peer.startswith(begins)), None)


def _markdown(heads: list[str], rows: list[list[str]]) -> str:
    rule = "| --- |" + " ---: |" * (len(heads) - 1)
    return "\n".join(["| " + " | ".join(heads) + " |", rule, *("| " + " | ".join(row) + " |" for row in rows)])
