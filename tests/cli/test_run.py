"""``run``: its own options, the activation of the shim, and the message when that fails."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import textwrap
import zipapp
from pathlib import Path

import pytest

from cuda_shim.cli.run import interpreter_flags, parse
from cuda_shim.errors import SettingError
from tests.environments import Python
from tests.interpreters import PACKAGE_ROOT, Environment, start

PYCS = "--check-hash-based-pycs"
RUN = ("-m", "cuda_shim", "run")
STATUS = "import json, cuda_shim, cuda.bindings; print(json.dumps(cuda_shim.status()))"


def test_the_shim_is_active(environment: Environment) -> None:
    done = environment.start(*RUN, "--backend=cpu", "--cuda", "12", "--strict", "--quiet", "-c", STATUS)
    status = json.loads(done.stdout)
    assert status["origin"] == "environment"
    assert (status["backend"], status["cuda"], status["strict"]) == ("cpu", "12.9", True)


def test_options_win_over_the_environment(environment: Environment) -> None:
    variables = {"CUDA_SHIM": "0", "CUDA_SHIM_BACKEND": "rocm", "CUDA_SHIM_CUDA": "11"}
    done = environment.start(*RUN, "--backend", "cpu", "-c", STATUS, **variables)
    status = json.loads(done.stdout)
    assert (status["backend"], status["cuda"]) == ("cpu", "11.8")


def test_every_setting_is_an_option(installed: Environment) -> None:
    code = "import os; print([os.environ.get('CUDA_SHIM' + name) for name in ('', '_CPU_DEVICES', '_CPU_SPLIT')])"
    done = installed.start(*RUN, "--require", "--cpu-devices", "4", "--cpu-split=no", "-c", code)
    assert done.stdout == "['require', '4', '0']\n", done.stderr


def test_a_switch_can_be_turned_off(installed: Environment) -> None:
    code = "import os; print(os.environ['CUDA_SHIM_STRICT'])"
    assert installed.start(*RUN, "--strict=no", "-c", code, CUDA_SHIM_STRICT="1").stdout == "0\n"
    assert installed.start(*RUN, "--strict", "-c", code, CUDA_SHIM_STRICT="0").stdout == "1\n"


def test_the_report_goes_to_the_folder_of_the_start(installed: Environment, tmp_path: Path) -> None:
    code = "import os; os.chdir('/'); print(os.environ['CUDA_SHIM_REPORT'])"
    done = installed.start(*RUN, "--report=usage.json", "-c", code, cwd=tmp_path)
    assert done.stdout == f"{tmp_path}/usage.json\n", done.stderr
    assert json.loads((tmp_path / "usage.json").read_text(encoding="utf-8"))["calls"] == {}


def test_require_is_kept(environment: Environment) -> None:
    code = "import os; print(os.environ['CUDA_SHIM'])"
    assert environment.start(*RUN, "-c", code, CUDA_SHIM="require").stdout == "require\n"
    assert environment.start(*RUN, "-c", code).stdout == "1\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--backend", "gpu", "x.py"), "--backend=gpu is not allowed; use auto, rocm, cpu"),
        (("--cuda=12.4", "x.py"), "--cuda=12.4 is not allowed; use 11.8, 12.9, 13.5"),
        (("--backend",), "--backend needs a value: auto, rocm, cpu"),
        (("--bakend=cpu", "x.py"), "unknown option --bakend=cpu; did you mean --backend?"),
        (("--strict=often", "x.py"), "--strict=often is not allowed; use 1/on/yes/true or 0/off/no/false"),
        (("--cpu-devices", "none", "x.py"), "--cpu-devices=none is not allowed; use an integer from 1 to 64"),
        (("--report=/nowhere/x.json", "x.py"), "--report=/nowhere/x.json: the folder /nowhere does not exist"),
        (("--report=/", "x.py"), "--report=/: / is a folder: name a file in it"),
        (("--mode=1", "x.py"), "unknown option --mode=1; "),
        (("--nonsense",), "unknown option --nonsense; the options are --backend, --cuda, --driver, --strict, --quiet"),
    ],
)
def test_wrong_options(installed: Environment, words: tuple[str, ...], message: str) -> None:
    done = installed.start(*RUN, *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"cuda_shim: run: {message}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_wrong_environment(installed: Environment) -> None:
    done = installed.start(*RUN, "-c", "print('ran')", CUDA_SHIM_STRICT="often")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "cuda_shim: run: CUDA_SHIM_STRICT=often is not allowed; use 1/on/yes/true or 0/off/no/false\n"
    )


def test_no_site(environment: Environment) -> None:
    code = textwrap.dedent(f"""
        import sys; sys.path.append({str(PACKAGE_ROOT)!r})
        from cuda_shim.cli.main import main
        sys.exit(main(["run", "-c", "print(1)"]))
    """)
    done = environment.start("-S", "-c", code)
    assert done.returncode == 2
    assert done.stderr.startswith("cuda_shim: run: python -S skips the start-up files")


@pytest.mark.parametrize("flag", ["-I", "-E"])
def test_isolated_without_the_startup_file(uninstalled: Environment, flag: str) -> None:
    done = uninstalled.start(flag, *RUN, "-c", "print(1)")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"cuda_shim: run: python {flag} ignores PYTHONPATH and cuda_shim.pth")


def test_missing_script_is_pythons_own_error(environment: Environment, tmp_path: Path) -> None:
    done = environment.start(*RUN, "nothing.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "can't open file" in done.stderr
    assert "nothing.py" in done.stderr


def test_flags_of_python_after_run(environment: Environment) -> None:
    code = "import sys; print(sys.flags.optimize, sys.argv)"
    assert environment.start(*RUN, "--quiet", "-O", "-c", code, "-x").stdout == "1 ['-c', '-x']\n"


def test_double_dash_ends_our_options(environment: Environment, tmp_path: Path) -> None:
    script = tmp_path / "--quiet"
    script.write_text("import sys; print(sys.argv)")
    assert parse(["--", "--quiet"]).target == ["--quiet"]
    assert environment.start(*RUN, "--", "-c", "print(1)").stdout == "1\n"


@pytest.mark.parametrize(
    ("original", "flags"),
    [
        (["python", "-m", "cuda_shim", "run"], []),
        (["python", "-mcuda_shim", "run", "-u", "x"], []),
        (["python", "-uBm", "cuda_shim", "run"], ["-uB"]),
        (["python", "-X", "dev", "-Wm", "-W", "m", "-m", "cuda_shim"], ["-X", "dev", "-Wm", "-W", "m"]),
        (["python", "-uX", "utf8", "-Im", "cuda_shim"], ["-uX", "utf8", "-I"]),
        (["python", PYCS, "always", "-m", "cuda_shim"], [PYCS, "always"]),
        (["python", f"{PYCS}=always", "-mcuda_shim"], [f"{PYCS}=always"]),
        (["python", "-E", "/usr/bin/cuda-shim", "run", "-u", "x.py"], ["-E"]),
        (["python"], []),
    ],
)
def test_interpreter_flags(original: list[str], flags: list[str]) -> None:
    assert interpreter_flags(original) == flags


def test_parse_stops_at_the_program() -> None:
    parsed = parse(["--quiet", "--backend=cpu", "x.py", "--cuda", "99", "--nonsense"])
    assert parsed.environment == {"CUDA_SHIM_QUIET": "1", "CUDA_SHIM_BACKEND": "cpu"}
    assert parsed.target == ["x.py", "--cuda", "99", "--nonsense"]
    assert parse([]).target == []
    with pytest.raises(SettingError):
        parse(["--cuda"])


def test_zipapp(tmp_path: Path, uninstalled: Environment) -> None:
    """The package works from a zip file without installation."""
    shutil.copytree(PACKAGE_ROOT / "cuda_shim", tmp_path / "app" / "cuda_shim",
                    ignore=shutil.ignore_patterns("__pycache__", "_build*"))  # fmt: skip
    shutil.copytree(PACKAGE_ROOT / "hip_on_host", tmp_path / "app" / "hip_on_host",
                    ignore=shutil.ignore_patterns("__pycache__", "src", "device", "prebuilt"))  # fmt: skip
    main = "from cuda_shim.cli.main import main\nraise SystemExit(main())\n"
    (tmp_path / "app" / "__main__.py").write_text(main)
    zipapp.create_archive(tmp_path / "app", tmp_path / "app.pyz")
    (uninstalled.site_packages / "_editable_impl_cuda_shim.pth").rename(tmp_path / "aside")
    try:
        code = "import cuda_shim, sys; print(cuda_shim.is_enabled(), cuda_shim.__file__); print(sys.path[0])"
        done = uninstalled.start(tmp_path / "app.pyz", "run", "-c", code, cwd=tmp_path)
    finally:
        (tmp_path / "aside").rename(uninstalled.site_packages / "_editable_impl_cuda_shim.pth")
    assert done.stdout == f"True {tmp_path}/app.pyz/cuda_shim/__init__.py\n\n", done.stderr


def test_children_of_the_fallback_are_active(uninstalled: Environment) -> None:
    child = "import cuda_shim; print(cuda_shim.is_enabled())"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    assert uninstalled.start(*RUN, "-c", code).stdout == "True\n"


SITECUSTOMIZE = {"module": "sitecustomize.py", "package": "sitecustomize/__init__.py"}


@pytest.mark.parametrize("form", SITECUSTOMIZE)
def test_fallback_chains_to_the_real_sitecustomize(uninstalled: Environment, tmp_path: Path, form: str) -> None:
    path = tmp_path / "custom" / SITECUSTOMIZE[form]
    path.parent.mkdir(parents=True)
    path.write_text("import sys; sys.custom = [__name__, __file__]; helper = 1\n")
    code = textwrap.dedent("""
        import sys, os, cuda_shim
        import sitecustomize
        print(sys.custom, sitecustomize.helper, cuda_shim.is_enabled(), "_bootstrap" in "".join(sys.path))
    """)
    done = uninstalled.start(*RUN, "-c", code, PYTHONPATH=str(tmp_path / "custom"))
    assert done.stdout == f"['sitecustomize', '{path}'] 1 True False\n", done.stderr


def test_fallback_lets_a_failing_sitecustomize_fail_as_usual(uninstalled: Environment, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("raise OSError('mine')\n")
    variables = {"PYTHONPATH": str(tmp_path)}
    plain = uninstalled.start("-c", "print('ran')", **variables)
    run = uninstalled.start(*RUN, "-c", "print('ran')", **variables)
    assert "Error in sitecustomize" in plain.stderr
    # Twice: site prints it in the interpreter of run, and in the program's.
    assert (run.stdout, run.stderr) == (plain.stdout, plain.stderr * 2)


@pytest.mark.parametrize("missing", ["another_module", "sitecustomize"])
def test_fallback_and_a_sitecustomize_with_an_import_error(
    uninstalled: Environment, tmp_path: Path, missing: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"raise ImportError('x', name={missing!r})\n")
    plain = uninstalled.start("-c", "print('ran')", PYTHONPATH=str(tmp_path))
    run = uninstalled.start(*RUN, "-c", "print('ran')", PYTHONPATH=str(tmp_path))
    assert (run.stdout, run.stderr) == (plain.stdout, plain.stderr * 2)


def test_console_script(installed: Environment, tmp_path: Path) -> None:
    """The file that pip writes for the entry point cuda-shim."""
    script = tmp_path / "cuda-shim"
    script.write_text(f"#!{installed.python}\nimport sys\nfrom cuda_shim.cli.main import main\nsys.exit(main())\n")
    script.chmod(0o755)
    done = subprocess.run(
        [script, "run", "-c", "import sys, cuda_shim; print(sys.argv, cuda_shim.is_enabled())", "x"],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.stdout == "['-c', 'x'] True\n", done.stderr


def test_help_says_the_options(installed: Environment) -> None:
    done = installed.start(*RUN, "--help")
    assert done.returncode == 0
    for option in ("--backend", "--cuda", "--strict", "--quiet", "-m MODULE", "-c CODE"):
        assert option in done.stdout


def test_composes_with_runners(environment: Environment, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text("import cuda.bindings, sys\nprint(sys.argv[1:], cuda.bindings)\n")
    counts = str(tmp_path / "counts")
    for runner in (("-m", "cProfile", "-o", os.devnull), ("-m", "trace", "--count", "-C", counts)):
        done = environment.start(*RUN, *runner, "prog.py", "--x", cwd=tmp_path)
        assert done.stdout.startswith("['--x'] <module 'cuda.bindings'"), done.stderr


def test_plain_python_is_untouched_by_the_checkout() -> None:
    """Without run, without CUDA_SHIM: nothing of ours is loaded."""
    code = "import sys; print([m for m in sys.modules if 'cuda' in m])"
    done = start("-c", code, PYTHONPATH=str(PACKAGE_ROOT))
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("flag", ["--cpu-check", "--strict", "--report"])
@pytest.mark.parametrize("word", ["1", "on", "No"])
def test_a_word_for_yes_or_no_is_the_value_and_no_script(flag: str, word: str) -> None:
    variable = f"CUDA_SHIM_{flag[2:].upper().replace('-', '_')}"
    invocation = parse([flag, word, "x.py", "--strict"])
    assert invocation.environment == {variable: "0" if word == "No" else "1"}
    assert invocation.target == ["x.py", "--strict"]
    assert parse([flag, "x.py"]).environment == {variable: "1"}


def test_a_report_on_record() -> None:
    assert parse(["--report", "record", "x.py"]).environment == {"CUDA_SHIM_REPORT": "record"}


USE = "from cuda.bindings import driver\ndriver.cuInit(0)\n"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--backend", "rocm"), "backend rocm (--backend): hip-python's search ended with: "),
        (("--backend=cpu", "--cxx", "/no/cxx"), "--cxx '/no/cxx' is no working C++17 compiler: no such program"),
        (
            ("--backend=cpu", "--cache-dir", "/proc/none"),
            "cannot write the cache folder /proc/none (No such file or directory): set --cache-dir to a folder of yours",
        ),
    ],
)
def test_setup_errors_are_one_line_and_a_status(tmp_path: Path, flags: tuple[str, ...], message: str) -> None:
    pytest.importorskip("hip")
    program = tmp_path / "program.py"
    program.write_text(USE)
    done = start(*RUN, *flags, program, PYTHONPATH=str(PACKAGE_ROOT), ROCM_PATH="/nonexistent")
    assert done.returncode == 2
    assert done.stderr.startswith(f"cuda_shim: {message}")
    assert done.stderr.endswith(f" ({program}, line 2)\n")
    assert done.stderr.count("\n") == 1


def test_other_errors_and_caught_ones_are_pythons_own(tmp_path: Path) -> None:
    pytest.importorskip("hip")
    code = f"try:\n    exec({USE!r})\nexcept ImportError as error:\n    print(type(error).__name__)\n1 / 0"
    done = start(*RUN, "--cxx=/no/cxx", "--backend=cpu", "-c", code, PYTHONPATH=str(PACKAGE_ROOT))
    assert (done.returncode, done.stdout) == (1, "BackendNotFound\n")
    assert done.stderr.startswith("Traceback (most recent call last)")
    assert done.stderr.endswith("ZeroDivisionError: division by zero\n")


def test_a_child_is_no_program_of_run(tmp_path: Path) -> None:
    """Its errors are exceptions, as everywhere: only the program itself ends with a line."""
    pytest.importorskip("hip")
    child = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {USE!r}]))"
    done = start(*RUN, "--cxx=/no/cxx", "--backend=cpu", "-c", child, PYTHONPATH=str(PACKAGE_ROOT))
    assert done.returncode == 1
    assert "BackendNotFound: --cxx '/no/cxx' is no working" in done.stderr.splitlines()[-1]


MISTAKES = pytest.mark.parametrize(
    ("code", "last"),
    [
        ("\nimport cuda.bindings.nvml", "ModuleNotFoundError: cuda_shim does not serve cuda.bindings.nvml: "),
        ("\nfrom cuda.bindings import nvml", "ImportError: cuda_shim does not serve cuda.bindings.nvml: "),
        ("\nimport cuda.bindings.driver, cuda.bindings.nvml", "ModuleNotFoundError: cuda_shim does not serve "),
        ("\nimport cuda.nonsense", "ModuleNotFoundError: No module named 'cuda.nonsense'"),
        ("\nfrom cuda.bindings import driver", "; rename that file"),
    ],
)


@MISTAKES
def test_frames_of_the_hook_do_not_show(environment: Environment, tmp_path: Path, code: str, last: str) -> None:
    ends_at_its_own_line(environment, RUN, tmp_path, code, last)


@MISTAKES
@pytest.mark.parametrize("way", ["environment", "enable"])
def test_nor_where_nothing_of_ours_prints_them(
    installed: Environment, tmp_path: Path, way: str, code: str, last: str
) -> None:
    """The traceback itself has none, so any program shows it without."""
    if way == "enable":
        ends_at_its_own_line(installed, (), tmp_path, f"import cuda_shim; cuda_shim.enable(){code}", last)
    else:
        ends_at_its_own_line(installed, (), tmp_path, code, last, CUDA_SHIM="1")


def ends_at_its_own_line(
    environment: Environment, words: tuple[str, ...], folder: Path, code: str, last: str, **variables: str
) -> None:
    """A mistake of a program in this folder ends at the program's own line."""
    if last.endswith("file"):
        (folder / "cuda.py").write_text("")
    script = folder / "program.py"
    script.write_text(code + "\n")
    done = environment.start(*words, script, **variables)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    files = [line.split(",")[0] for line in lines if line.startswith("  File ")]
    assert files == [f'  File "{script}"'], done.stderr
    assert last in lines[-1]


def test_frames_of_a_mistyped_name_do_not_show(any_shim_python: Python) -> None:
    code = "from cuda.bindings import driver; driver.cuMemAlocc"
    done = any_shim_python.start(*RUN, "-c", code)
    assert done.stderr.splitlines()[-1].endswith("has no attribute 'cuMemAlocc'. Did you mean: 'cuMemAlloc'?")
    assert done.stderr.count("  File ") == 1
