"""The container image and the development container: their commands are those of the documents, and they build."""

from __future__ import annotations

import functools
import json
import os
import re
import runpy
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.environments import ROOT

#: Seconds in which an engine fetches an image and packages, on a slow line too.
BUILD = 1500
IMAGE = "cuda-shim-test"
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
DEVCONTAINER = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))


def marked_command(mark: str) -> str:
    """Return the README's command below a mark."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    command = re.search(rf"<!-- {mark} command -->\n```sh\n(.+)\n```\n", readme)
    assert command, mark
    return command[1]


@functools.cache
def engine_problem() -> str:
    """The reason why no image can be built here, empty if one can."""
    if not shutil.which("docker"):
        return "docker is not installed"
    command = ["docker", "info", "--format", "{{.ServerVersion}}"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    return (done.stderr.strip() or "docker info fails") if done.returncode else ""


def docker(*words: str, folder: Path = ROOT) -> str:
    done = subprocess.run(
        ["docker", *words], cwd=folder, capture_output=True, encoding="utf-8", timeout=BUILD, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Path]:
    """A clean checkout for an engine to build; its image goes afterwards."""
    if engine_problem():
        pytest.skip(f"no Docker engine answers: {engine_problem()}")
    runpy.run_path(str(ROOT / "tools/release_wheels.py"))["copy_checkout"](tmp_path)
    yield tmp_path
    subprocess.run(["docker", "image", "rm", "--force", IMAGE], capture_output=True, check=False)


def test_the_image_is_installed_by_the_readmes_command() -> None:
    commands = re.findall(r"^RUN (.+)$", DOCKERFILE, re.MULTILINE)
    assert [command for command in commands if "pip" in command] == [marked_command("install")]
    assert json.loads(re.findall(r"^ENTRYPOINT (.+)$", DOCKERFILE, re.MULTILINE)[0])[1:] == ["-m", "cuda_shim"]


def test_the_development_container_is_set_up_as_contributing_does() -> None:
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    command = re.search(r"## Set up\n\n```sh\n(.+)\n```\n", contributing)
    assert command
    assert DEVCONTAINER["postCreateCommand"] == command[1]
    build = DEVCONTAINER["build"]
    assert (ROOT / ".devcontainer" / build["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert re.search(rf"^FROM \S+ AS {build['target']}$", DOCKERFILE, re.MULTILINE)
    assert f"--create-home {DEVCONTAINER['remoteUser']}\n" in DOCKERFILE


def test_the_build_context_leaves_out_ignored_files() -> None:
    left_out = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()[1:]
    assert ".git" in left_out
    names = [name.removeprefix("**/").replace("*", "x") for name in left_out if name != ".git"]
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", *(f"{name}/x" for name in names)],
        cwd=ROOT, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.stdout.splitlines() == [f"{name}/x" for name in names]


@pytest.mark.timeout(2 * BUILD)
def test_the_readmes_container_runs_a_program(checkout: Path) -> None:
    build, run = marked_command("container").split(" && ")
    assert build.startswith("docker build ")
    docker("build", "--tag", IMAGE, ".", folder=checkout)
    words = run.removeprefix("docker ").replace("cuda-shim ", f"{IMAGE} ", 1).split()
    assert "verified" in docker(*words).splitlines()[-1]
    docker("run", "--rm", IMAGE)


@pytest.mark.long
@pytest.mark.timeout(2 * BUILD)
def test_the_development_container_is_set_up(checkout: Path) -> None:
    docker("build", "--tag", IMAGE, "--target", DEVCONTAINER["build"]["target"], ".", folder=checkout)
    command = f"{DEVCONTAINER['postCreateCommand']} && .venv/bin/python -m cuda_shim doctor"
    mount = f"{checkout}:/workspaces/cuda_shim"
    owner = f"{os.getuid()}:{os.getgid()}"
    environment = ("--env", "HOME=/tmp")
    docker(
        "run", "--rm", "--volume", mount, "--workdir", "/workspaces/cuda_shim", "--user", owner, *environment, IMAGE,
        "sh", "-ec", command,
    )  # fmt: skip
