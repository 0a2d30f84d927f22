"""The tables against the packages that they describe, and in the compiled form."""

from __future__ import annotations

import importlib
from pathlib import Path

from cuda_shim.binding.functions.docstring import documentation
from cuda_shim.mapping import check as check_module
from cuda_shim.mapping import store
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.rows import FunctionRow
from cuda_shim.scan.explanation import explanations
from tests import environments
from tests.interpreters import PACKAGE_ROOT, run_code, start


def check(python: environments.Python) -> str:
    done = start("-m", "cuda_shim", "tables", "check", python.executable, PYTHONPATH=str(PACKAGE_ROOT))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_name_of_nvidias_wheels_has_a_true_row(nvidia_python: tuple[str, environments.Python]) -> None:
    _, python = nvidia_python
    lines = check(python).splitlines()
    assert lines[0].startswith(f"hip-python is not installed in {python.executable}: ")
    assert lines[-1].startswith("0 differences from cuda-bindings")


def test_a_type_that_is_documented_otherwise_is_found_out() -> None:
    types = {"dstDevice": "CUdeviceptr", "uc": "bytes", "N": "unsigned int"}
    described = {"kind": "function", "arguments": ["dstDevice", "uc", "N"], "types": types}
    differences = check_module.against_bindings({"version": "13.5.0", "modules": {
        "driver": {"cuMemsetD8": described}, "runtime": {}, "nvrtc": {},
    }})  # fmt: skip
    assert [line for line in differences if "cuMemsetD8:" in line] == [
        "driver 13.5: cuMemsetD8: N is documented as unsigned int, the row says size_t"
    ]


def test_every_hip_target_exists_or_is_marked(shim_python: environments.Python) -> None:
    lines = check(shim_python).splitlines()
    assert lines[0].startswith(f"cuda-bindings is not installed in {shim_python.executable}: ")
    assert lines[-1].startswith("0 differences from hip-python")


def test_a_hip_python_that_lacks_everything_is_found_out() -> None:
    differences = list(check_module.against_hip_python({"generation": 10, "functions": [], "enums": {}}))
    assert len(differences) > 500
    assert "driver: cuInit: hip-python 10 has no function hipInit" in differences


def test_the_compiled_form_says_the_same(shim_python: environments.Python, tmp_path: Path) -> None:
    """The wheel's tables and those of the checkout, row by row."""
    program = tmp_path / "rows.py"
    program.write_text(ALL_ROWS, encoding="utf-8")
    in_checkout = run_code(ALL_ROWS)
    assert len(in_checkout.splitlines()) > 4000
    assert shim_python.run(program) == in_checkout


ALL_ROWS = """
from cuda_shim.mapping import LAYOUTS, store
for name in store.TABLES:
    table = store.load(name)
    for layout in LAYOUTS:
        for row in sorted(table.names(layout)):
            print(name, layout, table.row(row, layout))
    for kind in ("", "CUstream", "CUdeviceptr", "cudaEvent_t", "nvrtcProgram"):
        print(name, kind, table.ending(kind))
"""


def test_functions_that_end_an_object_are_known_by_its_kind() -> None:
    assert store.load("driver").ending("CUevent") == ("cuEventDestroy", "cuEventSynchronize")
    assert "cudaDeviceSynchronize" in store.load("runtime").ending("")
    assert store.load("nvrtc").ending("CUevent") == ()


def test_a_program_that_ends_loads_the_domains_of_its_objects(any_shim_python: environments.Python) -> None:
    code = """
import atexit, sys
atexit.register(lambda: print(sorted(name for name in sys.modules if name.startswith("cuda_shim._tables.driver_"))))
from cuda.bindings import driver
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
kept = driver.cuEventCreate(0)
"""
    loaded = any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", "-c", code)
    assert "cuda_shim._tables.driver_event" in loaded
    assert "cuda_shim._tables.driver_graph" not in loaded


def test_one_call_loads_what_it_needs(any_shim_python: environments.Python) -> None:
    """One domain of the tables, and no module of Python's that takes longer than all of ours."""
    code = """
import sys
import cuda.bindings.runtime
cuda.bindings.runtime.cudaGetDeviceCount()
print(sorted(name.rpartition(".")[2] for name in sys.modules if name.startswith("cuda_shim._tables.")))
print({"pathlib", "typing", "threading", "contextlib", "subprocess", "yaml"} & sys.modules.keys())
"""
    libraries = {"CUDA_SHIM": "1", "CUDA_SHIM_BACKEND": "cpu"}
    any_shim_python.run("-c", code, **libraries)  # builds the CPU runtime where that is still to be done
    output = any_shim_python.run("-c", code, **libraries)
    assert output == "['runtime', 'runtime_device', 'runtime_error']\nset()\n"


def test_every_adapter_that_a_row_names_exists() -> None:
    for name in store.TABLES:
        for row_name, bodies in store.load(name).rows.items():
            for body in bodies:
                for factory_name in (body.get("adapter"), body.get("provided")):
                    if factory_name is not None:
                        module, _, factory = factory_name.partition(".")
                        assert callable(getattr(importlib.import_module(f"cuda_shim.adapters.{module}"), factory)), (
                            row_name
                        )


def test_every_function_says_what_it_does() -> None:
    """In a sentence, with which the docstring and `explain` begin; an adapter adds the differences of HIP's call."""
    functions = [
        row
        for table in store.TABLES
        for name in store.load(table).rows
        for cuda in LAYOUTS
        if isinstance(row := store.load(table).row(name, cuda), FunctionRow)
    ]
    assert len(functions) > 2300
    assert [row.name for row in functions if not row.text.endswith(".") or len(row.text) < 12] == []
    assert [row.name for row in functions if row.text not in documentation(row)] == []
    adapters = {row.adapter for row in functions if row.adapter}
    factories = [getattr(importlib.import_module(f"cuda_shim.adapters.{name.partition('.')[0]}"), name.partition(".")[2])
                 for name in sorted(adapters)]  # fmt: skip
    assert [factory.__qualname__ for factory in factories if not factory.__doc__] == []


def test_a_docstring_and_explain_say_the_same() -> None:
    (explanation,) = explanations("cuMemAlloc")
    facts = dict(explanation.details)
    row = store.load("driver").row("cuMemAlloc", "13.5")
    assert isinstance(row, FunctionRow)
    assert facts["does"] == row.text == "Allocates device memory, its size in bytes."
    assert facts["how"] == "cuMemAlloc, cuMemAllocManaged: no bytes is an error, where HIP gives a null pointer."
    lines = documentation(row).splitlines()
    assert lines[2] == row.text
    assert lines[-1] == f"Served by hipMalloc, which differs. {facts['how']}"
