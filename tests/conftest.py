"""Fixtures for every folder of tests: environments with the shim installed, and with NVIDIA's wheels."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests import environments
from tests.interpreters import NO_FALLBACKS

# A machine under load is no fault of the code: nothing is held to a time, but for a test that hangs.
hypothesis.settings.register_profile("untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("untimed")


def pass_over(number: int, frame: object) -> None:
    """A signal that is ignored here, and is not where a program is started."""


def pytest_configure() -> None:
    """Set up the process and the programs that tests start.

    Faults in generated code are errors. Signals reach the programs: background jobs and nohup ignore some, which children
    would inherit.
    """
    os.environ.update(NO_FALLBACKS)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, pass_over)


#: Folders and files of tests that need neither a network nor a compiler, unless a fixture of theirs does.
QUICK = (
    "tests/hook/", "tests/mapping/", "tests/packages/test_page.py", "tests/scan/", "tests/translate/",
    "tests/binding/test_structs_packing.py", "tests/binding/test_structs_tables.py", "tests/ptx/test_countdown_loops.py",
    "tests/ptx/test_golden.py", "tests/ptx/test_induction.py", "tests/ptx/test_malformed.py", "tests/ptx/test_parsing.py",
    "tests/ptx/test_reroll.py", "tests/ptx/test_signatures.py", "tests/ptx/test_structurizer.py",
    "tests/session/test_layouts.py", "tests/session/test_settings.py",
    "tests/test_language.py", "tests/test_layers.py",
)  # fmt: skip
#: Fixtures that build the runtime, or environments from PyPI's packages.
SLOW_FIXTURES = {"cuda", "runtime_folder", "shared_folder"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the quick tests, and let tests that look at the files of all others run last."""
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)
    for item in items:
        slow = SLOW_FIXTURES.intersection(getattr(item, "fixturenames", ())) or item.get_closest_marker("slow")
        if item.path.relative_to(environments.ROOT).as_posix().startswith(QUICK) and not slow:
            item.add_marker("quick")


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all workers of a test run."""
    own = tmp_path_factory.getbasetemp()
    # Under xdist each worker has a folder inside the run's.
    return own.parent if own.name.startswith("popen-") else own


@pytest.fixture(scope="session", params=sorted(environments.HIP_PYTHON))
def shim_python(request: pytest.FixtureRequest, shared_folder: Path) -> environments.Python:
    """An interpreter with cuda_shim installed from its wheel, on each hip-python generation."""
    wheel = environments.as_in_the_readme(environments.build_wheel(shared_folder))
    folder = shared_folder / f"hip-{request.param}"
    return environments.make(folder, wheel, environments.HIP_PYTHON[request.param], "numpy")


@pytest.fixture(scope="session")
def any_shim_python(shared_folder: Path) -> environments.Python:
    """An interpreter with cuda_shim installed from its wheel, for tests that the generation does not matter to."""
    wheel = environments.as_in_the_readme(environments.build_wheel(shared_folder))
    newest = environments.newest(environments.HIP_PYTHON)
    return environments.make(shared_folder / f"hip-{newest}", wheel, environments.HIP_PYTHON[newest], "numpy")


@pytest.fixture(scope="session", params=sorted(environments.NVIDIA))
def nvidia_python(request: pytest.FixtureRequest, shared_folder: Path) -> tuple[str, environments.Python]:
    """A layout, and an interpreter with NVIDIA's own wheel of it."""
    return request.param, environments.nvidia(request.param, shared_folder)


@pytest.fixture(autouse=True)
def pythons_own_bytes_are_left_alone() -> Iterator[None]:
    """Python has one object for all bytes of one value: a call that fills such a buffer changes the interpreter."""
    before = _one_byte_objects()
    yield
    assert _one_byte_objects() == before, "a call wrote into Python's own one-byte objects"


def _one_byte_objects() -> list[int]:
    return [bytes([number])[0] for number in range(256)]
