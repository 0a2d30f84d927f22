"""Interpreters for tests: child processes with a clean environment, and small virtual environments.

The effects of an import hook show only in a fresh interpreter, so most tests of it start one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import cuda_shim

#: The folder that holds the package under test.
PACKAGE_ROOT = Path(cuda_shim.__file__).resolve().parents[1]
STARTUP_FILES = Path(__file__).resolve().parents[1] / "startup_files"

#: Long enough for a slow machine; reaching it means a hang, not slowness.
HANG = 120


#: A program for which the CPU runtime generates faulty code does not compile: no test passes by slower code in its place.
NO_FALLBACKS = {"CUDA_SHIM_CPU_FALLBACKS": "0"}


def clean_environment(**changes: str) -> dict[str, str]:
    """Return the environment without anything that changes how Python or cuda_shim start."""
    kept = {
        name: value for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "CUDA_SHIM", "_CUDA_SHIM", "HIP_PYTHON", "ROCM_PATH", "COVERAGE", "CUDA_HOME", "CUDA_PATH"))
    }  # fmt: skip
    return {**kept, **NO_FALLBACKS, **changes}


def link_programs_without_clang(folder: Path) -> Path:
    """Fill a folder for PATH with links to every program of this PATH except Clang, zig and compilers but g++; return it."""
    for source in os.environ["PATH"].split(os.pathsep):
        for program in Path(source).iterdir() if Path(source).is_dir() else ():
            left_out = any(word in program.name for word in ("clang", "zig", "c++")) and program.name != "g++"
            if not left_out and not os.path.lexists(folder / program.name):
                (folder / program.name).symlink_to(program)
    return folder


def start(
    *words: str | Path, executable: str | Path = sys.executable, cwd: str | Path | None = None,
    stdin: str | None = None, **environment: str,
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """Run an interpreter to its end and return the finished process."""
    return subprocess.run(
        [str(executable), *map(str, words)], cwd=cwd, input=stdin, env=clean_environment(**environment),
        stdin=subprocess.DEVNULL if stdin is None else None, capture_output=True, encoding="utf-8", timeout=HANG,
        check=False,
    )  # fmt: skip


def run_code(code: str, *arguments: str, **environment: str) -> str:
    """Run code with cuda_shim importable; return its stdout, or fail with its stderr."""
    environment.setdefault("PYTHONPATH", str(PACKAGE_ROOT))
    done = start("-c", code, *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_json(code: str, *arguments: str, **environment: str) -> Any:
    """Run code that prints one JSON document and return that."""
    return json.loads(run_code(code, *arguments, **environment))


class Environment:
    """A virtual environment without pip, in which the package under test is importable."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False, symlinks=os.name != "nt")
        self.folder = folder
        self.python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        probe = "import sysconfig; print(sysconfig.get_path('purelib'))"
        self.site_packages = Path(start("-c", probe, executable=self.python).stdout.strip())
        # As an editable install does it; the name sorts before cuda_shim.pth, which needs the path.
        self.write("_editable_impl_cuda_shim.pth", f"{PACKAGE_ROOT}\n")

    def write(self, name: str, text: str) -> Path:
        """Write a file into site-packages."""
        path = self.site_packages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def install_startup_files(self) -> None:
        """Put the start-up files where the wheel puts them."""
        for name in ("cuda_shim.pth", "cuda_shim.start"):
            shutil.copy(STARTUP_FILES / name, self.site_packages / name)

    def pretend_installed(self, distribution: str, version: str) -> None:
        """Put a distribution's metadata there, without its files."""
        self.write(
            f"{distribution.replace('-', '_')}-{version}.dist-info/METADATA",
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n",
        )

    def start(self, *words: str | Path, **keywords: Any) -> subprocess.CompletedProcess[str]:
        """Run this environment's interpreter to its end."""
        return start(*words, executable=self.python, **keywords)
