"""A program with a cache whose files were changed at random: it computes the same as with an empty one.

    python -m tests.fuzz.cache_files --runs 100

Each run is a process of its own, watched as those of `tests.fuzz.campaign` are.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from cuda_shim import settings
from cuda_shim.backends import host_libraries
from tests.fuzz.watched import Surroundings
from tests.interpreters import PACKAGE_ROOT, clean_environment
from tests.program_files import read_program

__all__ = ["Outcome", "change", "fill", "run"]

SECONDS = 300.0
#: Compiles a program with a header that is translated, loads its code and PTX, and prints their results.
PROGRAM = read_program(__file__, "cache_files.py")
ANSWER = "7 35"


class Outcome(NamedTuple):
    """Result of a run: the problem or "", and the number of changed bytes."""

    problem: str
    changed: int


def start(cache: Path, folder: Path, runtime: str) -> str:
    """Run the program; return its problem, or "" if there is none."""
    around = Surroundings(folder)
    environment = {
        **around.environment(), "CUDA_SHIM_CACHE_DIR": str(cache), "PYTHONPATH": str(PACKAGE_ROOT), "RUNTIME": runtime,
        "CUDA_SHIM_QUIET": "1",
    }  # fmt: skip
    with around.watched() as written:
        try:
            done = subprocess.run(
                [sys.executable, "-X", "faulthandler", "-c", PROGRAM], cwd=around.work, capture_output=True,
                encoding="utf-8", errors="replace", env=clean_environment(**environment), timeout=SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"takes more than {SECONDS} s"
    if done.returncode or done.stdout.strip() != ANSWER:
        return f"exit status {done.returncode}, {done.stdout.strip()!r}: {done.stderr[-2000:]}"
    return f"wrote outside its folders ({', '.join(sorted(written))})" if written else ""


def fill(cache: Path, runtime: str) -> None:
    """Run the program once with an empty cache."""
    cache.mkdir(mode=0o700)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        problem = start(cache, Path(folder), runtime)
    assert not problem, problem


def change(cache: Path, chance: random.Random) -> int:
    """Change one to six files; return the number of bytes that were written or left out."""
    files = sorted(path for path in cache.rglob("*") if path.is_file() and path.stat().st_size)
    changed = 0
    for path in chance.sample(files, min(len(files), chance.randint(1, 6))):
        content = bytearray(path.read_bytes())
        before = len(content)
        how = chance.randrange(5)
        if how == 0:
            for _ in range(chance.choice((1, 1, 8, 4096))):
                content[chance.randrange(before)] ^= chance.randrange(1, 256)
                changed += 1
        elif how == 1:
            del content[chance.randrange(before) :]
        elif how == 2:
            content += chance.randbytes(chance.choice((1, 16, 4096)))
        elif how == 3:
            content[:] = chance.choice(files).read_bytes()
            changed += len(content)
        else:
            content[:] = chance.randbytes(before)
            changed += before
        path.chmod(0o600)
        path.write_bytes(content)
        changed += abs(len(content) - before)
    return changed


def run(filled: Path, runtime: str, seed: int) -> Outcome:
    """Run the program with a copy of a filled cache, of which some files were changed."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        cache = Path(folder, "cache")
        shutil.copytree(filled, cache, symlinks=True)
        cache.chmod(0o700)
        around = Path(folder, "around")
        around.mkdir()
        changed = change(cache, random.Random(seed))  # noqa: S311 (a seed has to give the same numbers again)
        return Outcome(start(cache, around, runtime), changed)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.cache_files", description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    runtime = os.environ.get("CUDA_SHIM_TEST_RUNTIME") or host_libraries.ensure_libraries(settings.current())
    findings = changed = 0
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        filled = Path(folder, "cache")
        fill(filled, runtime)
        for seed in range(given.seed, given.seed + given.runs):
            outcome = run(filled, runtime, seed)
            changed += outcome.changed
            if outcome.problem:
                findings += 1
                print(f"seed {seed}: {outcome.problem}", flush=True)
            print(f"seed {seed}: {changed} bytes changed, {findings} findings", flush=True)
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
