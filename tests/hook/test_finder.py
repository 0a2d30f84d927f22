"""The finder: the names that it answers for, and Python's errors for the others."""

from __future__ import annotations

import importlib
import importlib.resources
import importlib.util
import re
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.interpreters import PACKAGE_ROOT, start

if TYPE_CHECKING:
    from tests.hook.conftest import Served


class OnlyIterable:
    """A ``path`` that importlib may hand over: iterable and nothing more."""

    def __iter__(self):
        return iter(())


def test_served_names_are_found(served: Served) -> None:
    for name in ("cuda.bindings", "cuda.bindings.driver", "cuda.cuda", "cuda.cudart"):
        assert importlib.import_module(name).__name__ == name
    assert served.opened == []


@pytest.mark.parametrize("name", ["numba_cuda", "cudf", "cudart", "cuda_shim", "xcuda.bindings", "cuda."])
def test_look_alikes_are_left_alone(served: Served, name: str) -> None:
    assert served.finder.find_spec(name, None) is None


def test_any_iterable_will_do_for_path(served: Served) -> None:
    assert served.finder.find_spec("cuda.bindings", OnlyIterable()) is not None
    assert served.finder.find_spec("cuda.nothing", OnlyIterable()) is None


def test_unknown_child_is_pythons_own_error_with_the_full_name(served: Served) -> None:
    for name in ("cuda.nothing", "cuda.bindings.nothing"):
        with pytest.raises(ModuleNotFoundError) as caught:
            importlib.import_module(name)
        assert str(caught.value) == f"No module named {name!r}"
        assert caught.value.name == name


def test_leaf_is_not_a_package(served: Served) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"'cuda\.bindings\.driver' is not a package"):
        importlib.import_module("cuda.bindings.driver.nothing")


def test_specs(served: Served) -> None:
    import cuda
    import cuda.bindings.driver as driver

    spec = driver.__spec__
    assert (spec.name, spec.origin) == ("cuda.bindings.driver", "cuda_shim:cuda.bindings.driver")
    assert spec.has_location is False
    assert not hasattr(driver, "__file__")
    assert not hasattr(driver, "__path__")
    assert driver.__package__ == "cuda.bindings"
    assert repr(driver) == "<module 'cuda.bindings.driver' (cuda_shim:cuda.bindings.driver)>"
    for package in (cuda, cuda.bindings):
        assert list(package.__path__) == []
        assert package.__spec__.loader.is_package(package.__name__)
    assert cuda.bindings.__version__ == "13.5.0"


def test_root_gives_way_to_an_installed_package(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Real portions of the namespace, such as cuda.core, keep working beside the served modules."""
    (tmp_path / "cuda" / "core").mkdir(parents=True)
    (tmp_path / "cuda" / "core" / "__init__.py").write_text("real = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    core = importlib.import_module("cuda.core")
    driver = importlib.import_module("cuda.bindings.driver")
    assert core.real
    assert served.finder.owns(driver)
    assert not served.finder.owns(sys.modules["cuda"])


def test_real_children_of_a_served_package_are_blocked(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real cuda.bindings.nvml beside HIP handles would be worse than none."""
    (tmp_path / "cuda" / "bindings").mkdir(parents=True)
    (tmp_path / "cuda" / "bindings" / "__init__.py").write_text("")
    (tmp_path / "cuda" / "bindings" / "nvml.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match=r"^cuda_shim does not serve cuda\.bindings\.nvml: "):
        importlib.import_module("cuda.bindings.nvml")


def test_a_module_that_is_not_served_says_so_and_what_to_do(served: Served) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"does not serve cuda\.bindings\.nvml: .* ask cuda") as caught:
        importlib.import_module("cuda.bindings.nvml")
    assert caught.value.name == "cuda.bindings.nvml"
    # Python overlooks a ModuleNotFoundError in this form, and reports "unknown location".
    with pytest.raises(ImportError, match=r"does not serve cuda\.bindings\.cufile: .* cudaMemcpy"):
        exec("from cuda.bindings import cufile")
    with pytest.raises(ImportError, match=r"does not serve cuda\.core: .* pip install cuda-core"):
        exec("from cuda.core import Device")


def test_who_only_asks_for_a_module_gets_pythons_answer(served: Served) -> None:
    import cuda.bindings

    assert importlib.util.find_spec("cuda.bindings.nvml") is None
    assert importlib.util.find_spec("cuda.core") is None
    assert not hasattr(cuda.bindings, "nvml")


def test_a_users_cuda_py_is_named_in_the_error(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "cuda.py"
    file.write_text("mine = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    for statement in ("import cuda.bindings.driver", "from cuda.bindings import driver"):
        with pytest.raises(ModuleNotFoundError) as caught:
            exec(statement)
        assert str(caught.value).endswith(f"'cuda' is not a package: {file} hides it; rename that file")
    with pytest.raises(ImportError, match=re.escape(str(file))):  # in Python's own words
        exec("from cuda import cudart")


def test_a_users_cuda_py_is_reported_once_by_name(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "cuda.py"
    file.write_text("mine = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert importlib.import_module("cuda").mine == 1
    with pytest.raises(ModuleNotFoundError, match="'cuda' is not a package"):
        importlib.import_module("cuda.bindings")
    importlib.reload(sys.modules["cuda"])
    assert served.shadowed == [str(file)]


def test_loader_protocol(served: Served) -> None:
    """runpy, inspect and importlib.resources ask loaders for these."""
    for name in ("cuda", "cuda.bindings", "cuda.bindings.driver"):
        spec = importlib.util.find_spec(name)
        assert spec is not None
        loader: Any = spec.loader
        assert loader.get_code(name) is None
        assert loader.get_source(name) is None
    assert list(importlib.resources.files("cuda.bindings").iterdir()) == []


def test_no_import_warning(served: Served) -> None:
    """A finder or loader of the old protocol draws ImportWarning, and stopped working in Python 3.12."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        importlib.import_module("cuda.bindings.runtime")
    for old in ("find_module", "find_loader"):
        assert not hasattr(served.finder, old)


def test_order_of_lookups_does_not_matter(served: Served) -> None:
    """Lazy imports (PEP 810) may look a child up at any time."""
    assert served.finder.find_spec("cuda.bindings.driver") is not None
    assert "cuda" not in sys.modules
    assert importlib.import_module("cuda.bindings.driver").__name__ == "cuda.bindings.driver"


IN_ANOTHER = """
import cuda_shim
assert not cuda_shim.is_enabled()
with cuda_shim.enable(cuda="12"):
    import cuda.bindings.driver
    assert cuda.bindings.__version__.startswith("12.9")
print("done")
"""


def test_in_a_subinterpreter() -> None:
    """Each interpreter has its own sys.meta_path; nothing of ours is shared between them.

    -S: a subinterpreter runs site as a child process does, and the start-up file of an installed cuda_shim would
    activate it there.
    """
    pytest.importorskip("_xxsubinterpreters")  # the name up to Python 3.12
    code = f"""
import _xxsubinterpreters as interpreters, cuda_shim
with cuda_shim.enable(cuda="13"):
    import cuda.bindings.driver
    interpreters.run_string(interpreters.create(), {IN_ANOTHER!r})
    assert cuda.bindings.__version__.startswith("13.5")
"""
    done = start("-S", "-c", code, PYTHONPATH=str(PACKAGE_ROOT))
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_works_when_module_globals_are_gone(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Imports still run while the interpreter shuts down."""
    from cuda_shim.hook import finder

    monkeypatch.setattr(finder, "PathFinder", None)
    monkeypatch.setattr(finder, "sys", None)
    assert served.finder.find_spec("cuda") is not None
    assert served.finder.find_spec("os") is None
