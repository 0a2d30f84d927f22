"""The engine by itself: C++ cases (cpp/*_test.cpp), each in a process of its own."""

from __future__ import annotations

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.hip_on_host.kernel_modules import COMPILER, FLAGS, HERE, RUNTIME

SOURCES = sorted((HERE / "cpp").glob("*_test.cpp"))
CASES = [
    case
    for source in SOURCES
    for case in re.findall(r"^CASE\((\w+)\)", source.read_text(encoding="utf-8"), re.MULTILINE)
]
HANG = 120

pytestmark = pytest.mark.xdist_group("engine")  # one worker compiles it


@pytest.fixture(scope="session")
def engine_tests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that holds all cases."""
    folder = tmp_path_factory.mktemp("engine")
    parts = [*(RUNTIME / "engine").glob("*.cpp"), *(RUNTIME / "common").glob("*.cpp"), *SOURCES, HERE / "cpp/main.cpp"]

    def compile_one(source: Path) -> str:
        target = str(folder / f"{source.parent.name}_{source.stem}.o")
        subprocess.run([*COMPILER, *FLAGS, "-O1", f"-I{HERE / 'cpp'}", "-c", str(source), "-o", target], check=True)
        return target

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, parts))
    subprocess.run([*COMPILER, *objects, "-o", str(folder / "tests"), "-ldl", "-lpthread"], check=True)
    return folder / "tests"


@pytest.mark.parametrize("case", CASES)
def test_case(engine_tests: Path, case: str) -> None:
    done = subprocess.run([engine_tests, case], capture_output=True, encoding="utf-8", timeout=HANG, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    if done.stdout.startswith("skipped: "):
        pytest.skip(done.stdout.removeprefix("skipped: ").strip())


def test_the_cases_also_hold_for_a_single_worker(engine_tests: Path) -> None:
    for case in ("every_thread_of_every_block_runs_once_on_fibres", "parallel_for_visits_every_index_once",
                 "cooperative_blocks_meet_at_the_grid_barrier"):  # fmt: skip
        done = subprocess.run(
            [engine_tests, case], env={"CUDA_SHIM_CPU_THREADS": "1"}, capture_output=True, encoding="utf-8",
            timeout=HANG, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_cases_also_hold_for_many_workers(engine_tests: Path) -> None:
    for case in (
        "every_thread_of_every_block_runs_once",
        "many_threads_launch_at_once",
        "short_work_from_many_threads_is_done_once",
        "a_bad_pointer_is_an_illegal_address",
    ):
        done = subprocess.run(
            [engine_tests, case], env={"CUDA_SHIM_CPU_THREADS": "16"}, capture_output=True, encoding="utf-8",
            timeout=HANG, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
