"""Every C function is there, can be called with nothing in its arguments, and answers as the Python function does."""

from __future__ import annotations

import subprocess
import sys

import pytest

from cuda_shim.binding import objects_of
from cuda_shim.c_level.interface import functions, signatures
from cuda_shim.mapping.layouts import LAYOUTS
from tests.environments import ROOT
from tests.interpreters import clean_environment

#: The number of called functions, and of those compared with the Python function, where null is null there too.
CALLED = {"11.8": (675, 395), "12.9": (804, 453), "13.5": (897, 496)}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_answers_as_the_python_function(layout: str) -> None:
    environment = clean_environment(CUDA_SHIM_QUIET="1", CUDA_SHIM_LOG="off", PYTHONPATH=str(ROOT))
    command = [sys.executable, "-m", "tests.c_level.every_function", layout]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    *wrong, counted = done.stdout.splitlines()
    assert wrong == []
    _, called, _, compared = counted.split()
    assert (int(called), int(compared)) >= CALLED[layout]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_recorded_function_has_a_symbol(layout: str) -> None:
    symbols = {symbol for function in functions(layout) for symbol in (function.symbol, *function.aliases)}
    for table in ("driver", "runtime", "nvrtc"):
        assert set(signatures(table, layout)) - symbols == set()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_have_the_parameters_of_the_recorded_signatures(layout: str) -> None:
    """By number: the row has the type of each, the signature the type that it points to."""
    for function in functions(layout):
        row = function.row
        if row is None or function.layout != layout:
            continue
        own = [parameter for parameter in row.parameters if parameter.mode != "spare"]
        # Sizes that Python takes from the object that it is given.
        more = 1 if "CoredumpGet" in function.name or "CoredumpSet" in function.name else 0
        assert len(own) + more == len(function.arguments), function.name
        assert objects_of(layout).scope(function.table) is not None
