"""A function that the installed HIP lacks raises nothing out of a call, and calls that can do without it work.

Each function that the usual way of a program asks for is taken away once, as an older ROCm would lack it.
"""

import json

import pytest

from cuda_shim.backends import hip_python, releases
from cuda_shim.backends.releases import came_with
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.rows import FunctionRow
from cuda_shim.mapping.store import load
from tests.interpreters import PACKAGE_ROOT, start

#: Functions that nothing replaces: HIP's libraries came with 7.2, and modules are there before.
LIBRARIES = {"hipLibraryGetKernel", "hipLibraryGetKernelCount", "hipLibraryLoadData", "hipLibraryUnload"}

pytestmark = pytest.mark.xdist_group("missing functions")  # one worker runs the flows


def flow(*names):
    done = start("-m", "tests.adapters.standard_flow", *names, cwd=PACKAGE_ROOT, PYTHONPATH=str(PACKAGE_ROOT))
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def outcomes():
    (names,) = flow()
    parts = [names[begin : begin + 6] for begin in range(0, len(names), 6)]  # each within the time that a process has
    return {outcome["name"]: outcome for part in parts for outcome in flow(*part)}


def test_nothing_is_raised(outcomes):
    assert len(outcomes) > 30
    assert {name: outcome["raised"] for name, outcome in outcomes.items() if outcome["raised"]} == {}


def test_newer_functions_have_another_way(outcomes):
    """No function that is newer than HIP 6 is needed, except those of libraries."""
    failed = {name: outcome["failed"] for name, outcome in outcomes.items() if came_with(name) and outcome["failed"]}
    assert {"hipLibraryGetKernel", "hipLibraryLoadData"} <= set(failed) <= LIBRARIES, failed
    assert all(call.endswith("NOT_SUPPORTED") for calls in failed.values() for call in calls), failed


def test_what_has_no_other_way_is_a_status(outcomes):
    for name in ("hipModuleLaunchKernel", "hiprtcCompileProgram", "hipMalloc"):
        assert outcomes[name]["failed"], name


@pytest.mark.parametrize("table", ["driver", "runtime"])
def test_each_function_that_an_older_hip_python_lacks_has_its_release(table):
    known = load(table)
    rows = [known.row(name, layout) for layout in LAYOUTS for name in known.names(layout)]
    newer = {row.hip for row in rows if isinstance(row, FunctionRow) and row.hip and row.hip_python == (10,)}
    unknown = {name for name in newer if not came_with(name)}
    assert len(newer) > 5
    assert unknown == set(), "backends/releases.py does not say which release of HIP has them"


def test_releases_are_of_functions_that_there_are(cuda):
    """No name is misspelt: HIP's newest binding, or a row, has each."""
    hip = hip_python.load()
    if hip.generation < 10:
        pytest.skip("hip-python 7 lacks newer functions")
    named = {name for release, names in releases._FUNCTIONS.items() if release != "10.1" for name in names}
    assert {name for name in named if not hasattr(hip.hip, name)} == set()
