"""Runs CuPy's kernels of `partition` and `argpartition` on the backend that is served, and checks their results.

    python -m cuda_shim run --backend cpu --cuda 13.5 -m tests.kernels.others.run_numpy_partition FOLDER [--as-drawn] [-I FOLDER]...

FOLDER holds the files of `draw_cupy.py`. The launches are those of CuPy: each warp sorts the least numbers of a part to
its front, then the fronts are merged by pairs. CuPy's kernels leave out the `__syncwarp()` between the steps of the
sort, in which lanes read values that others wrote, and so rely on lanes that run in lockstep, which the CPU backend
does not model. They are run with it put in; --as-drawn runs them as they are.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from tests.kernels.others.run_numpy import Device, Program, compiled, described, differs, launched

#: Numbers that are sorted to the front, numbers in all, those that a thread keeps at a time, parts.
FRONT, COUNT, KEPT, PARTS = 32, 4000, 4, 8


#: The calls behind which the lanes of a warp go on with values that the others have written.
_STEP = re.compile(r"(bitonic_sort_step< T >\([^;{]*\);)|(?=for \(int w = k / 2;)")


def with_syncwarp(source: str) -> str:
    """The program with the barriers of a warp that its sort needs."""
    synchronised, steps = _STEP.subn(lambda found: f"{found[1] or ''} __syncwarp();\n", source)
    assert steps == 3, f"{steps} steps of a sort, where CuPy has had 3"
    return synchronised


def partitioned(content: dict[str, Any], file: Path, includes: list[str], device: Device) -> str:
    """Run both kernels of a program; return the difference of the front from numpy's, empty where there is none."""
    name, kind = re.match(r"cupy-partition-(\w+)-(\w+)-", file.name).groups()  # type: ignore[union-attr]
    given = np.random.default_rng(4).integers(0, 2 if kind == "bool" else 120, COUNT).astype(kind)
    held = [given.copy()] if name == "partition" else [given, np.arange(COUNT)]
    places = [device.holds(one) for one in held]
    parameters = [described(one, place) for one, place in zip(held, places, strict=True)]

    def launch(function: str, numbers: list[Any], warps: int) -> None:
        program = Program(file, "", name, function, [], [], content["source"].encode(), content["options"])
        launched(compiled(program, includes), [*parameters, *(one.tobytes() for one in numbers)], warps, threads=32)

    front, count, parts = np.int32(FRONT), np.int64(COUNT), PARTS
    launch(f"{name}_kernel", [front, count, np.int32(KEPT), np.int64(parts)], parts)
    step = 1
    while step < parts:
        launch(f"{name}_merge_kernel", [front, count, np.int32(parts), np.int32(step)], parts // step // 2)
        step *= 2
    device.reads(held[-1], places[-1])
    got = held[-1] if name == "partition" else given[held[-1]]
    return differs(got[:FRONT], np.sort(given)[:FRONT]) or differs(np.sort(got), np.sort(given))


def main() -> None:
    """Run the programs and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--as-drawn", action="store_true")
    parser.add_argument("-I", dest="includes", action="append", default=[])
    asked = parser.parse_args()
    device, equal = Device(), 0
    files = sorted(asked.folder.glob("cupy-partition-*.json"))
    for file in files:
        content = json.loads(file.read_text(encoding="utf-8"))
        if not asked.as_drawn:
            content["source"] = with_syncwarp(content["source"])
        difference = partitioned(content, file, asked.includes, device)
        device.forget()
        equal += not difference
        print(f"{file.name.rsplit('-', 1)[0]}: {difference or 'as numpy'}", flush=True)
    print(f"{equal} of {len(files)} as numpy")


if __name__ == "__main__":
    main()
