"""The served modules: names come on use, once, and stay out of the way of tools."""

from __future__ import annotations

import copy
import doctest
import importlib
import inspect
import pickle
import threading
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from cuda_shim.hook.proxy import materialize

if TYPE_CHECKING:
    from tests.hook.conftest import Served


@pytest.fixture
def driver(served: Served) -> ModuleType:
    return importlib.import_module("cuda.bindings.driver")


def test_first_use_publishes(served: Served, driver: ModuleType) -> None:
    assert "cuInit" not in vars(driver)
    first = driver.cuInit
    assert driver.cuInit is first
    assert vars(driver)["cuInit"] is first
    assert served.binders["cuda.bindings.driver"].resolved == ["cuInit"]


def test_from_import(served: Served) -> None:
    from cuda.bindings.driver import CUresult, cuInit

    assert (CUresult, cuInit) == (["CUresult"], ["cuInit"])


def test_import_star(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    binder = served.open_module("cuda.bindings.driver")
    monkeypatch.setattr(binder, "names", lambda: frozenset({"cuInit", "CUresult"}))
    namespace: dict[str, object] = {}
    exec("from cuda.bindings.driver import *", namespace)
    assert namespace["cuInit"] == ["cuInit"]
    assert namespace["CUresult"] == ["CUresult"]


def test_unknown_name(driver: ModuleType) -> None:
    with pytest.raises(AttributeError) as caught:
        _ = driver.cuInt
    assert str(caught.value) == "module 'cuda.bindings.driver' has no attribute 'cuInt'"
    assert (caught.value.name, caught.value.obj) == ("cuInt", driver)
    with pytest.raises(ImportError) as missing:
        exec("from cuda.bindings.driver import cuInt")
    assert str(missing.value) == "cannot import name 'cuInt' from 'cuda.bindings.driver' (unknown location)"
    assert not hasattr(driver, "cuInt")


def test_a_fault_of_the_binder_is_not_an_unknown_name(driver: ModuleType) -> None:
    with pytest.raises(KeyError, match="a fault inside the binder"):
        _ = driver.cuBroken


def test_dunders_open_nothing(served: Served, driver: ModuleType) -> None:
    """inspect and doctest ask every loaded module for such names."""
    for name in ("__file__", "__path__", "__wrapped__", "__version__", "__bases__"):
        assert not hasattr(driver, name)
    inspect.getmodule(driver)
    inspect.unwrap(driver)  # type: ignore[arg-type]
    assert doctest.DocTestFinder().find(driver, "driver") is not None
    with pytest.raises(TypeError):
        inspect.getfile(driver)
    assert served.opened == []


def test_dir(driver: ModuleType) -> None:
    driver.extra = 1  # type: ignore[attr-defined]
    assert {"cuInit", "CUresult", "extra", "__name__"} <= set(dir(driver))
    assert driver.__all__ == ["CUresult", "cuBroken", "cuInit", "cudaError_t"]


def test_reload_is_the_same_module_with_fresh_names(driver: ModuleType) -> None:
    driver.mine = 1  # type: ignore[attr-defined]
    old = driver.cuInit
    assert importlib.reload(driver) is driver
    assert driver.cuInit is not old
    assert driver.mine == 1


def test_threads_see_one_object(served: Served, driver: ModuleType) -> None:
    barrier = threading.Barrier(16)
    seen: list[object] = []

    def ask() -> None:
        barrier.wait()
        seen.append(driver.cuInit)

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 16
    assert len({id(value) for value in seen}) == 1


def test_materialize(driver: ModuleType, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    binder = served.open_module(driver.__name__)
    monkeypatch.setattr(binder, "names", lambda: frozenset({"cuInit", "CUresult"}))
    assert materialize(driver) is driver
    assert {"cuInit", "CUresult"} <= set(vars(driver))
    with pytest.raises(TypeError, match="not a module that cuda_shim serves"):
        materialize(pytest)


def test_modules_travel_by_name(driver: ModuleType) -> None:
    """A function sent to a worker may refer to the module."""
    assert pickle.loads(pickle.dumps(driver)) is driver
    assert copy.deepcopy(driver) is driver


def test_monkeypatching(driver: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    original = driver.cuInit
    with monkeypatch.context() as patch:
        patch.setattr(driver, "cuInit", "patched")
        assert driver.cuInit == "patched"
    assert driver.cuInit is original
    del driver.cuInit
    assert driver.cuInit == ["cuInit"]


@pytest.mark.parametrize("name", ["cuda.bindings.runtime", "cuda.cudart"])
def test_hallucination_switch_reaches_the_binder(served: Served, name: str) -> None:
    module = importlib.import_module(name)
    assert module.HIP_PYTHON_cudaError_t_HALLUCINATE is False
    module.HIP_PYTHON_cudaError_t_HALLUCINATE = True  # type: ignore[attr-defined]
    assert served.binders[name].switches == {"cudaError_t": True}
    assert module.HIP_PYTHON_cudaError_t_HALLUCINATE is True
    served.binders[name].switches["cudaError_t"] = False
    assert module.HIP_PYTHON_cudaError_t_HALLUCINATE is False, "the switch is read live"


def test_hallucination_switch_of_no_enum(driver: ModuleType) -> None:
    with pytest.raises(AttributeError, match="HIP_PYTHON_nothing_HALLUCINATE"):
        driver.HIP_PYTHON_nothing_HALLUCINATE = True  # type: ignore[attr-defined]


def test_detecting_hip_with_in(served: Served) -> None:
    from cuda import cuda, cudart

    for module in (cuda, cudart):
        assert "HIP_PYTHON" in module
        assert "cuInit" in module
        assert "cuInt" not in module
    bindings = importlib.import_module("cuda.bindings.driver")
    with pytest.raises(TypeError, match=r"not (a container or )?iterable"):
        "HIP_PYTHON" in bindings  # type: ignore[attr-defined]  # noqa: B015  as with any module


def test_package(served: Served) -> None:
    """cuda.bindings carries the version and the mark that programs look for, and loads utils on use."""
    import cuda.bindings as bindings

    assert bindings.HIP_PYTHON is True
    assert not hasattr(bindings, "driver"), "a submodule appears once it is imported, as with NVIDIA's"
    assert bindings.utils.__name__ == "cuda.bindings.utils"
    import cuda.bindings.driver

    assert bindings.driver is cuda.bindings.driver
    importlib.reload(bindings)
    assert bindings.driver is cuda.bindings.driver
    with pytest.raises(AttributeError, match=r"module 'cuda\.bindings' has no attribute 'nothing'"):
        _ = bindings.nothing
