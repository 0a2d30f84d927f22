"""``run`` is python: one probe under both, compared field by field."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import HANG, Environment, clean_environment

RUN = ("-m", "cuda_shim", "run")
PROBE = Path(__file__).with_name("probe.py")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program of several files, in a folder of its own."""
    folder = tmp_path / "some program"
    (folder / "package").mkdir(parents=True)
    shutil.copy(PROBE, folder / "probe.py")
    shutil.copy(PROBE, folder / "package" / "__main__.py")
    (folder / "package" / "__init__.py").write_text("")
    (folder / "sibling.py").write_text("")
    return folder


def both(environment: Environment, *words: str | Path, **keywords: Any) -> list[subprocess.CompletedProcess[str]]:
    """Run the same words under python and under run."""
    return [environment.start(*words, **keywords), environment.start(*RUN, *words, **keywords)]


def assert_same_probe(plain: subprocess.CompletedProcess[str], run: subprocess.CompletedProcess[str]) -> None:
    assert plain.returncode == 0, plain.stderr
    assert (run.returncode, run.stderr) == (0, plain.stderr)
    expected = [json.loads(line) for line in plain.stdout.splitlines()]
    found = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(found) == len(expected) == 2
    assert found[1] == expected[1] == {"atexit sees my main": True}
    for field, value in expected[0].items():
        assert found[0][field] == value, field


def test_script(environment: Environment, program: Path) -> None:
    words = (program / "probe.py", "a b", "--backend=x", "-m", "", "--", "spawn")
    assert_same_probe(*both(environment, *words, cwd="/", stdin="some\ninput"))


def test_relative_script(environment: Environment, program: Path) -> None:
    assert_same_probe(*both(environment, "probe.py", "spawn", cwd=program, stdin=""))


def test_module(environment: Environment, program: Path) -> None:
    assert_same_probe(*both(environment, "-m", "probe", "-c", "spawn", cwd=program, stdin="x"))
    assert_same_probe(*both(environment, "-mprobe", cwd=program, stdin="x"))


def test_package(environment: Environment, program: Path) -> None:
    assert_same_probe(*both(environment, "-m", "package", "x", cwd=program, stdin=""))


def test_folder_and_zip(environment: Environment, program: Path, tmp_path: Path) -> None:
    shutil.move(program / "package" / "__main__.py", program / "__main__.py")
    assert_same_probe(*both(environment, program, "x", cwd=tmp_path, stdin=""))
    zipped = shutil.make_archive(str(tmp_path / "program"), "zip", program)
    assert_same_probe(*both(environment, zipped, "x", cwd=tmp_path, stdin=""))


def test_code(environment: Environment, program: Path) -> None:
    code = PROBE.read_text(encoding="utf-8")
    assert_same_probe(*both(environment, "-c", code, "-c", "x", cwd=program))


def test_stdin(environment: Environment, program: Path) -> None:
    code = PROBE.read_text(encoding="utf-8")
    assert_same_probe(*both(environment, "-", "x", cwd=program, stdin=code))
    assert_same_probe(*both(environment, cwd=program, stdin=code))


@pytest.mark.parametrize(
    "flags",
    [
        ("-u", "-B"), ("-OO",), ("-W", "error::UserWarning", "-Wignore::ImportWarning"),
        ("-X", "dev", "-Xfaulthandler"), ("-X", "some_program=1"), ("-bb", "-q", "-v"), ("-s",),
        ("--check-hash-based-pycs", "never"),
    ],
)  # fmt: skip
def test_interpreter_flags(installed: Environment, program: Path, flags: tuple[str, ...]) -> None:
    words = (program / "probe.py", "x")
    plain = installed.start(*flags, *words, stdin="")
    run = installed.start(*flags, *RUN, *words, stdin="")
    if "-v" in flags:  # its report of every import is not the program's
        plain.stderr = run.stderr = ""
    assert_same_probe(plain, run)


@pytest.mark.parametrize("flag", ["-I", "-E"])
def test_isolated(installed: Environment, program: Path, flag: str) -> None:
    code = PROBE.read_text(encoding="utf-8").replace("import sibling", "import json as sibling")
    plain = installed.start(flag, "-c", code, cwd=program)
    assert_same_probe(plain, installed.start(flag, *RUN, "-c", code, cwd=program))


def test_clustered_flags(installed: Environment, program: Path) -> None:
    plain = installed.start("-uB", program / "probe.py", stdin="")
    for cluster in (("-uBm", "cuda_shim"), ("-uBmcuda_shim",), ("-u", "-B", "-mcuda_shim")):
        assert_same_probe(plain, installed.start(*cluster, "run", program / "probe.py", stdin=""))


FAILURES = {
    "exception": "def f():\n    1 / 0\nf()\n",
    "chained": "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('x') from e\n",
    "syntax": "x = (1,\n",
    "exit number": "import sys; sys.exit(7)",
    "exit text": "import sys; sys.exit('said on stderr')",
    "exit nothing": "raise SystemExit",
    "hard exit": "import os; print('lost?', flush=True); os._exit(9)",
    "abort": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "terminated": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "interrupted": "import os, signal; os.kill(os.getpid(), signal.SIGINT)\nwhile True: pass",
    "thread": "import threading; t = threading.Thread(target=lambda: 1 / 0, name='t'); t.start(); t.join()",
    "atexit": "import atexit; atexit.register(lambda: 1 / 0)",
    "warning": "import warnings; warnings.warn('careful')",
    "missing cuda": "import cuda_nothing",
}


@pytest.mark.parametrize("text", FAILURES.values(), ids=FAILURES)
def test_failures(environment: Environment, tmp_path: Path, text: str) -> None:
    """Exit status, traceback without a frame of ours, signals."""
    script = tmp_path / "failing.py"
    script.write_text(text)
    for words, stdin in (((script,), None), (("-c", text), None), (("-",), text)):
        plain, run = both(environment, *words, stdin=stdin)
        assert (run.returncode, run.stdout) == (plain.returncode, plain.stdout)
        assert re.sub("0x[0-9a-f]+", "", run.stderr) == re.sub("0x[0-9a-f]+", "", plain.stderr)


@pytest.mark.parametrize("words", [("nothing.py",), ("-m", "nothing"), ("-m", "os.nothing"), (".",), ("-Z",), ("-c",)])
def test_pythons_own_errors(environment: Environment, tmp_path: Path, words: tuple[str, ...]) -> None:
    plain, run = both(environment, *words, cwd=tmp_path)
    assert plain.returncode in (1, 2)
    assert (run.returncode, run.stdout, run.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_cuda_in_dash_m_names_its_reason(environment: Environment) -> None:
    done = environment.start(*RUN, "-m", "cuda.bindings.driver")
    assert done.stderr.endswith("No code object available for cuda.bindings.driver\n")
    assert done.returncode == 1


def test_process_id_and_signals(environment: Environment) -> None:
    """A supervisor's signal reaches the program: exec keeps the process."""
    # Short sleeps: a signal that comes just before a long one is noticed by Python only at its end.
    code = "import os, time\nprint(os.getpid(), flush=True)\nwhile True: time.sleep(0.05)"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with subprocess.Popen(
            [environment.python, *RUN, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            encoding="utf-8", env=clean_environment(),
        ) as process:  # fmt: skip
            assert process.stdout is not None
            assert int(process.stdout.readline()) == process.pid
            process.send_signal(number)
            try:
                assert process.wait(HANG) == -number
            finally:
                process.kill()


def test_broken_pipe(environment: Environment) -> None:
    """head closing early ends run as it ends python."""
    results = []
    for words in ((), RUN):
        code = "for i in range(100000): print(i)"
        with subprocess.Popen(
            [environment.python, *words, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            encoding="utf-8", env=clean_environment(),
        ) as process:  # fmt: skip
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            results.append((process.stderr.read(), process.wait(HANG)))
    assert results[0] == results[1]


def talk(command: list[str], lines: str) -> tuple[str, int]:
    """Type lines into a program at a terminal; return the screen and the exit status."""
    primary, secondary = pty.openpty()
    process = subprocess.Popen(
        command, stdin=secondary, stdout=secondary, stderr=secondary, start_new_session=True,
        env=clean_environment(TERM="dumb", PYTHON_BASIC_REPL="1", PYTHON_COLORS="0"),
    )  # fmt: skip
    os.close(secondary)
    screen = b""
    pending = lines.splitlines(keepends=True)
    while True:
        if not select.select([primary], [], [], HANG)[0]:
            process.kill()
            raise AssertionError(f"nothing more came after {screen!r}")
        try:
            chunk = os.read(primary, 4096)
        except OSError:  # Linux reports the end of a terminal this way
            break
        if not chunk:
            break
        screen += chunk
        if screen.endswith((b">>> ", b"... ")) and pending:
            os.write(primary, pending.pop(0).encode())
    os.close(primary)
    return screen.decode(), process.wait(HANG)


def test_prompt_at_a_terminal(environment: Environment) -> None:
    lines = "import sys\nsys.argv, sys.path[0], __name__\nsys.ps1, sys.stdin.isatty()\n1/0\nexit(3)\n"
    python = str(environment.python)
    expected = talk([python, "-q"], lines)
    assert expected[1] == 3
    assert "ZeroDivisionError" in expected[0]
    assert "([''], '', '__main__')" in expected[0]
    assert talk([python, "-q", *RUN], lines) == expected
    assert talk([python, *RUN, "-q"], lines) == expected


def test_inspect_flag_at_a_terminal(environment: Environment, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("answer = 42\n")
    python, lines = str(environment.python), "answer\nexit(4)\n"
    expected = talk([python, "-i", str(script)], lines)
    assert (expected[1], "42" in expected[0]) == (4, True)
    assert talk([python, "-i", *RUN, str(script)], lines) == expected
