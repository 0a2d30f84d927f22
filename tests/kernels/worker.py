"""Runs the cases named in its arguments, all of them without any, and prints one JSON line for each.

Results are also compared with those of an NVIDIA GPU, if recorded.

    python -m cuda_shim run --backend cpu tests/kernels/worker.py elementwise.saxpy

CORPUS_TRANSLATED_FOR=gfx90a runs the text that would be compiled for that architecture.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path

import numpy as np
from corpus import cases, compare_recorded, verify
from launch import Device, launch

RECORDED = Path(__file__).resolve().parent / "recorded.npz"


def main(wanted: list[str]) -> int:
    known = cases()
    translated_for = os.environ.get("CORPUS_TRANSLATED_FOR")
    if translated_for:  # the texts are HIP's by then, and see its names
        from cuda_shim.translate import options

        options.cuda_program = lambda cuda: b"-std=c++17"
    device = Device()
    recorded = np.load(RECORDED) if RECORDED.exists() else {}
    failures = 0
    for name in wanted or known:
        # Printed before the launch, so that a crash counts for this case.
        print(json.dumps({"case": name, "started": True}), flush=True)
        try:
            run = known[name].run()
            results, variables = launch(known[name], run, device, translated_for)
            verify(run, results, variables)
            compared = compare_recorded(name, run, results, variables, recorded) if run.comparable else 0
            answer = {"case": name, "error": None, "compared": compared}
        except Exception:  # noqa: BLE001 - the other cases are run too
            failures += 1
            answer = {"case": name, "error": traceback.format_exc()}
        print(json.dumps(answer), flush=True)
    device.close()
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
