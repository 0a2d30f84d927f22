"""One probe program under NVIDIA's wheel and under cuda_shim, its lines side by side."""

from __future__ import annotations

import re
from pathlib import Path

from tests import environments
from tests.interpreters import PACKAGE_ROOT, start

Deliberate = list[tuple[str, str, str]]
"""Differences on purpose: the text of NVIDIA's line, the text of ours, and the reason."""


def theirs_and_ours(probe: Path, nvidia: environments.Python, layout: str) -> list[tuple[str, str]]:
    """Return the probe's output under NVIDIA's wheel and under cuda_shim, line by line."""
    theirs = nvidia.run(probe).splitlines()
    done = start(probe, layout, PYTHONPATH=str(PACKAGE_ROOT))
    assert done.returncode == 0, done.stderr[-2000:]
    # NVIDIA numbers the classes of anonymous members; ours are output after their place.
    output = re.sub(r"(cuda\.bindings\.(?:driver|runtime)\.)\w+(?:\.\w+)+", r"\1ANONYMOUS", done.stdout)
    ours = output.splitlines()
    assert [line.split(" ", 2)[:2] for line in theirs] == [line.split(" ", 2)[:2] for line in ours]
    return list(zip(theirs, ours, strict=True))


def reasons(theirs: str, ours: str, deliberate: Deliberate) -> set[str]:
    """Return the reasons that two lines may differ; none where they may not."""
    return {why for there, here, why in deliberate if re.search(there, theirs) and re.search(here, ours)}


def check(pairs: list[tuple[str, str]], deliberate: Deliberate) -> None:
    """Fail for the lines that differ for no reason."""
    wrong = [f"\n  NVIDIA {a}\n  ours   {b}" for a, b in pairs if a != b and not reasons(a, b, deliberate)]
    assert not wrong, f"{len(wrong)} lines differ:{''.join(wrong[:20])}"


def check_each_is_met(probe: Path, folder: Path, deliberate: Deliberate) -> None:
    """Fail for a deliberate difference that no layout shows any more."""
    met: set[str] = set()
    for layout in environments.NVIDIA:
        for theirs, ours in theirs_and_ours(probe, environments.nvidia(layout, folder), layout):
            if theirs != ours:
                met |= reasons(theirs, ours, deliberate)
    assert met == {why for *_, why in deliberate}
