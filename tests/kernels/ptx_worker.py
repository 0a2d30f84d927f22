"""Runs the cases named behind a folder from the PTX in it, and prints one JSON line for each, as worker.py does.

The folder holds `kernels.json`: by case, the file of its PTX and the kernel's lowered name. Where it holds a
`recorded.npz`, this has a GPU's results of these files.

    python -m cuda_shim run --backend cpu tests/kernels/ptx_worker.py folder elementwise.saxpy
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import launch
import worker

from cuda_shim.verify import launches


def launch_from(folder: Path, kernels: dict[str, tuple[str, str]]) -> None:
    """Let cases be launched from their PTX from now on."""

    def ptx_of(case, translated_for):
        file, kernel = kernels[case.name]
        text = (folder / file).read_bytes().rstrip(b"\0").decode()
        return launches.Batch(case.name, "", "ptx", file, text, (), {}, ()), kernel

    launch.batch_of = ptx_of


def main(folder: Path, wanted: list[str]) -> int:
    launch_from(folder, json.loads((folder / "kernels.json").read_text(encoding="utf-8")))
    if (folder / "recorded.npz").exists():
        worker.RECORDED = folder / "recorded.npz"
    return worker.main(wanted)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), sys.argv[2:]))
