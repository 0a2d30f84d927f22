"""HIP on host cores without the shim: the commands and programs of its README, in order."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environments import ROOT
from tests.interpreters import HANG, clean_environment

README = ROOT / "hip_on_host/README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(?:#|//) ([\w.]+)\n")


def test_the_readme(tmp_path: Path) -> None:
    if not shutil.which("g++"):
        pytest.skip("g++ is not installed")
    folder = Path(sys.executable).parent
    environment = clean_environment(
        PYTHONPATH=str(ROOT),
        CUDA_SHIM_CACHE_DIR=str(tmp_path / "cache"),
        PATH=f"{folder}{os.pathsep}{os.environ['PATH']}",
    )
    said = []
    for kind, text in BLOCK.findall(README.read_text(encoding="utf-8")):
        if kind == "sh":
            command = ["bash", "-euo", "pipefail", "-c", text]
            done = subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=2 * HANG, check=False
            )
            assert done.returncode == 0, text + done.stdout + done.stderr
            said.append(done.stdout)
        else:
            named = NAME.match(text)
            assert named, text
            (tmp_path / named[1]).write_text(text, encoding="utf-8")
    assert said[:3] == ["", "right\n", "1 device, warps of 32 threads\n"]
    (left,) = said[3:]
    assert left.splitlines()[2] == "    float * const tile = (float *)cuda_shim_dynamic_shared();"


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hip_on_host", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HANG, check=False)
    assert done.returncode == 2
    assert f"{tmp_path} exists: name a new folder" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_compiler_that_fails_is_said_with_its_words(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hip_on_host", str(tmp_path / "new"), "--cxx", "/bin/false"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HANG, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("hip_on_host: /bin/false -O")
