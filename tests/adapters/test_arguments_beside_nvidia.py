"""Every function with one wrong argument at a time, beside NVIDIA's wheels: the same errors with the same texts.

NVIDIA's wheels convert arguments without a driver, so no GPU is needed; a call that gets as far as the driver there
must get as far as HIP here.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cuda_shim.binding.catalogue import Catalogue
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import EnumRow, FunctionRow, Parameter, StructRow
from tests import environments
from tests.binding import beside
from tests.interpreters import PACKAGE_ROOT, start

PROBE = Path(__file__).with_name("arguments_probe.py")
MODULES = {name: f"cuda.bindings.{name}" for name in ("driver", "runtime")}

# These destroy the context that the calls after them need.
LEFT_OUT = {"cudaDeviceReset", "cudaThreadExit", "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxReset"}

DELIBERATE: beside.Deliberate = [
    (r"\(enum\) = .*AttributeError: .*has no attribute 'value'", "", "numbers are taken where CUDA Python 11 reads a value"),
    (r"<class 'NoneType'>|Tuple\[", r"expected Type None|tuple\[", "worded as in CUDA Python 12"),
    (r"= (-1|2\*\*70): OverflowError", "TypeError: Provided argument", "not an address, as in CUDA Python 12"),
    ("^cuCtxCreate", "^cuCtxCreate", "the newer forms take the arguments of the older one"),
    ("enum __pyx_t_.*GLDeviceList", "GLDeviceList", "a name of Cython's, of no type in C"),
    ("ProfilerInitialize", "called", "of what starts no profiler nothing is read"),
]  # fmt: skip
if sys.version_info < (3, 12):
    DELIBERATE.append(
        (
            r"\(enum\) = -1: (called|AttributeError)",
            "OverflowError: value too large",
            "no constant, as CUDA Python says from Python 3.12 on",
        )
    )


def kind_of(parameter: Parameter, table: str, catalogue: Catalogue) -> tuple[str, str]:
    """Return the kind of argument that a parameter takes, and its class."""
    base, suffix = parameter.base, parameter.suffix
    row = None if base in C_INTEGERS else catalogue.base_row(base, table)[1]
    if suffix.endswith("[]"):
        return "list", base
    if suffix:
        return ("bytes", "") if base == "char" else ("struct*" if isinstance(row, StructRow) else "number", base)
    if isinstance(row, EnumRow):
        return "enum", base
    if parameter.mode == "inout" and row is not None:
        return "struct*", base
    return ("struct", base) if isinstance(row, StructRow) else ("number", base)


def calls(layout: str) -> list[Any]:
    """The functions of a layout, those that HIP cannot serve included."""
    catalogue, found = Catalogue(layout, MODULES), []
    for table in MODULES:
        for name in sorted(store.load(table).names(layout)):
            row = catalogue.row(table, name)
            if isinstance(row, FunctionRow) and name not in LEFT_OUT:
                found.append([table, name, [(p.name, *kind_of(p, table, catalogue)) for p in row.inputs]])
    return found


Pairs = Callable[[str], list[tuple[str, str]]]


@pytest.fixture(scope="module")
def pairs(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Pairs:
    """Give the lines of NVIDIA's wheel and ours for a layout."""

    @functools.cache
    def of(layout: str) -> list[tuple[str, str]]:
        nvidia = environments.nvidia(layout, shared_folder)
        listed = tmp_path_factory.mktemp("calls") / "calls.json"
        listed.write_text(json.dumps(calls(layout)))
        theirs = nvidia.run(PROBE, CUDA_CALLS=str(listed)).splitlines()
        done = start(PROBE, layout, PYTHONPATH=str(PACKAGE_ROOT), CUDA_CALLS=str(listed), CUDA_SHIM_QUIET="1")
        assert done.returncode == 0, done.stdout[-300:] + done.stderr[-2000:]
        return list(zip(theirs, done.stdout.splitlines(), strict=True))

    return of


@pytest.mark.parametrize("layout", sorted(environments.NVIDIA))
def test_wrong_arguments(layout: str, pairs: Pairs) -> None:
    assert len(pairs(layout)) > 10_000
    beside.check(pairs(layout), DELIBERATE)


def test_each_deliberate_difference_is_still_met(pairs: Pairs) -> None:
    differing = [pair for layout in environments.NVIDIA for pair in pairs(layout) if pair[0] != pair[1]]
    met = {why for theirs, ours in differing for why in beside.reasons(theirs, ours, DELIBERATE)}
    assert met == {why for *_, why in DELIBERATE}
