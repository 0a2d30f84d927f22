"""The tables against the packages that they speak of, and in the compiled form."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from cuda_shim.mapping import check as check_module
from cuda_shim.mapping import compiler, store
from cuda_shim.mapping.layouts import LAYOUTS
from tests import environments
from tests.interpreters import PACKAGE_ROOT, start


def check(python: environments.Python) -> str:
    done = start("-m", "cuda_shim", "tables", "check", python.executable, PYTHONPATH=str(PACKAGE_ROOT))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_name_of_nvidias_wheels_has_a_true_row(nvidia_python: tuple[str, environments.Python]) -> None:
    _, python = nvidia_python
    assert check(python).splitlines()[-1].startswith("0 differences from cuda-bindings")


def test_every_hip_target_exists_or_is_marked(shim_python: environments.Python) -> None:
    assert check(shim_python).splitlines()[-1].startswith("0 differences from hip-python")


def test_a_hip_python_that_lacks_everything_is_found_out() -> None:
    found = list(check_module.against_hip_python({"generation": "10", "functions": [], "enums": {}}))
    assert len(found) > 500
    assert "driver: cuInit: hip-python 10 has no function hipInit" in found


def test_the_compiled_form_says_the_same(tmp_path: Path) -> None:
    compiler.compile_tables(store.source_folder(), tmp_path / "_compiled")
    sys.path.insert(0, str(tmp_path))
    try:
        for name in store.TABLES:
            rows = __import__(f"_compiled.{name}", fromlist=["ROWS"]).ROWS
            source = store.load(name)
            compiled = store.Table(name, rows)
            for layout in LAYOUTS:
                assert compiled.names(layout) == source.names(layout)
                for row_name in source.names(layout):
                    assert compiled.row(row_name, layout) == source.row(row_name, layout)
    finally:
        sys.path.remove(str(tmp_path))


def test_every_adapter_that_a_row_names_exists() -> None:
    for name in store.TABLES:
        for row_name, bodies in store.load(name).rows.items():
            for body in bodies:
                for named in (body.get("adapter"), body.get("provided")):
                    if named is not None:
                        module, _, factory = named.partition(".")
                        assert callable(getattr(importlib.import_module(f"cuda_shim.adapters.{module}"), factory)), (
                            row_name
                        )
