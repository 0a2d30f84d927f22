"""cuRAND's device functions give cuRAND's numbers: those that NVIDIA's own header gave."""

from __future__ import annotations

from tests.interpreters import PACKAGE_ROOT


def test_they_are_curands(run_on_cpu):
    done = run_on_cpu("-m", "tests.kernels.random_numbers", cwd=PACKAGE_ROOT)
    assert done.stdout == "the same numbers\n", done.stderr
