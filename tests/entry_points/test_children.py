"""Children serve `cuda.*` when their parent does: the programs of examples/children, and their starting points."""

from __future__ import annotations

import json
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

from tests.environments import ROOT, Python, missing
from tests.interpreters import HANG, clean_environment

EXAMPLES = ROOT / "examples" / "children"
RUN = ("-m", "cuda_shim", "run")


def needed(program: str, package: str) -> str:
    """The path of a program; without it the test is skipped, but on CI, where .ci/run installs it, it fails."""
    path = shutil.which(program)
    if path is None:
        missing(f"{program} is not installed: apt-get install {package}")
    return path


def test_every_example_is_run_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    programs = [path for path in EXAMPLES.glob("*.py") if "__main__" in path.read_text(encoding="utf-8")]
    assert len(programs) >= 3
    assert [path.name for path in programs if path.name not in text] == []


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(full_python: Python, method: str) -> None:
    """multiprocessing and concurrent.futures, with imports of `cuda` at the top of the child's modules."""
    assert full_python.run(*RUN, EXAMPLES / "processes.py", method) == f"{method}: verified in 4 processes\n"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_of_a_program_that_enables_the_shim_itself(full_python: Python, tmp_path: Path, method: str) -> None:
    (tmp_path / "program.py").write_text(
        textwrap.dedent(f"""
            import multiprocessing, cuda_shim
            cuda_shim.enable()
            from cuda.bindings import runtime
            def count(_): return runtime.cudaGetDeviceCount()[1]
            if __name__ == "__main__":
                with multiprocessing.get_context({method!r}).Pool(2) as pool: print(pool.map(count, range(3)))
        """)
    )
    assert full_python.run(tmp_path / "program.py", CUDA_SHIM_CPU_DEVICES="3") == "[3, 3, 3]\n"


def test_fork_after_the_parent_has_called(full_python: Python) -> None:
    """A child of a program that has used the GPU already: on the CPU backend it may go on."""
    code = """
        import os
        from cuda.bindings import runtime
        assert runtime.cudaGetDeviceCount()[1] == 1
        if os.fork() == 0:
            os._exit(runtime.cudaGetDeviceCount()[1])
        print(os.waitstatus_to_exitcode(os.wait()[1]))
    """
    assert full_python.run(*RUN, "-c", textwrap.dedent(code)) == "1\n"


def test_subprocesses_of_a_launcher(full_python: Python, tmp_path: Path) -> None:
    """As torchrun starts its workers: a module that starts scripts, each with its rank in the environment."""
    worker = "import os; from cuda.bindings import runtime as r; print(os.environ['RANK'], r.cudaGetDeviceCount()[1])"
    (tmp_path / "worker.py").write_text(worker)
    (tmp_path / "launcher.py").write_text(
        textwrap.dedent("""
            import os, subprocess, sys
            for rank in "01":
                subprocess.run([sys.executable, "-u", *sys.argv[1:]], env={**os.environ, "RANK": rank}, check=True)
        """)
    )
    command = (*RUN, "--cpu-devices=2", "-m", "launcher", "worker.py")
    assert full_python.run(*command, cwd=tmp_path) == "0 2\n1 2\n"


def test_a_child_with_an_environment_of_its_own_is_plain(full_python: Python) -> None:
    code = "import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', 'import cuda'], env={}).returncode)"
    assert full_python.start(*RUN, "-c", code).returncode == 1


def test_mpi_ranks_each_on_its_own_device(full_python: Python, tmp_path: Path) -> None:
    command = [
        needed("mpirun", "openmpi-bin"), "--oversubscribe", "-n", "4", str(full_python.executable), *RUN,
        "--cpu-devices", "4", "--report=usage-%p.json", str(EXAMPLES / "mpi_ranks.py"),
    ]  # fmt: skip
    # Open MPI asks twice before it runs as root, as containers do; TMPDIR, since it limits the length of its paths.
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "TMPDIR": "/tmp"}
    environment = clean_environment(CUDA_SHIM_QUIET="1", CUDA_SHIM_CPU_THREADS="1", **root)
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=HANG, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "4 ranks on devices [0, 1, 2, 3]: verified\n"
    reports = sorted(map(str, tmp_path.glob("usage-*.json")))
    assert len(reports) == 4
    total = json.loads(full_python.run("-m", "cuda_shim", "report", "--json", *reports))
    assert (total["processes"], total["calls"]["cuLaunchKernel"]["count"]) == (4, 4)


def test_workers_of_dask(full_python: Python, tmp_path: Path) -> None:
    report = tmp_path / "usage.json"
    said = full_python.run(*RUN, f"--report={report}", EXAMPLES / "dask_cluster.py")
    assert said == "2 workers: verified\n"
    document = json.loads(report.read_text(encoding="utf-8"))
    assert document["calls"]["cuLaunchKernel"]["count"] == 4
    assert document["processes"] == 2
