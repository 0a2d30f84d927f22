"""The pages in docs/ are true: their commands and programs run, their links have targets, no setting is left out."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from cuda_shim.settings import SETTINGS
from tests.environments import ROOT, Python
from tests.interpreters import HANG, clean_environment

DOCS = sorted((ROOT / "docs").glob("*.md"))
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"# (\w+\.py)\n")
KINDS = {"sh", "python", "yaml", "text"}


def blocks(path: Path) -> list[tuple[str, str]]:
    return [(kind, text) for _, kind, text in BLOCK.findall(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.stem)
def test_every_command_and_program_runs(full_python: Python, tmp_path: Path, path: Path) -> None:
    """In order, in a folder like a checkout. A program that begins with its file's name is kept there."""
    for name in ("examples", "tables", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    environment = clean_environment(
        CUDA_SHIM_QUIET="1",
        PATH=f"{full_python.executable.parent}{os.pathsep}{os.environ['PATH']}",
        PYTHONDONTWRITEBYTECODE="1",
        # Open MPI refuses to run as root, as containers do, and on fewer cores than ranks, unless its settings allow
        # that.
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",
        TMPDIR="/tmp",
    )
    left_out: list[str] = []
    for kind, text in blocks(path):
        if kind == "python" and (named := NAME.match(text)):
            (tmp_path / named[1]).write_text(text)
        elif kind == "sh" and "mpirun" in text and not os.environ.get("CI") and not shutil.which("mpirun"):
            left_out.append(text)
        elif kind in ("sh", "python"):
            command = (
                ["bash", "-euo", "pipefail", "-c", text] if kind == "sh" else [str(full_python.executable), "-c", text]
            )
            done = subprocess.run(
                command,
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                encoding="utf-8",
                timeout=4 * HANG,
                check=False,
            )
            assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
    if left_out:
        pytest.skip(f"mpirun is not installed (apt-get install openmpi-bin), the other blocks ran: {left_out}")


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.stem)
def test_blocks_are_of_a_kind_that_is_run_or_cannot_be(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert {kind for kind, _ in blocks(path)} <= KINDS
    assert 2 * len(blocks(path)) == len(re.findall(r"^ *```", text, re.MULTILINE))


def test_the_workflow_runs_the_commands_that_are_tested() -> None:
    ((_, workflow), *_), commands = (
        [block for block in blocks(ROOT / "docs" / "ci.md") if block[0] == kind] for kind in ("yaml", "sh")
    )
    steps = yaml.safe_load(workflow)["jobs"]["cpu"]["steps"]
    steps = [step["run"] for step in steps if "run" in step and "pip install" not in step["run"]]
    assert steps == [line for _, text in commands for line in text.splitlines()]


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.stem)
def test_links_lead_somewhere(path: Path) -> None:
    for target, heading in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", path.read_text(encoding="utf-8")):
        file = path.parent / target if target else path
        assert file.exists(), target
        if not heading:
            continue  # it may be a picture
        headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}
        assert heading in anchors, heading


def test_every_setting_is_described() -> None:
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    # As a whole word: the name of one setting begins those of all others.
    assert {item.variable for item in SETTINGS} <= set(re.findall(r"\w+", text))
    flags = [f"--{item.name.replace('_', '-')}" for item in SETTINGS if item.name != "mode"]
    assert [flag for flag in flags if f"`{flag}`" not in text] == []


def test_yaml_rows_are_those_of_the_tables() -> None:
    """Each row that is shown is in the tables, line for line."""
    tables = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tables").rglob("*.yaml"))
    for _, text in filter(lambda block: block[0] == "yaml", blocks(ROOT / "docs" / "adding-a-row.md")):
        assert all(line in tables for line in text.splitlines()), text


def test_words_of_troubleshooting_are_said_somewhere() -> None:
    """A message that is printed nowhere any more is no help."""
    table = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    messages = re.findall(r"^\| `([^`]*)`", table, re.MULTILINE)
    assert len(messages) > 8
    said = [*texts(), "No module named 'cuda'", "'cuda' is not a package"]  # two are Python's own
    for message in messages:
        pieces = [piece.strip(" :") for piece in message.split("…")]
        assert max(map(len, pieces)) > 8, message  # short words are found anywhere
        for piece in filter(None, pieces):
            assert any(piece in text for text in said), (message, piece)


def texts() -> list[str]:
    """The texts of the packages' code, docstrings left out, with … for inserted values in Python."""
    found = []
    for file in (ROOT / "cuda_shim").rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
                found.append("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in statements:
                found.append(node.value)
    for file in (ROOT / "hip_on_host/src").rglob("*.cpp"):
        found += re.findall(r'"((?:[^"\\\n]|\\.)*)"', file.read_text(encoding="utf-8"))
    return found
