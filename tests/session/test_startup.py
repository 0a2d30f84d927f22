"""Activation when the interpreter starts, in virtual environments that hold the start-up files."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from cuda_shim import activation
from cuda_shim.hook import patched_modules
from tests.interpreters import STARTUP_FILES, Environment

ACTIVE = "import json, cuda_shim, cuda.bindings.driver as d; print(repr(d), json.dumps(cuda_shim.status()))"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    created = Environment(tmp_path_factory.mktemp("startup") / "venv")
    created.install_startup_files()
    return created


def test_not_active_because_it_is_installed(environment: Environment) -> None:
    for value in ({}, {"CUDA_SHIM": ""}, {"CUDA_SHIM": "0"}, {"CUDA_SHIM": "off"}, {"CUDA_SHIM": "No"}):
        done = environment.start("-c", "import cuda.bindings", **value)
        assert "ModuleNotFoundError: No module named 'cuda'" in done.stderr


def test_idle_start_imports_nothing(environment: Environment, tmp_path: Path) -> None:
    """The interpreter is as if the start-up files were not there."""
    without = Environment(tmp_path / "venv")
    code = "import sys; print(*sys.modules, *map(repr, sys.meta_path), sep='\\n')"
    for value in ({}, {"CUDA_SHIM": ""}, {"CUDA_SHIM": "0"}):
        assert environment.start("-c", code, **value).stdout == without.start("-c", code).stdout


@pytest.mark.parametrize("value", ["1", "on", "Yes", " 1 "])
def test_active(environment: Environment, value: str) -> None:
    done = environment.start("-c", ACTIVE, CUDA_SHIM=value, CUDA_SHIM_CUDA="12")
    text, _, status = done.stdout.partition("> ")
    assert text == "<module 'cuda.bindings.driver' (cuda_shim:cuda.bindings.driver)", done.stderr
    assert json.loads(status)["origin"] == "environment"
    assert json.loads(status)["cuda"] == "12.9"


@pytest.mark.parametrize("flag", ["-I", "-E", "-s", "-P", "-O", "-B"])
def test_flags_that_keep_site_keep_us(environment: Environment, flag: str) -> None:
    if flag == "-P" and environment.start("-P", "-c", "").returncode != 0:
        pytest.skip("python -P is new in 3.11")
    assert environment.start(flag, "-c", ACTIVE, CUDA_SHIM="1").returncode == 0


def test_no_site_no_shim(environment: Environment) -> None:
    done = environment.start("-S", "-c", "import cuda.bindings", CUDA_SHIM="1")
    assert "ModuleNotFoundError" in done.stderr


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"CUDA_SHIM": "ja"}, "CUDA_SHIM=ja is not allowed; use 1/on/yes/true or 0/off/no/false, or require"),
        (
            {"CUDA_SHIM": "1", "CUDA_SHIM_BACKEND": "x"},
            "CUDA_SHIM_BACKEND=x is not allowed; use auto, rocm, cpu",
        ),
    ],
)
def test_failure_is_reported_once_at_the_first_use_and_the_import_goes_on(
    environment: Environment, variables: dict[str, str], reason: str
) -> None:
    quiet = environment.start("-c", "print('no cuda here')", **variables)
    assert (quiet.stdout, quiet.stderr) == ("no cuda here\n", "")
    code = textwrap.dedent("""
        for _ in range(2):
            try: import cuda.bindings
            except ModuleNotFoundError as error: print(error)
    """)
    done = environment.start("-c", code, **variables)
    assert done.stdout == "No module named 'cuda'\n" * 2
    assert done.stderr == f"cuda_shim: not active: {reason}\n"


def test_require_raises_the_reason_each_time(environment: Environment) -> None:
    code = textwrap.dedent("""
        for _ in range(2):
            try: import cuda.bindings
            except ValueError as error: print(type(error).__name__, error)
    """)
    done = environment.start("-c", code, CUDA_SHIM="require", CUDA_SHIM_CUDA="9")
    allowed = "11.8, 12.9, 13.5 (or 11, 11.x, 12, 12.x, 13, 13.x)"
    line = f"SettingError CUDA_SHIM_CUDA=9 is not allowed; use {allowed}\n"
    assert (done.stdout, done.stderr) == (line * 2, "")


def test_armed_shim_counts_as_enabled_and_can_be_disabled(environment: Environment) -> None:
    code = textwrap.dedent("""
        import sys, cuda_shim
        assert cuda_shim.is_enabled() and cuda_shim.status()["origin"] == "environment"
        cuda_shim.disable()
        assert not cuda_shim.is_enabled()
        try: import cuda
        except ModuleNotFoundError: print("off")
    """)
    done = environment.start("-c", code, CUDA_SHIM="1")
    assert done.stdout == "off\n", done.stderr


def test_handles_do_not_end_what_the_environment_began(environment: Environment) -> None:
    code = textwrap.dedent("""
        import os, cuda_shim
        with cuda_shim.enable(backend="cpu") as handle: pass
        assert cuda_shim.is_enabled()
        import cuda.bindings
        with cuda_shim.enable(): pass
        assert cuda_shim.is_enabled()
        cuda_shim.disable()
        assert not cuda_shim.is_enabled() and os.environ["CUDA_SHIM_BACKEND"] == "rocm"
    """)
    done = environment.start("-c", code, CUDA_SHIM="1", CUDA_SHIM_BACKEND="rocm")
    assert done.returncode == 0, done.stderr


def test_metadata_works_before_any_import_of_cuda(environment: Environment) -> None:
    code = "from importlib.metadata import version; print(version('cuda-bindings'), version('cuda-python'))"
    done = environment.start("-c", code, CUDA_SHIM="1", CUDA_SHIM_CUDA="13")
    assert done.stdout == "13.5.0 13.5.0\n", done.stderr


def test_what_is_armed_knows_which_modules_are_changed() -> None:
    """Each of the two has its own list: one is imported as the interpreter starts, the other one must not be."""
    assert frozenset(activation.PATCHED) == patched_modules.PATCHED


def test_activating_twice_arms_once(environment: Environment) -> None:
    code = textwrap.dedent("""
        import sys, cuda_shim.startup as s
        from cuda_shim.activation import ActivationFinder
        s.activate(); s.activate()
        armed = sum(isinstance(f, ActivationFinder) for f in sys.meta_path)
        import cuda.bindings
        s.activate()
        print(armed, sum(isinstance(f, ActivationFinder) for f in sys.meta_path))
    """)
    assert environment.start("-c", code, CUDA_SHIM="1").stdout == "1 0\n"


def test_children_are_active(environment: Environment, tmp_path: Path) -> None:
    """subprocess, fork, spawn and forkserver, with the import at the top of the program."""
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent("""
        import multiprocessing, subprocess, sys
        import cuda.bindings.driver
        def work(_):
            return sys.modules["cuda.bindings.driver"].__spec__.origin
        if __name__ == "__main__":
            for method in ("fork", "spawn", "forkserver"):
                with multiprocessing.get_context(method).Pool(1) as pool:
                    print(method, *pool.map(work, [0]))
            child = [sys.executable, "-c", "import cuda.bindings as b; print(b)"]
            print("subprocess", subprocess.check_output(child, encoding="utf-8").strip())
    """)
    )
    done = environment.start(program, CUDA_SHIM="1")
    origin = "cuda_shim:cuda.bindings.driver"
    assert done.stdout.splitlines() == [
        f"fork {origin}", f"spawn {origin}", f"forkserver {origin}",
        "subprocess <module 'cuda.bindings' (cuda_shim:cuda.bindings)>",
    ], done.stderr  # fmt: skip


def test_enable_reaches_children(environment: Environment) -> None:
    code = textwrap.dedent("""
        import subprocess, sys, cuda_shim
        child = [sys.executable, "-c", "import cuda_shim; print(cuda_shim.status().get('cuda'))"]
        with cuda_shim.enable(cuda="12"):
            print(subprocess.check_output(child, encoding="utf-8"), end="")
        print(subprocess.check_output(child, encoding="utf-8"), end="")
        with cuda_shim.enable(propagate=False):
            print(subprocess.check_output(child, encoding="utf-8"), end="")
    """)
    assert environment.start("-c", code).stdout == "12.9\nNone\nNone\n"


def test_programs_without_cuda_never_meet_a_bad_setting(environment: Environment) -> None:
    code = "import json, decimal, importlib.metadata as m; m.version('pip')"
    done = environment.start("-c", code, CUDA_SHIM="1", CUDA_SHIM_BACKEND="nonsense")
    assert "PackageNotFoundError" in done.stderr
    assert "cuda_shim" not in done.stderr


def test_files_follow_pep_829() -> None:
    """One callable a line in .start; in .pth one import line with the same effect, for Python up to 3.14."""
    assert (STARTUP_FILES / "cuda_shim.start").read_text(encoding="utf-8") == "cuda_shim.startup:activate\n"
    (line,) = (STARTUP_FILES / "cuda_shim.pth").read_text(encoding="utf-8").splitlines()
    assert line.startswith("import os;")
    assert "cuda_shim.startup" in line
    assert ".activate()" in line


def test_start_file_under_python_315(tmp_path: Path) -> None:
    """Python's handling of a .start line by PEP 829: resolve the name, call it."""
    import os
    import pkgutil

    line = (STARTUP_FILES / "cuda_shim.start").read_text(encoding="utf-8").strip()
    before = os.environ.pop("CUDA_SHIM", None)
    try:
        assert pkgutil.resolve_name(line)() is None
    finally:
        if before is not None:
            os.environ["CUDA_SHIM"] = before
