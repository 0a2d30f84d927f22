"""Every enum, handle, constant and function name beside NVIDIA's wheels, in each layout."""

from __future__ import annotations

from pathlib import Path

from tests import environments
from tests.binding import beside

PROBE = Path(__file__).with_name("names_probe.py")

# Each must be met in some layout.
DELIBERATE: beside.Deliberate = [
    ("cuCtxCreate function", r"\(None,\)", "CUDA 13 put a parameter first; the form of CUDA 11 and 12 goes on working"),
]


def test_every_name_behaves_as_nvidias(nvidia_python: tuple[str, environments.Python]) -> None:
    layout, nvidia = nvidia_python
    pairs = beside.theirs_and_ours(PROBE, nvidia, layout)
    assert len(pairs) > 5_000
    beside.check(pairs, DELIBERATE)


def test_each_deliberate_difference_is_still_met(shared_folder: Path) -> None:
    beside.check_each_is_met(PROBE, shared_folder, DELIBERATE)
