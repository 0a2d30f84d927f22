"""Requirements of compiled packages beside functions: the current context, classes that are one, logs of links."""

from __future__ import annotations

from tests.c_level.test_by_name import run
from tests.program_files import read_program


def test_no_context_is_current_before_one_is_made_so() -> None:
    code = read_program(__file__, "what_it_showed_no_context.py")
    assert run(code) == "right\n"


def test_legacy_modules_share_the_classes_that_mean_the_same() -> None:
    code = """
import cuda.cuda, cuda.cudart
from cuda.bindings import driver, runtime
print(cuda.cuda.CUresult is driver.CUresult, cuda.cudart.cudaError_t is runtime.cudaError_t)
print(cuda.cuda.CUstream is driver.CUstream, cuda.cuda.CUdevice_attribute is driver.CUdevice_attribute)
"""
    assert run(code, "--cuda", "13.5") == "True True\nTrue False\n"


def test_logs_of_links_are_written_where_c_says() -> None:
    code = read_program(__file__, "what_it_showed_link_logs.py")
    assert run(code) == "True True 0\n"


def test_attributes_of_a_launch_are_looked_at_in_c_too() -> None:
    code = read_program(__file__, "what_it_showed_launch_attributes.py")
    assert run(code) == "PROGRAMMATIC_EVENT 801 801\nPRIORITY 0 0\nCOOPERATIVE 0 0\n1\n"
