"""The carry flag in whole modules: each instruction that reads it behind each that writes it, as an NVIDIA GPU has it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent


def test_every_reader_behind_every_writer(any_shim_python, tmp_path):
    file = tmp_path / "found.npz"
    any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", FOLDER / "carries.py", file)
    recorded, outputs = np.load(FOLDER / "recorded_carries.npz"), np.load(file)
    forms = set(recorded.files) - {"device"}
    assert len(forms) == 128
    assert [form for form in sorted(forms) if not np.array_equal(recorded[form], outputs[form])] == []
