"""enable() and disable(): their changes, and that everything is as before afterwards."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from cuda_shim import cuda_home
from tests.interpreters import NO_FALLBACKS, PACKAGE_ROOT, Environment, run_code, run_json, start
from tests.program_files import read_program

SNAPSHOT = read_program(__file__, "enable_snapshot.py")

#: A stand-in for NVIDIA's packages: their names, without their libraries.
REAL = {
    "cuda/bindings/__init__.py": "real = True\n",
    "cuda/bindings/driver.py": "def cuInit(flags): return 'real'\nclass CUresult: pass\n",
    "cuda/bindings/nvml.py": "",
    "cuda/core/__init__.py": "",
}


@pytest.fixture
def real(tmp_path: Path) -> str:
    for name, text in REAL.items():
        path = tmp_path / "real" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "real" / "user_program.py").write_text("from cuda.bindings.driver import cuInit\n")
    (tmp_path / "real" / "user_library.py").write_text("import cuda.bindings.driver as drv\n")
    (tmp_path / "real" / "bystander.py").write_text("import os\n")
    return f"{tmp_path / 'real'}:{PACKAGE_ROOT}"


def test_everything_is_put_back() -> None:
    result = run_json(
        SNAPSHOT
        + textwrap.dedent("""
        before = snapshot()
        with cuda_shim.enable(backend="cpu", cuda="12.9", strict=True) as handle:
            import cuda.bindings.driver, cuda.bindings.utils
            from cuda import cuda, cudart
            during = snapshot()
            active = handle.active
        print(json.dumps([before, during, snapshot(), active, handle.active, cuda_shim.is_enabled()]))
    """)
    )
    before, during, after, active, active_after, enabled = result
    assert after == before
    assert {"cuda", "cuda.bindings", "cuda.bindings.driver", "cuda.cudart"} <= set(during["modules"])
    assert during["environment"] == {
        "CUDA_HOME": cuda_home.folder(),
        "CUDA_SHIM": "1", "CUDA_SHIM_BACKEND": "cpu", "CUDA_SHIM_CUDA": "12.9", "CUDA_SHIM_STRICT": "1", **NO_FALLBACKS,
    }  # fmt: skip
    assert (active, active_after, enabled) == (True, False, False)


def test_real_packages_come_back(real: str) -> None:
    result = run_json(SNAPSHOT + textwrap.dedent("""
        import cuda.core
        before = snapshot()
        with cuda_shim.enable():
            import cuda.bindings.driver
            served = not hasattr(cuda.bindings, "real")
        after = snapshot()
        import cuda.bindings.driver
        print(json.dumps([before, after, served, cuda.bindings.real, cuda.bindings.driver.cuInit(0)]))
    """), PYTHONPATH=real)  # fmt: skip
    before, after, served, is_real, answer = result
    assert after == before
    assert (served, is_real, answer) == (True, True, "real")


def test_refuses_after_a_real_import_and_names_who_did_it(real: str) -> None:
    result = run_json(SNAPSHOT + textwrap.dedent("""
        import user_program, user_library, bystander
        before = snapshot()
        try:
            cuda_shim.enable(backend="cpu")
        except cuda_shim.AlreadyImported as error:
            print(json.dumps([str(error), error.modules, error.importers, before == snapshot()]))
    """), PYTHONPATH=real)  # fmt: skip
    message, modules, importers, untouched = result
    assert modules == ["cuda.bindings", "cuda.bindings.driver"]
    assert importers == ["user_library", "user_program"]
    assert message.startswith(
        "cuda.bindings, cuda.bindings.driver imported before the shim was enabled "
        "by user_library, user_program; enable it first "
    )
    assert "force=True" in message
    assert "\n" not in message
    assert untouched


def test_importers_by_what_they_hold(real: str) -> None:
    """A class, an object of a class, or no more than the package."""
    code = textwrap.dedent("""
        import json, sys, types, cuda_shim
        held = types.ModuleType("holder")
        exec(sys.argv[1], vars(held))
        sys.modules["holder"] = held
        try: cuda_shim.enable()
        except cuda_shim.AlreadyImported as error: print(json.dumps(error.importers))
    """)
    for statement in (
        "from cuda.bindings.driver import CUresult",
        "import cuda.bindings.driver as d; x = d.CUresult(); del d",
        "import cuda.bindings.driver",
    ):
        assert run_json(code, statement, PYTHONPATH=real) == ["holder"], statement


def test_a_real_import_of_other_children_is_no_obstacle(real: str) -> None:
    run_code("import cuda.core, cuda_shim; cuda_shim.enable(); import cuda.bindings", PYTHONPATH=real)


def test_force_swaps_and_restores(real: str) -> None:
    result = run_json(SNAPSHOT + textwrap.dedent("""
        import user_library, cuda.core
        before, core = snapshot(), cuda.core
        with cuda_shim.enable(force=True):
            import cuda.bindings.driver
            during = [hasattr(cuda.bindings, "real"), cuda.core is core, user_library.drv.cuInit(0)]
        print(json.dumps([before, snapshot(), during]))
    """), PYTHONPATH=real)  # fmt: skip
    before, after, during = result
    assert after == before
    assert during == [False, True, "real"], "a module that took the old object keeps it"


def test_other_finders_may_come_and_go() -> None:
    run_code(
        textwrap.dedent("""
        import sys, cuda_shim
        class Other:
            def find_spec(self, name, path=None, target=None): return None
        first, last = Other(), Other()
        with cuda_shim.enable():
            sys.meta_path.insert(0, first); sys.meta_path.append(last)
            import cuda.bindings.driver
            expected = [f for f in sys.meta_path if type(f).__name__ != "Finder"]
        assert sys.meta_path == expected
    """)
    )


def test_nested_handles_end_with_the_last() -> None:
    result = run_json(
        textwrap.dedent("""
        import json, cuda_shim
        first = cuda_shim.enable(cuda="12.x")
        second = cuda_shim.enable()
        third = cuda_shim.enable(cuda="12.9", backend="auto", strict=False)
        states = [cuda_shim.status()["handles"]]
        for handle in (first, first, third, second):
            handle.disable()
            states.append(cuda_shim.is_enabled())
        print(json.dumps([states, third.cuda]))
    """)
    )
    assert result == [[3, True, True, True, False], "12.9"]


def test_disable_ends_it_whatever_is_open() -> None:
    run_code(
        textwrap.dedent("""
        import cuda_shim
        old = cuda_shim.enable()
        cuda_shim.disable(); cuda_shim.disable()
        assert not cuda_shim.is_enabled() and not old.active
        with cuda_shim.enable():
            old.disable()
            assert cuda_shim.is_enabled(), "a handle of an earlier session must not end this one"
        assert not cuda_shim.is_enabled()
    """)
    )


@pytest.mark.parametrize("argument", ["backend='rocm'", "cuda='12'", "strict=True"])
def test_contradiction_is_refused(argument: str) -> None:
    run_code(
        textwrap.dedent(f"""
        import cuda_shim
        cuda_shim.enable(backend="cpu", cuda="13")
        try:
            cuda_shim.enable({argument})
        except cuda_shim.SettingError as error:
            assert "contradicts the session" in str(error) and "disable() first" in str(error), error
        else:
            raise AssertionError("not refused")
        assert cuda_shim.status()["handles"] == 1
    """)
    )


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("backend='gpu'", "backend=gpu is not allowed; use auto, rocm, cpu"),
        ("cuda=12.4", "cuda=12.4 is not allowed; use 11.8, 12.9, 13.5 (or 11, 11.x, 12, 12.x, 13, 13.x)"),
        ("strict='maybe'", "strict=maybe is not allowed; use 1/on/yes/true or 0/off/no/false"),
    ],
)
def test_bad_argument_changes_nothing(argument: str, message: str) -> None:
    result = run_json(
        SNAPSHOT
        + textwrap.dedent(f"""
        before = snapshot()
        try:
            cuda_shim.enable({argument})
        except ValueError as error:
            print(json.dumps([str(error), before == snapshot(), cuda_shim.is_enabled()]))
    """)
    )
    assert result == [message, True, False]


def test_bad_environment_is_refused_before_anything_changes() -> None:
    result = run_json(SNAPSHOT + textwrap.dedent("""
        before = snapshot()
        try:
            cuda_shim.enable()
        except cuda_shim.SettingError as error:
            print(json.dumps([str(error), before == snapshot()]))
    """), CUDA_SHIM_BACKEND="gpu")  # fmt: skip
    assert result == ["CUDA_SHIM_BACKEND=gpu is not allowed; use auto, rocm, cpu", True]


def test_environment_is_left_alone_where_the_program_changed_it() -> None:
    result = run_json(
        SNAPSHOT
        + textwrap.dedent("""
        with cuda_shim.enable(backend="cpu"):
            os.environ["CUDA_SHIM_BACKEND"] = "auto"
            del os.environ["CUDA_SHIM"]
        with cuda_shim.enable(cuda="12", propagate=False):
            inside = dict(snapshot()["environment"])
        print(json.dumps([inside, snapshot()["environment"]]))
    """)
    )
    # CUDA_HOME is for the program itself; settings do not change its environment.
    after = {"CUDA_SHIM_BACKEND": "auto", **NO_FALLBACKS}
    assert result == [{"CUDA_HOME": cuda_home.folder(), **after}, after]


def test_status() -> None:
    result = run_json(
        textwrap.dedent("""
        import json, cuda_shim
        off = cuda_shim.status()
        cuda_shim.enable(backend="cpu", cuda="12")
        import cuda.bindings.runtime
        print(json.dumps([off, cuda_shim.status()]))
    """)
    )
    assert result[0] == {"enabled": False}
    assert result[1] == {
        "enabled": True, "origin": "enable()", "backend": "cpu", "strict": False, "cuda": "12.9",
        "cuda_version": "12.9.10", "cuda_reason": "set by an argument",
        "modules": ["cuda.bindings", "cuda.bindings.runtime"], "handles": 1, "report": "0",
    }  # fmt: skip


def test_threads_that_enable_share_one_session() -> None:
    run_code(read_program(__file__, "enable_threads.py"))


@pytest.mark.parametrize("layout", ["11.8", "12.9", "13.5"])
def test_version_of_the_package_and_its_metadata(layout: str) -> None:
    result = run_json(textwrap.dedent("""
        import json, sys, cuda_shim
        cuda_shim.enable(cuda=sys.argv[1])
        import cuda, cuda.bindings
        from importlib.metadata import version
        of_root = getattr(cuda, "__version__", None)
        print(json.dumps([cuda.bindings.__version__, version("cuda-bindings"), of_root]))
    """), layout)  # fmt: skip
    assert result[0] == result[1]
    assert result[0].startswith(layout + ".")
    assert result[2] == (None if layout == "13.5" else result[0])


def test_installed_nvidia_version_is_the_layout_served(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "venv")
    environment.pretend_installed("cuda-bindings", "12.6.2")
    done = environment.start("-c", "import cuda_shim; print(cuda_shim.enable().cuda)")
    assert done.stdout == "12.9\n", done.stderr


def test_users_cuda_py_is_named(tmp_path: Path) -> None:
    """In the error where one ends the program, else in a line of its own."""
    file = tmp_path / "cuda.py"
    file.write_text("")
    (tmp_path / "program.py").write_text("import cuda_shim; cuda_shim.enable()\nimport cuda.bindings\n")
    done = start(tmp_path / "program.py", PYTHONPATH=str(PACKAGE_ROOT))
    assert done.stderr.endswith(f"'cuda' is not a package: {file} hides it; rename that file\n")
    assert done.returncode == 1
    message = f"cuda_shim: {file} hides the package cuda, so cuda.* cannot be served; rename that file\n"
    (tmp_path / "program.py").write_text("import cuda_shim; cuda_shim.enable()\nimport cuda\n")
    assert start(tmp_path / "program.py", PYTHONPATH=str(PACKAGE_ROOT)).stderr == message
    assert start(tmp_path / "program.py", PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_QUIET="1").stderr == ""


@pytest.mark.parametrize(
    ("module", "wrong", "right"),
    [
        ("cuda.bindings.driver", "cuMemAloc", "cuMemAlloc"),
        ("cuda.cuda", "cuMemAloc", "cuMemAlloc"),
        ("cuda.bindings.runtime", "cudaMaloc", "cudaMalloc"),
    ],
)
def test_names_mistyped_get_suggestions(tmp_path: Path, module: str, wrong: str, right: str) -> None:
    """Python itself looks for none in a module of more than 750 names."""
    program = tmp_path / "program.py"
    program.write_text(f"import cuda_shim; cuda_shim.enable()\nimport {module} as m\nm.{wrong}\n")
    done = start(program, PYTHONPATH=str(PACKAGE_ROOT))
    message = f"AttributeError: module {module!r} has no attribute {wrong!r}. Did you mean: {right!r}?"
    assert done.stderr.splitlines()[-1] == message


def test_fork_inherits_the_session() -> None:
    run_code(
        textwrap.dedent("""
        import os, cuda_shim
        cuda_shim.enable()
        pid = os.fork()
        if pid == 0:
            import cuda.bindings.driver
            os._exit(7 if cuda_shim.is_enabled() else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    """)
    )
