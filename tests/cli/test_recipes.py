"""The recipe for people who cannot install the start-up file: a sitecustomize of their own (docs/settings.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.environments import ROOT
from tests.interpreters import Environment

ACTIVE = "import cuda_shim, sys; print(cuda_shim.is_enabled(), 'cuda_shim.session' in sys.modules)"


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """The folder with the file as the page has it."""
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```python\n# sitecustomize\.py\n(.*?)```", page, re.DOTALL)
    (tmp_path / "sitecustomize.py").write_text(text)
    return tmp_path


def test_it_activates_when_it_is_asked_to(uninstalled: Environment, recipe: Path) -> None:
    path = {"PYTHONPATH": str(recipe)}
    assert uninstalled.start("-c", ACTIVE, CUDA_SHIM="1").stdout == "False True\n"
    assert uninstalled.start("-c", ACTIVE, CUDA_SHIM="1", **path).stdout == "True True\n"
    assert uninstalled.start("-c", ACTIVE, **path).stdout == "False True\n"


def test_it_costs_no_import_when_it_is_off(uninstalled: Environment, recipe: Path) -> None:
    code = "import sys; print(sorted(name for name in sys.modules if name.startswith('cuda')))"
    said = uninstalled.start("-c", code, PYTHONPATH=str(recipe)).stdout
    assert said == "['cuda_shim', 'cuda_shim.startup']\n"


def test_run_chains_to_it(uninstalled: Environment, recipe: Path) -> None:
    done = uninstalled.start("-m", "cuda_shim", "run", "-c", ACTIVE, PYTHONPATH=str(recipe))
    assert (done.stdout, done.stderr) == ("True True\n", "")
