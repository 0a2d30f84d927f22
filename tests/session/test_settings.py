"""Settings: one precedence, canonical values, and refusals that list the allowed values."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim import setting, settings, startup
from cuda_shim.errors import SettingError


@pytest.fixture(autouse=True)
def _nothing_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "_in_use", None)


def test_precedence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_SHIM_BACKEND", raising=False)
    assert (settings.read().backend, settings.read().sources["backend"]) == ("auto", "default")
    monkeypatch.setenv("CUDA_SHIM_BACKEND", "cpu")
    assert (settings.read().backend, settings.read().sources["backend"]) == ("cpu", "environment")
    values = settings.read({"backend": "rocm"})
    assert (values.backend, values.sources["backend"]) == ("rocm", "argument")


def test_a_session_keeps_what_it_began_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_SHIM_BACKEND", "cpu")
    settings.use(settings.read())
    monkeypatch.setenv("CUDA_SHIM_BACKEND", "rocm")
    assert settings.current().backend == "cpu"
    settings.use(None)
    assert settings.current().backend == "rocm"


def test_they_are_frozen_typed_and_complete() -> None:
    values = settings.read({"cpu_devices": "4", "cpu_check": "yes"}, {})
    assert (values.cpu_devices, values.cpu_threads, values.cpu_check, values.cpu_keep) == (4, None, True, False)
    assert [values.text(item.name) for item in settings.SETTINGS if item.name not in ("cpu_devices", "cpu_check")] == [
        item.default for item in settings.SETTINGS if item.name not in ("cpu_devices", "cpu_check")
    ]
    with pytest.raises(AttributeError):
        values.backend = "cpu"  # type: ignore[misc]


def test_messages_name_what_the_user_gave() -> None:
    environ = {"CUDA_SHIM_CXX": "gcc", "CUDA_SHIM_BACKEND": "cpu", settings.FLAGS_VARIABLE: "cxx cpu_devices"}
    values = settings.read({"cache_dir": "/c"}, environ)
    assert values.assignment("cxx") == "--cxx 'gcc'"
    assert values.assignment("backend") == "CUDA_SHIM_BACKEND='cpu'"
    assert values.assignment("cache_dir") == "cache_dir='/c'"
    assert values.flags == {"cxx"}


BOOLEANS = {
    True: ("1", "on", "yes", "y", "true", "On", "TRUE"),
    False: ("0", "off", "no", "n", "false", "OFF", "False"),
}


@pytest.mark.parametrize(
    "item", [item for item in settings.SETTINGS if item.kind in ("boolean", "report")] + [settings.setting("mode")]
)
def test_booleans_are_alike_everywhere(item: settings.Setting) -> None:
    for truth, words in BOOLEANS.items():
        assert {item.check(word, item.name) for word in words} == {str(int(truth))}


def test_startup_knows_the_words_for_no() -> None:
    """It must not load the settings in a program that asks for nothing."""
    assert set(startup.OFF) == {"", *setting.FALSE}


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
        ("strict", "ja"), ("strict", "2"), ("strict", 2), ("cpu_devices", "0"), ("cpu_devices", "-1"),
        ("cpu_devices", "65"), ("cpu_threads", "1025"), ("cpu_debug_thread", "saxpy:here"),
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


@pytest.mark.parametrize("text", ["1", "yes", "y", "true", "on", "YES", "Y", "True", " tRuE "])
def test_hallucination_on(text: str) -> None:
    assert settings.hallucination("cudaError_t", {"HIP_PYTHON_cudaError_t_HALLUCINATE": text}) is True


@pytest.mark.parametrize("text", ["0", "no", "n", "off", "false", "NO", "False"])
def test_hallucination_off(text: str) -> None:
    assert settings.hallucination("cudaError_t", {"HIP_PYTHON_cudaError_t_HALLUCINATE": text}) is False


def test_hallucination_unset() -> None:
    assert settings.hallucination("cudaError_t", {}) is None
    assert settings.hallucination("cudaError_t", {"HIP_PYTHON_cudaError_t_HALLUCINATE": ""}) is None
    assert settings.hallucination("cudaError_t", {"HIP_PYTHON_CUresult_HALLUCINATE": "1"}) is None


@pytest.mark.parametrize("text", ["2", "an", "ja", "tru"])
def test_hallucination_error_names_the_variable(text: str) -> None:
    variable = "HIP_PYTHON_CUresult_HALLUCINATE"
    with pytest.raises(SettingError, match=f"^{variable}={text} is not allowed; use 1/on"):
        settings.hallucination("CUresult", {variable: text})


def test_every_setting_is_complete() -> None:
    for item in settings.SETTINGS:
        assert item.description
        assert "\n" not in item.description
        assert item.allowed
        assert not item.default or item.check(item.default, item.name) == item.default
    assert len({item.variable for item in settings.SETTINGS}) == len(settings.SETTINGS)


def test_every_variable_that_is_read_is_a_setting() -> None:
    """A variable that some file reads and the table lacks would be missing from doctor and docs/settings.md."""
    import re

    package = Path(settings.__file__).parent
    variables = {item.variable for item in settings.SETTINGS}
    read: dict[str, str] = {}
    # Other quoted names in C++ are macros that it writes into generated code.
    patterns = {"*.py": r'"(CUDA_SHIM(?:_[A-Z_]+)?)"', "*.cpp": r'"(CUDA_SHIM_(?:CPU|CACHE)_[A-Z_]+)"'}
    for files, pattern in patterns.items():
        for file in package.rglob(files):
            for variable in re.findall(pattern, file.read_text(encoding="utf-8")):
                read.setdefault(variable, file.name)
    assert {"CUDA_SHIM_CPU_CXX", "CUDA_SHIM_CACHE_DIR", "CUDA_SHIM"} <= set(read)
    assert {variable: file for variable, file in read.items() if variable not in variables} == {}


@pytest.mark.parametrize("digits", [10, 5000])
@pytest.mark.parametrize("name", ["cpu_devices", "cpu_threads", "error_exitcode"])
def test_numbers_of_any_length_are_answered(name: str, digits: int) -> None:
    """Python itself reads no number of more than 4,300 digits."""
    with pytest.raises(SettingError, match="is not allowed; use a"):
        settings.resolve(name, "9" * digits)
    assert settings.resolve(name, "0" * digits + "3").value == "3"
