"""Two virtual environments: one with the start-up files, one where ``run`` must do without them."""

from __future__ import annotations

import pytest

from tests.interpreters import Environment


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """As after pip install."""
    made = Environment(tmp_path_factory.mktemp("installed") / "venv")
    made.install_startup_files()
    return made


@pytest.fixture(scope="session")
def uninstalled(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The package is importable (a source checkout, --target, a zip file), the start-up file is not there."""
    return Environment(tmp_path_factory.mktemp("uninstalled") / "venv")


@pytest.fixture(params=["start-up file", "sitecustomize"])
def environment(request: pytest.FixtureRequest) -> Environment:
    """Each of the two ways in which ``run`` makes the shim active."""
    name = "installed" if request.param == "start-up file" else "uninstalled"
    made: Environment = request.getfixturevalue(name)
    return made
