"""As in a container: the wheel with its `cpu` extra, no other compiler, no home, and then nothing that can be written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import environments
from tests.interpreters import HANG

pytestmark = pytest.mark.xdist_group("container")  # one worker makes its environment

Run = Callable[..., subprocess.CompletedProcess[str]]

SAXPY = environments.ROOT / "examples" / "saxpy.py"

#: Root may write everywhere, in folders of any mode, until it gives up CAP_DAC_OVERRIDE.
AS_ANYBODY = """
import ctypes, os, sys
if os.geteuid() == 0 and ctypes.CDLL(None, use_errno=True).prctl(24, 1, 0, 0, 0):
    raise OSError(ctypes.get_errno(), "CAP_DAC_OVERRIDE cannot be given up")
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture(scope="module")
def python(shared_folder: Path) -> environments.Python:
    wheel = environments.build_wheel(shared_folder)
    package = f"cuda-shim[cpu] @ {wheel.as_uri()}"
    return environments.make(shared_folder / "container", package, environments.HIP_PYTHON["10.0"], "numpy")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("container")


@pytest.fixture(scope="module")
def run(python: environments.Python, folder: Path) -> Run:
    """Run a verb of cuda_shim there, with a cache as the only folder of its own."""
    (folder / "temporary").mkdir()

    def start(*words: str | Path, cache: Path = folder / "cache") -> subprocess.CompletedProcess[str]:
        environment = {"PATH": str(folder / "none"), "XDG_CACHE_HOME": str(cache), "TMPDIR": str(folder / "temporary")}
        command = [sys.executable, "-c", AS_ANYBODY, python.executable, "-m", "cuda_shim", *words]
        return subprocess.run(
            list(map(str, command)), env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
            encoding="utf-8", timeout=5 * HANG, check=False,
        )  # fmt: skip

    return start


@pytest.fixture(scope="module")
def first(run: Run) -> subprocess.CompletedProcess[str]:
    """The first run of a newcomer's first program."""
    return run("run", SAXPY)


def test_the_first_run(first: subprocess.CompletedProcess[str], folder: Path) -> None:
    """zig builds all that it takes, but not its own C++ library, which alone would take a minute and a half."""
    assert first.returncode == 0, first.stderr
    assert first.stdout.splitlines()[-1].split(": ")[1].startswith("verified")
    assert first.stderr.startswith("cuda_shim: building the CPU-hosted HIP runtime with zig ")
    built = {path.name for path in (folder / "cache").rglob("*") if path.suffix in (".a", ".so")}
    assert {"libamdhip64.so", "libhiprtc.so", "calls.so", "libcompiler_rt.a"} <= built
    assert "libc++.a" not in built


@pytest.fixture
def read_only(first: subprocess.CompletedProcess[str], folder: Path) -> Path:
    """The cache that the first run has filled, as it is in an image that runs read-only."""
    assert first.returncode == 0, first.stderr
    cache = folder / "cache"
    for path in [cache, *cache.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222)
    return cache


def test_a_cache_that_can_only_be_read_is_used(run: Run, read_only: Path, folder: Path) -> None:
    kernels = sorted(read_only.rglob("*.so"))
    told = ("run", "--quiet", "--cpu-log=info")
    done = run(*told, SAXPY)
    assert done.returncode == 0, done.stderr
    assert "compiled in" not in done.stderr
    assert sorted(read_only.rglob("*.so")) == kernels
    another = folder / "another.py"
    another.write_text(SAXPY.read_text(encoding="utf-8").replace("a * x[i]", "x[i] * a"), encoding="utf-8")
    done = run(*told, another)
    assert done.returncode == 0, done.stderr
    assert "saxpy.cu: read in " in done.stderr  # again each time: it is kept nowhere
    assert "verified" in done.stdout
    assert sorted(read_only.rglob("*.so")) == kernels


def test_no_cache_at_all_is_one_line(run: Run, folder: Path) -> None:
    cache = folder / "sealed"
    cache.mkdir(mode=0o500, exist_ok=True)
    done = run("run", "-c", "from cuda.bindings import driver\ndriver.cuInit(0)", cache=cache)
    assert done.returncode == 2
    assert done.stderr == (
        f"cuda_shim: cannot write the cache folder {cache}/cuda-shim (Permission denied): set CUDA_SHIM_CACHE_DIR to a "
        "folder of yours that can be written (<string>, line 2)\n"
    )


def test_doctor_says_what_is_wrong(run: Run, read_only: Path) -> None:
    done = run("doctor")
    assert done.returncode == 1
    assert "problem  cannot write the cache folder" in done.stdout
    assert os.fspath(read_only) in done.stdout
