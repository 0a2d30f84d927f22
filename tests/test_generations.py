"""The tests that run in this process, once more under the other hip-python generation.

pytest itself runs on the newest hip-python. Generated and adapted calls differ by generation, so the tests of single
calls are run by a second pytest in an environment with 7.2.2.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import environments
from tests.interpreters import PACKAGE_ROOT

AGAIN = (
    "tests/adapters", "tests/binding/test_argument_checks.py", "tests/binding/test_kernel_parameters.py",
    "tests/binding/test_structs_hip.py",
)  # fmt: skip
NEEDED = (
    "pytest", "pytest-timeout", "pytest-xdist", "hypothesis", "numpy", "filelock", "rich", "PyYAML", "uv", "backports.zstd",
)  # fmt: skip


@pytest.mark.timeout(1800)
def test_single_calls_on_hip_python_7(shared_folder: Path) -> None:
    old = environments.HIP_PYTHON["7.2.2"]
    python = environments.make(shared_folder / "generation-7", old, *NEEDED)
    # These make environments of both generations themselves.
    left_out = (
        "--deselect=tests/adapters/test_callback.py::test_a_wait_lets_the_function_run",
        "--ignore=tests/adapters/test_interpreter_lock.py",
        # tests/conformance/test_rocm.py has the calls that the older release refuses.
        "--ignore=tests/adapters/test_on_rocm.py",
    )
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", *left_out, *AGAIN)
    done = python.start_for(1500, *words, cwd=PACKAGE_ROOT)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
