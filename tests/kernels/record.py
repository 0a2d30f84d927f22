"""Runs the corpus on an NVIDIA GPU with NVIDIA's own CUDA Python and records the results.

    pip install numpy "cuda-bindings" nvidia-cuda-nvrtc nvidia-cuda-cccl nvidia-cuda-runtime
    CUDA_INCLUDE=<folders with cuda_fp16.h and cuda/std> python tests/kernels/record.py  # in a checkout

Writes `recorded.json` (the machine, and the failures) and `recorded.npz` (a sample of every array that a kernel
changed) beside this file; the tests compare the CPU runtime's results with them. Each case is also checked against its
own host reference; a case that fails is named in the JSON file and not recorded.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from corpus import cases, sample, verify
from launch import Device, launch

from cuda_shim.verify.calls import checked

FOLDER = Path(__file__).resolve().parent


def recorded(device: Device, names: Iterable[str]) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """A sample of the arrays that each case changed, after its own check, and the errors of others."""
    arrays: dict[str, np.ndarray] = {}
    failed: dict[str, str] = {}
    for name in names:
        case = cases()[name]
        try:
            run = case.run()
            results, variables = launch(case, run, device)
            verify(run, results, variables)
            if run.comparable:
                arrays.update(sample(name, run, results, variables))
            print(f"{name}: recorded" if run.comparable else f"{name}: right, not the same in every run")
        except Exception:  # noqa: BLE001 - the other cases are run too
            failed[name] = traceback.format_exc()
            print(f"{name}: FAILED\n{failed[name]}", file=sys.stderr)
    return arrays, failed


def main(wanted: list[str]) -> int:
    from cuda.bindings import nvrtc

    if hasattr(nvrtc, "HIP_PYTHON"):
        print(
            "this is cuda_shim or HIP Python: what is recorded must come from NVIDIA's own CUDA Python", file=sys.stderr
        )
        return 2
    device = Device()
    arrays, failed = recorded(device, [name for name in cases() if not wanted or name in wanted])
    machine: dict[str, Any] = {
        "device": device.name,
        "compute capability": device.architecture,
        "nvrtc": list(checked(nvrtc.nvrtcVersion)),
        "failed": {name: text.strip().splitlines()[-1] for name, text in failed.items()},
    }
    np.savez_compressed(FOLDER / "recorded.npz", **arrays)  # type: ignore[arg-type]  # no array is called allow_pickle
    (FOLDER / "recorded.json").write_text(json.dumps(machine, indent=2) + "\n", encoding="utf-8")
    device.close()
    print(f"{len(arrays)} arrays recorded, {len(failed)} cases failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
