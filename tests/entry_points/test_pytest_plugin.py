"""The pytest plugin as users meet it: installed from the wheel, found by its entry point, in runs of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.cache.folder import cache_of
from tests import environments
from tests.environments import Python
from tests.interpreters import clean_environment

Run = Callable[..., pytest.RunResult]

CALL = "from cuda.bindings import runtime; assert runtime.cudaGetDeviceCount()[0] == 0\n"
NOT_SERVED = "import sys; assert not [name for name in sys.modules if name.partition('.')[0] == 'cuda']\n"


@pytest.fixture(scope="session")
def users_cache() -> str:
    """The cache of the user who runs the tests, found before pytester makes an empty folder the home."""
    return cache_of(settings.current()).root


@pytest.fixture
def run(full_python: Python, users_cache: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run pytest of the user's environment in the folder of the test."""
    for name in set(os.environ) - set(clean_environment()):
        monkeypatch.delenv(name)
    monkeypatch.setenv("CUDA_SHIM_CACHE_DIR", users_cache)

    usual = (full_python.executable, "-m", "pytest")

    def start(*words: str, program: tuple[str | Path, ...] = usual, **environment: str) -> pytest.RunResult:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {"CUDA_SHIM_QUIET": "1", **environment}.items():
                patch.setenv(name, value)
            return pytester.run(*program, "-p", "no:cacheprovider", "-rs", *words)

    return start


@pytest.fixture(scope="session", params=["8", "9"])
def pytest_python(request: pytest.FixtureRequest, shared_folder: Path) -> Python:
    """An environment with the wheel and one major version of pytest."""
    wheel = environments.build_wheel(shared_folder)
    pins = {"8": "pytest>=8,<9", "9": "pytest>=9,!=9.2.0"}
    folder = shared_folder / f"pytest-{request.param}"
    return environments.make(
        folder, str(wheel), environments.HIP_PYTHON["10.0"], pins[request.param], "pytest-xdist", "numpy"
    )


WARNING_FREE: dict[str, tuple[list[str], dict[str, str]]] = {
    "environment": (["-m", "pytest"], {"CUDA_SHIM": "1"}),
    "run": (["-m", "cuda_shim", "run", "-m", "pytest"], {}),
    "workers": (["-m", "pytest", "-n", "2", "--cuda-shim=on"], {}),
}


@pytest.mark.parametrize("way", list(WARNING_FREE))
def test_warnings_as_errors(pytest_python: Python, run: Run, pytester: pytest.Pytester, way: str) -> None:
    """The package is there before pytest, which would warn that its asserts can no longer be rewritten."""
    pytester.makeconftest("from cuda.bindings import driver")
    pytester.makepyfile(f"from cuda import cudart\ndef test_it():\n    {CALL}")
    words, environment = WARNING_FREE[way]
    result = run("-W", "error", program=(pytest_python.executable, *words), **environment)
    result.assert_outcomes(passed=1)
    assert "Warning" not in result.stdout.str() + result.stderr.str()


def test_off_by_default(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"def test_it():\n    {NOT_SERVED}")
    result = run()
    result.assert_outcomes(passed=1)
    assert "cuda_shim:" not in result.stdout.str()


@pytest.mark.parametrize("way", ["option", "ini", "pyproject", "environment"])
def test_on_before_conftest_and_test_modules(run: Run, pytester: pytest.Pytester, way: str) -> None:
    pytester.makeconftest("from cuda.bindings import driver")
    pytester.makepyfile(f"from cuda import cudart\ndef test_it():\n    {CALL}")
    if way == "ini":
        pytester.makeini("[pytest]\ncuda_shim = on")
    elif way == "pyproject":
        pytester.makepyprojecttoml('[tool.pytest.ini_options]\ncuda_shim = "on"')
    words = ["--cuda-shim=on"] if way == "option" else []
    result = run(*words, **({"CUDA_SHIM": "1"} if way == "environment" else {}))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["cuda_shim: HIP backend auto, CUDA 13.5 (the default: *)"])


def test_require_says_which_backend_answers(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(): pass")
    result = run("--cuda-shim=require", CUDA_SHIM_BACKEND="cpu")
    result.stdout.fnmatch_lines(["cuda_shim: HIP backend cpu, CUDA 13.5 (*)"])
    result = run("--cuda-shim=require", CUDA_SHIM_BACKEND="rocm")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --cuda-shim=require: *rocm*"])


@pytest.mark.parametrize(
    ("words", "ini", "environment", "said"),
    [
        (["--cuda-shim=maybe"], "", {}, "*argument --cuda-shim: invalid choice: 'maybe'*"),
        ([], "cuda_shim = maybe", {}, "ERROR: cuda_shim = maybe is not allowed; use off, on, require"),
        (["--cuda-shim=on"], "", {"CUDA_SHIM_BACKEND": "gpu"}, "ERROR: *CUDA_SHIM_BACKEND=gpu is not allowed*"),
    ],
)
def test_bad_values(
    run: Run, pytester: pytest.Pytester, words: list[str], ini: str, environment: dict[str, str], said: str
) -> None:
    pytester.makeini(f"[pytest]\n{ini}")
    result = run(*words, **environment)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])


def test_off_wins_over_the_ini_file_and_the_environment(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ncuda_shim = on")
    child = "import subprocess, sys; assert subprocess.run([sys.executable, '-c', 'import cuda']).returncode"
    pytester.makepyfile(f"def test_it():\n    {NOT_SERVED}    {child}")
    result = run("--cuda-shim=off", CUDA_SHIM="1")
    result.assert_outcomes(passed=1)


def test_the_fixture_lasts_for_one_test(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import os, sys
        before = dict(os.environ), list(sys.meta_path)
        def test_with(hip_backend):
            {CALL}
            assert hip_backend.active and os.environ["CUDA_SHIM"] == "1"
        def test_without():
            {NOT_SERVED}
            assert list(sys.meta_path) == before[1] and "CUDA_SHIM" not in os.environ
        def test_again(hip_backend):
            {CALL}
        """
    )
    run("-v").assert_outcomes(passed=3)


def test_the_session_fixture_lasts_to_the_end(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import sys
        def test_before():
            {NOT_SERVED}
        def test_with(hip_backend_session):
            {CALL}
        def test_after():
            assert "cuda.bindings.runtime" in sys.modules
        def test_inside(hip_backend):
            {CALL}
        def test_still():
            assert "cuda.bindings.runtime" in sys.modules
        """
    )
    run().assert_outcomes(passed=5)


def test_a_failing_test_is_cleaned_up_too(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"def test_a(hip_backend):\n    {CALL}    assert 0\ndef test_b():\n    {NOT_SERVED}")
    run().assert_outcomes(passed=1, failed=1)


def test_the_marker_takes_settings(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest, cuda_shim
        @pytest.mark.hip_backend(backend="cpu", cuda="12.9", strict=True)
        def test_settings():
            from cuda.bindings import driver
            driver.cuInit(0)
            with pytest.raises(cuda_shim.UnsupportedAPI):
                driver.cuCtxAttach(0)
            assert cuda_shim.status()["cuda"] == "12.9"
        @pytest.mark.hip_backend
        class TestClass:
            def test_default(self):
                assert cuda_shim.status()["cuda"] == "13.5"
        @pytest.mark.hip_backend(bakend="cpu")
        def test_misspelt(): pass
        """
    )
    result = run("--strict-markers")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["hip_backend: enable() takes no setting 'bakend'; did you mean backend?"])


def test_a_backend_that_is_not_there(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.hip_backend(backend="rocm")
        def test_skipped(): pass
        @pytest.mark.hip_backend(backend="rocm", require=True)
        def test_failed(): pass
        """
    )
    result = run()
    result.assert_outcomes(skipped=1, errors=1)
    result.stdout.fnmatch_lines(["hip_backend: *rocm*", "SKIPPED * hip_backend: *rocm*"])


def test_each_backend(run: Run, pytester: pytest.Pytester) -> None:
    """Here that is the CPU alone; the others are deselected, and without any the test is skipped."""
    pytester.makepyfile(f"def test_it(cuda_backend):\n    assert cuda_backend == 'cpu'\n    {CALL}")
    result = run("-v")
    result.assert_outcomes(passed=1, deselected=2)
    result.stdout.fnmatch_lines(["*::test_it?cpu? PASSED*"])
    result = run(CUDA_SHIM_CXX="/nowhere/c++")
    assert "passed" not in result.parseoutcomes()
    assert "skipped" in result.parseoutcomes()


def test_a_parameter_of_somebody_else_is_left_alone(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.fixture(params=["nvidia", "mine"])
        def cuda_backend(request): return request.param
        def test_it(cuda_backend): assert cuda_backend in ("nvidia", "mine")
        """
    )
    run().assert_outcomes(passed=2)


NVIDIAS = """
import sys, types
cuda, bindings, driver = (types.ModuleType(name) for name in ("cuda", "cuda.bindings", "cuda.bindings.driver"))
cuda.__path__ = bindings.__path__ = []
cuda.bindings, bindings.driver = bindings, driver
class CUresult: __module__ = "cuda.bindings.driver"
driver.CUresult = CUresult
sys.modules.update({module.__name__: module for module in (cuda, bindings, driver)})
"""


@pytest.mark.parametrize(
    "statement",
    ["import cuda.bindings.driver", "from cuda.bindings import driver", "from cuda.bindings.driver import CUresult"],
)
def test_modules_that_imported_too_early_are_named(run: Run, pytester: pytest.Pytester, statement: str) -> None:
    """As where NVIDIA's package is installed and a test module imports it while it is collected."""
    pytester.makeconftest(NVIDIAS + "del cuda, bindings, driver, CUresult")
    pytester.makepyfile(test_early=f"{statement}\ndef test_it(hip_backend): pass")
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["test_early.py holds names of cuda.bindings*, imported before the fixture could serve them: use --cuda-shim*"]
    )
    assert "Traceback" not in result.stdout.str()


def test_modules_that_nobody_holds_are_put_back(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(NVIDIAS + "del cuda, bindings, driver, CUresult")
    pytester.makepyfile(
        f"""
        import sys
        def test_it(hip_backend):
            {CALL}
            assert "cuda_shim" in repr(sys.modules["cuda.bindings"])
        def test_after():
            from cuda.bindings import driver
            assert driver.CUresult.__module__ == "cuda.bindings.driver" and not hasattr(driver, "cuInit")
        """
    )
    run().assert_outcomes(passed=2)


def test_with_the_shim_on_for_the_run(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import pytest
        from cuda.bindings import driver
        def test_fixture(hip_backend):
            {CALL}
        def test_each(cuda_backend):
            {CALL}
        @pytest.mark.hip_backend(backend="cpu")
        def test_backend(): pass
        @pytest.mark.hip_backend(cuda="12.9")
        def test_contradiction(): pass
        @pytest.mark.hip_backend(backend="rocm")
        def test_other(): pass
        """
    )
    result = run("--cuda-shim=on")
    result.assert_outcomes(passed=3, errors=1, skipped=1, deselected=2)
    result.stdout.fnmatch_lines(["hip_backend: cuda=12.9 contradicts the session that is enabled with cuda=13.5; *"])


def test_workers_of_xdist(run: Run, pytester: pytest.Pytester) -> None:
    test = (
        f"import os\nfrom cuda import cudart\ndef test_it():\n    {CALL}    assert 'PYTEST_XDIST_WORKER' in os.environ"
    )
    pytester.makepyfile(test_a=test, test_b=test)
    pytester.makeconftest("from cuda.bindings import driver")
    run("-n", "2", "--cuda-shim=on").assert_outcomes(passed=2)
    pytester.makeini("[pytest]\ncuda_shim = require")
    run("-n", "2").assert_outcomes(passed=2)


def test_fixtures_in_workers_of_xdist(run: Run, pytester: pytest.Pytester) -> None:
    test = f"def test_it(hip_backend):\n    {CALL}\ndef test_each(cuda_backend):\n    {CALL}"
    pytester.makepyfile(test_a=test, test_b=test)
    run("-n", "2", "--dist", "loadgroup").assert_outcomes(passed=4)


def test_without_xdist_its_mark_is_known(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"def test_it(cuda_backend):\n    {CALL}")
    run("-p", "no:xdist", "--strict-markers", "-W", "error").assert_outcomes(passed=1, deselected=2)


def test_several_runs_in_one_process(run: Run, full_python: Python, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"def test_it():\n    {CALL}")
    code = """
import os, sys, pytest
for _ in range(2):
    assert pytest.main(["--cuda-shim=on", "-q"]) == 0
    assert not [finder for finder in sys.meta_path if type(finder).__module__.startswith("cuda_shim")]
    assert "cuda" not in sys.modules and "CUDA_SHIM" not in os.environ
"""
    result = pytester.run(full_python.executable, "-c", code)
    assert result.ret == 0, result.stderr.str()


def test_the_plugin_imports_nothing_of_ours(run: Run, full_python: Python, pytester: pytest.Pytester) -> None:
    """pytest imports it before coverage can measure anything, in the runs of people who never heard of CUDA."""
    pytester.makepyfile(
        """
        import sys
        def test_it():
            loaded = {name for name in sys.modules if name.startswith("cuda_shim")}
            assert loaded - {"cuda_shim.startup"} == {"cuda_shim", "cuda_shim.pytest_plugin"}
        """
    )
    run().assert_outcomes(passed=1)


def test_it_can_be_left_out(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(hip_backend): pass")
    result = run("-p", "no:cuda_shim")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'hip_backend' not found"])


OWN = """
import os, pytest, subprocess, sys
{imports}
parent = os.environ.setdefault("TESTS_PARENT", str(os.getpid()))

def devices():
    from cuda.bindings import runtime
    return runtime.cudaGetDeviceCount()[1]

def test_before(hip_backend):
    assert devices() == 1

@pytest.mark.hip_backend(cpu_devices=3)
@pytest.mark.parametrize("number", [1, 2])
def test_three(number, tmp_path, capsys):
    assert devices() == 3 and str(os.getpid()) != parent
    print("printed")
    assert capsys.readouterr().out == "printed\\n"

@pytest.fixture(scope="module")
def shared():
    return os.getpid()

@pytest.mark.hip_backend(cpu_devices=3, cpu_check=1)
def test_checked(shared):
    from cuda_shim import settings
    assert devices() == 3 and settings.current().cpu_check and shared == os.getpid()

def test_after(hip_backend, shared):
    assert devices() == 1 and str(os.getpid()) == parent and shared == os.getpid()

@pytest.mark.hip_backend(cpu_devices=1)
def test_as_the_run():
    assert devices() == 1 and str(os.getpid()) == parent

@pytest.mark.hip_backend(cpu_devices=2)
def test_failing():
    print("two of them")
    assert devices() == 5

@pytest.mark.hip_backend(cpu_devices=2)
def test_crashing():
    os.kill(os.getpid(), 9)

@pytest.mark.hip_backend(cpu_devices=2)
def test_skipped():
    pytest.skip("for a reason")

@pytest.mark.hip_backend_off
def test_off():
    assert "CUDA_SHIM" not in os.environ
    with pytest.raises(ModuleNotFoundError):
        import cuda.bindings.driver
"""


@pytest.mark.parametrize(
    "words", [[], ["--cuda-shim=on"], ["--cuda-shim=require"], ["-n", "2"], ["-n2", "--cuda-shim=on"]]
)
def test_settings_get_a_process_where_they_need_one(run: Run, pytester: pytest.Pytester, words: list[str]) -> None:
    pytester.makepyfile(
        OWN.replace("{imports}", "from cuda.bindings import driver" if "--cuda-shim" in str(words) else "")
    )
    result = run("-W", "error", "--strict-markers", *words)
    result.assert_outcomes(passed=7, failed=2, skipped=1)
    said = ["*assert 1 == 5*", "*two of them*", "*process of its own, for its settings, which was ended by signal 9*"]
    for line in [said[0].replace("1", "2"), *said[1:], "SKIPPED * for a reason"]:
        result.stdout.fnmatch_lines([line])


def test_processes_of_tests_under_each_pytest(pytest_python: Python, run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(OWN.replace("{imports}", ""))
    program = (pytest_python.executable, "-m", "pytest")
    run("-W", "error", program=program).assert_outcomes(passed=7, failed=2, skipped=1)


def test_the_order_of_tests_does_not_matter(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(OWN.replace("{imports}", ""))
    names = ["test_failing", "test_off", "test_as_the_run", "test_checked", "test_after", "test_three", "test_before"]
    for order in (names, names[::-1]):
        result = run(*(f"test_the_order_of_tests_does_not_matter.py::{name}" for name in order))
        result.assert_outcomes(passed=7, failed=1)


def test_settings_of_the_run(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from cuda.bindings import runtime
        from cuda_shim import settings
        def test_it():
            assert runtime.cudaGetDeviceCount()[1] == 4
            chosen = settings.current()
            assert (chosen.backend, chosen.cpu_check, chosen.cuda) == ("cpu", True, "12.9")
        """
    )
    words = ["--cuda-shim-backend=cpu", "--cuda-shim-cpu-devices=4", "--cuda-shim-cpu-check=yes"]
    for more in ([], ["-n", "2"]):
        run("--cuda-shim=on", "--cuda-shim-cuda=12", *words, *more).assert_outcomes(passed=1)
    pytester.makeini(
        "[pytest]\ncuda_shim = on\ncuda_shim_backend = cpu\ncuda_shim_cpu_devices = 4\ncuda_shim_cpu_check = on\n"
        "cuda_shim_cuda = 12.9"
    )
    run().assert_outcomes(passed=1)
    run("--cuda-shim-cpu-devices=2").assert_outcomes(failed=1)
    result = run("--cuda-shim-cpu-devices=none")
    result.stderr.fnmatch_lines(["ERROR: --cuda-shim-cpu-devices=none is not allowed; use an integer from 1 to 64"])
