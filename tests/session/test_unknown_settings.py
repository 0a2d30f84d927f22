"""A misspelt setting is named once, with the nearest one that exists."""

from __future__ import annotations

import pytest

from cuda_shim import unknown_settings
from cuda_shim.errors import SettingError
from cuda_shim.session import enable
from tests.environments import Python

WARNING = "cuda_shim: CUDA_SHIM_BACKND is set and is no setting of cuda_shim; did you mean CUDA_SHIM_BACKEND?\n"
IMPORT = "import cuda.bindings.driver"


def test_unknown_variables() -> None:
    environ = {"CUDA_SHIM": "1", "CUDA_SHIM_BACKND": "cpu", "CUDA_PATH": "/x", "CUDA_SHIM_CPU_KEEP": "1"}
    assert [variable for variable, _ in unknown_settings.unknown_variables(environ)] == ["CUDA_SHIM_BACKND"]
    ((_, problem),) = unknown_settings.unknown_variables({"CUDA_SHIM_WXYZ_QQ": "1"})
    assert problem.endswith("; `python -m cuda_shim doctor` lists the settings")


def test_a_misspelt_variable_is_named_once(any_shim_python: Python) -> None:
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', '{IMPORT}'], check=True)"
    code = f"{IMPORT}; import cuda.bindings.runtime; {child}"
    for words in (("-c", code), ("-m", "cuda_shim", "run", "-c", code)):
        done = any_shim_python.start("-W", "error", *words, CUDA_SHIM="1", CUDA_SHIM_BACKND="cpu")
        assert (done.returncode, done.stderr) == (0, WARNING)


def test_a_program_without_cuda_is_told_nothing(any_shim_python: Python) -> None:
    assert any_shim_python.start("-c", "pass", CUDA_SHIM="1", CUDA_SHIM_BACKND="cpu").stderr == ""
    assert any_shim_python.start("-c", IMPORT, CUDA_SHIM="1", CUDA_SHIM_BACKND="cpu", CUDA_SHIM_LOG="off").stderr == ""


def test_a_misspelt_argument() -> None:
    with pytest.raises(SettingError, match=r"^enable\(\) takes no setting 'bakend'; did you mean backend\?$"):
        enable(bakend="cpu")
