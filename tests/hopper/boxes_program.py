"""Load boxes of tensors of one to five axes, with every swizzle, and compare shared memory with numpy's own boxes."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.argv[1:] = ["tensors"]
from cuda.bindings import driver  # noqa: E402

from tests.hopper import maps, program  # noqa: E402

SWIZZLES = {"NONE": 0, "32B": 1, "64B": 2, "128B": 3}


def expected(case: maps.Map, data: np.ndarray[Any, Any], at: tuple[int, ...], room: int) -> np.ndarray[Any, Any]:
    """Return the bytes that a copy leaves in shared memory, each element by itself."""
    width = case.size // int(np.prod(case.box))
    memory = np.full(room, 0xCD, np.uint8)
    strides, row_pitch = (width, *case.strides), max(case.box[0] * width, 16 << SWIZZLES[case.swizzle] & ~16)
    for number, index in enumerate(itertools.product(*(range(extent) for extent in reversed(case.box)))):
        place = [start + step for start, step in zip(at, reversed(index), strict=True)]
        inside = all(0 <= position < extent for position, extent in zip(place, case.dims, strict=True))
        offset = number // case.box[0] * row_pitch + number % case.box[0] * width
        offset ^= (offset >> 7 & ((1 << SWIZZLES[case.swizzle]) - 1)) << 4
        begin = sum(position * stride for position, stride in zip(place, strides, strict=True))
        memory[offset : offset + width] = data[begin : begin + width] if inside else 0
    return memory


def main() -> None:
    """Compare all copies of boxes whose elements stay as they are."""
    program.good(driver.cuInit(0))
    program.good(driver.cuCtxSetCurrent(program.good(driver.cuDevicePrimaryCtxRetain(0))))
    loaded = program.module((program.FOLDER / "tensors.cu").read_text())
    data = program.pattern(1 << 16, 2)
    memory, bytes_, count = program.Memory(data), data.view(np.uint8), 0
    for case in maps.LOADS:
        is_plain = case.fill == "NONE" and not case.steps and not case.corners and case.interleave == "NONE"
        if not is_plain or "FTZ" in case.kind or "TFLOAT" in case.kind:
            continue
        status, tensor_map = case.encode(int(memory.pointer))
        assert status == 0, case
        for at in case.coordinates:
            result = program.load_box(loaded, case, tensor_map, at)
            assert result[-1] == 1, (case, at)
            assert np.array_equal(result[:-1], expected(case, bytes_, at, len(result) - 1)), (case, at)
            count += 1
    assert count >= 25, count
    print("right")


if __name__ == "__main__":
    main()
