"""Products of matrices of doubles, of 4 bits and of single bits: the forms that ptxas takes, and numpy's numbers."""

from __future__ import annotations

import pytest

from tests.interpreters import PACKAGE_ROOT
from tests.kernels import compilers
from tests.kernels.product_forms import FORMS, WMMA, WMMA_FORMS, source

NEWEST = max(compilers.WHEELS.values())


@pytest.mark.skipif(NEWEST not in compilers.nvrtc(), reason="NVRTC is not installed")
def test_they_are_nvidias_forms():
    compiler = compilers.nvrtc()[NEWEST]
    folders = [f"-I{folder}".encode() for folder in compilers.toolkit_folders(NEWEST)]
    for form in FORMS:
        done = compiler.compile(source(form).encode(), b"form.cu", [b"-arch=sm_90"])
        assert done.status == 0, (form.name, done.log)
    for name, wmma in WMMA_FORMS.items():
        done = compiler.compile((WMMA % wmma).encode(), b"form.cu", [b"-arch=sm_80", *folders])
        assert done.status == 0 or not folders, (name, done.log)


def test_they_multiply(run_on_cpu):
    done = run_on_cpu("-m", "tests.kernels.products_worker", cwd=PACKAGE_ROOT, PYTHONPATH=str(PACKAGE_ROOT))
    assert done.stdout.split("\n")[:-1] == [*(form.name for form in FORMS), *WMMA_FORMS], done.stderr
