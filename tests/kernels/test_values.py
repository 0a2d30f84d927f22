"""Functions of numbers have the values that an NVIDIA GPU has: on an H100, with NVRTC 13.0."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.interpreters import PACKAGE_ROOT
from tests.kernels import compilers, values
from tests.kernels.value_differences import differences

RECORDED = Path(values.__file__).with_name("values.npz")


def test_they_are_as_recorded(run_on_cpu, host_compiler):
    """GCC has no option for casts of numbers that an integer has no room for."""
    words = ["-m", "tests.kernels.values", "compare", RECORDED, *(["without-casts"] if host_compiler == "g++" else [])]
    done = run_on_cpu(*words, cwd=PACKAGE_ROOT, PYTHONPATH=str(PACKAGE_ROOT))
    count = len(values.functions()) - (len(values.CASTS) if host_compiler == "g++" else 0)
    assert done.stdout.splitlines() == [f"{count} functions, 0 differ"], done.stdout + done.stderr


def test_the_list_is_of_nvidias_headers():
    folders = [Path(folder) for folder in compilers.toolkit_folders(max(compilers.WHEELS.values()))]
    texts = [folder / header for header in values.HEADERS for folder in folders if (folder / header).exists()]
    if not any(text.name == "math_functions.h" for text in texts):
        pytest.skip("the wheels nvidia-cuda-runtime and nvidia-cuda-crt are not installed")
    found = {str(function) for text in texts for function in values.declared(text.read_text(encoding="utf-8"))}
    assert found == set(values.LISTED.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("float sinpif(float)", np.float32(1.2e-16)),
        ("double erfinv(double)", 0.0),
        ("float __fadd_rz(float, float)", np.float32(1.0000001)),
        ("int __double2int_rn(double)", 0),
    ],
)
def test_a_wrong_value_is_found(line, wrong):
    function = next(function for function in values.functions() if str(function) == line)
    recorded, given = np.load(RECORDED)[line], values.inputs(function)
    assert differences(function, given, recorded, recorded) == ""
    for place in np.nonzero(recorded != wrong)[0][:5]:
        changed = recorded.copy()
        changed[place] = wrong
        assert differences(function, given, recorded, changed).startswith("1 of ")
