"""Every function that HIP cannot serve: CUDA's not-supported status in the right shape, and a reason in the log."""

from __future__ import annotations

import logging
from typing import Any

import pytest

import cuda_shim
from cuda_shim.binding.catalogue import Catalogue
from cuda_shim.errors import UnsupportedAPI
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import EnumRow, FunctionRow, Parameter, StructRow

MODULES = {name: f"cuda.bindings.{name}" for name in ("driver", "runtime")}
LAYOUTS = ("11.8", "12.9", "13.5")
NOT_SUPPORTED = {"CUresult": "CUDA_ERROR_NOT_SUPPORTED", "cudaError_t": "cudaErrorNotSupported"}


def argument(parameter: Parameter, table: str, catalogue: Catalogue) -> Any:
    """A value that a parameter takes."""
    if parameter.suffix:
        return [] if parameter.suffix.endswith("[]") else b"" if parameter.base == "char" else None
    row = catalogue.base_row(parameter.base, table)[1]
    if not isinstance(row, (EnumRow, StructRow)) and (row is None or parameter.mode == "in"):
        return 0
    home = catalogue.home(parameter.base, table)
    assert home is not None
    cls: Any = catalogue.object(home, parameter.base)
    return next(iter(cls)) if isinstance(row, EnumRow) else cls()


def calls(layout: str) -> list[tuple[FunctionRow, Any, list[Any]]]:
    """The functions of a layout that nothing serves, with arguments that they take.

    The functions are built again, since those of the modules may have logged the reason already. A context is current:
    without one, CUDA has other answers.
    """
    catalogue, found = Catalogue(layout, MODULES), []
    assert int(catalogue.object("runtime", "cudaFree")(0)[0]) == 0
    for table in MODULES:
        for function in sorted(store.load(table).names(layout)):
            row = catalogue.row(table, function)
            if isinstance(row, FunctionRow) and row.unsupported:
                arguments = [argument(parameter, table, catalogue) for parameter in row.inputs]
                found.append((row, catalogue.object(table, function), arguments))
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_answer_has_the_right_shape_and_a_reason(layout: str, caplog: pytest.LogCaptureFixture) -> None:
    with cuda_shim.enable(backend="cpu", cuda=layout), caplog.at_level(logging.WARNING):
        unsupported = calls(layout)
        assert len(unsupported) >= 70
        for row, function, arguments in unsupported:
            caplog.clear()
            status, *outputs = function(*arguments)
            assert status.name == (row.status or NOT_SUPPORTED[type(status).__name__]), row.name
            assert len(outputs) == len(row.outputs), row.name
            assert layout == "11.8" or set(outputs) <= {None}, row.name
            assert f"{row.name} is not supported: {row.unsupported}" in caplog.text
            caplog.clear()
            function(*arguments)
            assert row.name not in caplog.text  # the warning is logged once


def test_strict_programs_end_at_such_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_SHIM_STRICT", "1")
    with cuda_shim.enable(backend="cpu", cuda="13.5"):
        for row, function, arguments in calls("13.5"):
            with pytest.raises(UnsupportedAPI, match=row.name):
                function(*arguments)
