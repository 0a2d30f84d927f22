"""Settings: one precedence, canonical values, and refusals that say what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.errors import SettingError


@pytest.fixture(autouse=True)
def _no_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "_arguments", {})


def test_precedence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_SHIM_BACKEND", raising=False)
    assert (settings.resolve("backend").value, settings.resolve("backend").source) == ("auto", "default")
    monkeypatch.setenv("CUDA_SHIM_BACKEND", "cpu")
    assert (settings.resolve("backend").value, settings.resolve("backend").source) == ("cpu", "environment")
    settings.use({"backend": "rocm"})
    assert (settings.resolve("backend").value, settings.resolve("backend").source) == ("rocm", "argument")
    assert settings.resolve("backend", "auto").value == "auto"
    settings.use({})
    assert settings.text("backend") == "cpu"


@pytest.mark.parametrize(
    ("name", "given", "canonical"),
    [
        ("backend", " CPU ", "cpu"),
        ("cuda", "13.X", "13.5"), ("cuda", "12", "12.9"), ("cuda", "11.8", "11.8"),
        ("strict", "Yes", "1"), ("strict", "N", "0"), ("strict", True, "1"), ("strict", False, "0"),
        ("cpu_devices", "04", "4"),
        ("cpu_cxx", " python -m ziglang c++ ", "python -m ziglang c++"),
    ],
)  # fmt: skip
def test_canonical_values(name: str, given: object, canonical: str) -> None:
    assert settings.resolve(name, given).value == canonical


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("backend", "gpu"), ("backend", "cuda"), ("cuda", "12.4"), ("cuda", "14"), ("cuda", "latest"),
        ("strict", "on"), ("strict", "2"), ("strict", 2), ("cpu_devices", "0"), ("cpu_devices", "-1"),
        ("cpu_devices", "two"), ("cpu_devices", "1.5"), ("cpu_warp_size", "16"), ("mode", "maybe"),
    ],
)  # fmt: skip
def test_refusals_name_the_variable_and_what_is_allowed(name: str, given: object) -> None:
    item = settings.setting(name)
    with pytest.raises(SettingError) as caught:
        settings.resolve(name, environ={item.variable: str(given)})
    assert str(caught.value) == f"{item.variable}={given} is not allowed; use {item.allowed}"
    with pytest.raises(SettingError, match=f"^{name}="):
        settings.resolve(name, given)


@pytest.mark.parametrize("empty", ["", "  "])
def test_empty_variable_counts_as_unset(empty: str) -> None:
    assert settings.resolve("backend", environ={"CUDA_SHIM_BACKEND": empty}).source == "default"


def test_unknown_setting() -> None:
    with pytest.raises(SettingError, match="there is no setting 'colour'; the settings are mode, backend"):
        settings.resolve("colour")


@pytest.mark.parametrize("text", ["1", "yes", "y", "true", "YES", "Y", "True", " tRuE "])
def test_hallucination_on(text: str) -> None:
    assert settings.hallucination("cudaError_t", {"HIP_PYTHON_cudaError_t_HALLUCINATE": text}) is True


@pytest.mark.parametrize("text", ["0", "no", "n", "false", "NO", "False"])
def test_hallucination_off(text: str) -> None:
    assert settings.hallucination("cudaError_t", {"HIP_PYTHON_cudaError_t_HALLUCINATE": text}) is False


def test_hallucination_unset() -> None:
    assert settings.hallucination("cudaError_t", {}) is None
    assert settings.hallucination("cudaError_t", {"HIP_PYTHON_cudaError_t_HALLUCINATE": ""}) is None
    assert settings.hallucination("cudaError_t", {"HIP_PYTHON_CUresult_HALLUCINATE": "1"}) is None


@pytest.mark.parametrize("text", ["2", "on", "ja", "tru"])
def test_hallucination_error_names_the_variable(text: str) -> None:
    variable = "HIP_PYTHON_CUresult_HALLUCINATE"
    with pytest.raises(SettingError, match=f"^{variable}={text} is not allowed; use 1/yes"):
        settings.hallucination("CUresult", {variable: text})


def test_misspelt_variables() -> None:
    environ = {"CUDA_SHIM": "1", "CUDA_SHIM_BACKND": "cpu", "CUDA_PATH": "/x", "CUDA_SHIM_CPU_KEEP": "1"}
    assert list(settings.unknown_variables(environ)) == ["CUDA_SHIM_BACKND"]


def test_every_setting_is_complete() -> None:
    for item in settings.SETTINGS:
        assert item.description
        assert "\n" not in item.description
        assert item.allowed
        assert not item.default or item.check(item.default, item.name) == item.default
    assert len({item.variable for item in settings.SETTINGS}) == len(settings.SETTINGS)


def test_every_variable_that_is_read_is_a_setting() -> None:
    """A variable that some file reads and the table lacks would be missing from doctor and the README."""
    import re

    package = Path(settings.__file__).parent
    known = {item.variable for item in settings.SETTINGS}
    read: dict[str, str] = {}
    # Other quoted names in C++ are macros that it writes into generated code.
    patterns = {"*.py": r'"(CUDA_SHIM(?:_[A-Z_]+)?)"', "*.cpp": r'"(CUDA_SHIM_(?:CPU|CACHE)_[A-Z_]+)"'}
    for files, pattern in patterns.items():
        for file in package.rglob(files):
            for variable in re.findall(pattern, file.read_text(encoding="utf-8")):
                read.setdefault(variable, file.name)
    assert {"CUDA_SHIM_CPU_CXX", "CUDA_SHIM_CACHE_DIR", "CUDA_SHIM"} <= set(read)
    assert {variable: file for variable, file in read.items() if variable not in known} == {}
