"""The data of the wheel equals the tests' recordings."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

from cuda_shim.verify import recorded
from tests.environments import ROOT

MEGABYTE = 1 << 20


def test_it_is_as_recorded() -> None:
    words = [sys.executable, "tools/write_verify_data.py", "--check"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}run python tools/write_verify_data.py"


def test_it_is_wide_and_small() -> None:
    recordings = recorded.read_all()
    names = [case.name for recording in recordings.values() for batch in recording.batches for case in batch.cases]
    names += [program.name for program in recordings["programs"].programs]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    kinds = Counter(name.partition(".")[0] for name in names)
    assert kinds["cuda"] > 160
    assert kinds["ptx"] > 140
    assert kinds["function"] >= 547
    assert kinds["instruction"] > 80
    assert kinds["program"] > 110
    assert sum(path.stat().st_size for path in Path(recorded.FOLDER).iterdir()) < 3 * MEGABYTE


def test_what_is_written_is_read(tmp_path: Path) -> None:
    for name, recording in recorded.read_all().items():
        recorded.write(str(tmp_path / name), recording)
        assert recorded.read(str(tmp_path / name)) == recording
