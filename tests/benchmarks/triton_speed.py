"""Triton's kernels on host cores, beside Triton's own interpreter (`TRITON_INTERPRET=1`), on PyTorch's CPU tensors.

    python tests/benchmarks/triton_speed.py softmax
    TRITON_INTERPRET=1 python tests/benchmarks/triton_speed.py softmax

The interpreter of Python needs Triton and PyTorch. A line has the best of several launches in milliseconds. The two run
in turns, each in a process of its own; the first launch, which compiles, is not counted.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
if TYPE_CHECKING:
    from tests.benchmarks.lines import Line

TURNS, LAUNCHES, LAUNCHES_INTERPRETED = 2, 5, 1


def launches() -> dict[str, Callable[[], object]]:
    """By kernel, a function that launches it; kernels of both programs are those of the tests."""
    import torch

    from tests.triton import elementwise_program as rows
    from tests.triton import matmul_program as products

    x, y, z = (torch.rand(1 << 20) for _ in range(3))
    wide, wide_result = torch.randn(1823, 781), torch.empty(1823, 781)
    normal = torch.randn(512, 1000)
    weight, bias, normal_result = torch.rand(1000), torch.rand(1000), torch.empty(512, 1000)
    means, deviations = torch.empty(512), torch.empty(512)
    left, right, product = torch.randn(256, 256), torch.randn(256, 256), torch.empty(256, 256)
    halves = left.half(), right.half(), torch.empty(256, 256, dtype=torch.float16)
    heads = [torch.randn(1, 4, 256, 64, dtype=torch.float16) for _ in range(4)]
    scale = 0.125 * math.log2(math.e)
    return {
        "sum of 2^20 floats": lambda: rows.add_kernel[(1024,)](x, y, z, 1 << 20, BLOCK=1024),
        "softmax 1823 x 781": lambda: rows.softmax_kernel[(8,)](
            wide, wide_result, 781, 781, 1823, 781, BLOCK=1024, num_warps=8
        ),
        "layer norm 512 x 1000": lambda: rows.layer_norm_kernel[(512,)](
            normal, weight, bias, normal_result, means, deviations, 1000, 1e-5, BLOCK=1024
        ),
        "dropout of 2^18 floats": lambda: rows.dropout_kernel[(256,)](x, y, z, 1 << 18, 0.4, 7, BLOCK=1024),
        "product of f32, 256^3": lambda: products.multiply(left, right, product),
        "product of TF32, 256^3": lambda: products.multiply(left, right, product, "tf32"),
        "product of f16, 256^3": lambda: products.multiply(*halves),
        "attention 4 x 256 x 64": lambda: products.attention_kernel[(4, 4)](
            *heads, scale, 256, DEPTH=64, BLOCK=64, CAUSAL=False, num_stages=2
        ),
    }


def measure(python: str, turns: int = TURNS) -> Iterator[Line]:
    """All of them, in an interpreter that has this package, Triton and PyTorch."""
    from tests.benchmarks.lines import Line

    modes: tuple[dict[str, str], dict[str, str]] = ({}, {"TRITON_INTERPRET": "1"})
    names = _output(python, "names").splitlines()
    for name in names:
        best = [math.inf, math.inf]
        for _ in range(turns):
            for mode, settings in enumerate(modes):
                best[mode] = min(best[mode], float(_output(python, name, **settings)))
        yield Line("triton", name, "milliseconds", best[0], {"its interpreter": best[1]})


def _output(python: str, name: str, **settings: str) -> str:
    from tests.benchmarks.peers import output_of

    return output_of([python, __file__, name], TRITON_DEFAULT_FP_FUSION="1", **settings)


if __name__ == "__main__":
    from tests.benchmarks.numba_speed import best_of

    known = launches()
    if sys.argv[1] == "names":
        print("\n".join(known))
    else:
        print(best_of(known[sys.argv[1]], LAUNCHES_INTERPRETED if "TRITON_INTERPRET" in os.environ else LAUNCHES))
