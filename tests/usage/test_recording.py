"""Recording in real programs: the counts, the processes that count, and no cost when it is off."""

from __future__ import annotations

import json
import signal
import textwrap
from pathlib import Path
from typing import Any

from tests.environments import Python
from tests.program_files import read_program

RUN = ("-m", "cuda_shim", "run")


def recorded(python: Python, folder: Path, code: str, *words: str, **environment: str) -> dict[str, Any]:
    """Run a program and return its report."""
    script = folder / "program.py"
    script.write_text(textwrap.dedent(code))
    python.run(*RUN, *words, f"--report={folder}/usage.json", script, **environment)
    document: dict[str, Any] = json.loads((folder / "usage.json").read_text(encoding="utf-8"))
    return document


def test_calls_errors_and_exceptions(any_shim_python: Python, tmp_path: Path) -> None:
    report = recorded(
        any_shim_python,
        tmp_path,
        """
        from cuda.bindings import driver, runtime
        driver.cuInit(0), driver.cuInit(0)
        runtime.cudaMalloc(1 << 60)
        try: runtime.cudaMalloc("x")
        except TypeError: pass
        driver.cuCtxAttach(0)
        assert runtime.cudaGetErrorName(runtime.cudaError_t(0))[1]
        """,
    )
    calls = report["calls"]
    assert report["processes"] == 1
    assert {name: call["count"] for name, call in calls.items()} == {
        "cuInit": 2, "cudaMalloc": 2, "cuCtxAttach": 1, "cudaGetErrorName": 1,
    }  # fmt: skip
    assert calls["cuInit"]["errors"] == calls["cudaGetErrorName"]["errors"] == {}
    assert calls["cudaMalloc"]["errors"] == {"cudaErrorMemoryAllocation": 1}
    assert calls["cudaMalloc"]["raised"] == {"TypeError": 1}
    assert calls["cuCtxAttach"]["support"] == "unsupported"
    assert all(call["seconds"] > 0 for call in calls.values())
    ((met,),) = [report["unsupported"]]
    assert (met["name"], met["count"]) == ("cuCtxAttach", 1)


def test_unsupported_arguments_and_hallucinated_constants(any_shim_python: Python, tmp_path: Path) -> None:
    report = recorded(
        any_shim_python,
        tmp_path,
        """
        from cuda.bindings import driver, runtime
        driver.cuInit(0), driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
        driver.cuCtxGetLimit(driver.CUlimit.CU_LIMIT_SHMEM_SIZE)
        runtime.cudaError_t.hallucinate = True
        for _ in range(3): runtime.cudaError_t.cudaErrorOfNobody
        """,
    )
    assert report["hallucinated"] == {"cudaError_t.cudaErrorOfNobody": 3}
    assert [(met["name"], met["reason"]) for met in report["unsupported"]] == [
        ("cuCtxGetLimit", "CU_LIMIT_SHMEM_SIZE has no HIP counterpart")
    ]


def test_strict_calls_are_counted_as_raised(any_shim_python: Python, tmp_path: Path) -> None:
    code = """
        from cuda.bindings import driver
        driver.cuInit(0)
        try: driver.cuCtxAttach(0)
        except NotImplementedError: pass
    """
    report = recorded(any_shim_python, tmp_path, code, "--strict")
    assert report["calls"]["cuCtxAttach"]["raised"] == {"UnsupportedAPI": 1}
    assert len(report["unsupported"]) == 1


def test_children_of_every_kind_are_part_of_it(any_shim_python: Python, tmp_path: Path) -> None:
    """Also those that end in ways in which Python runs nothing any more."""
    report = recorded(
        any_shim_python,
        tmp_path,
        read_program(__file__, "recording_children.py"),
    )
    assert report["calls"]["cuInit"]["count"] == 3 * 3 + 3
    assert report["processes"] == 12


def test_a_parent_that_makes_no_call_reports_its_children(any_shim_python: Python, tmp_path: Path) -> None:
    code = """
        import subprocess, sys
        code = "from cuda.bindings import driver; driver.cuInit(0)"
        subprocess.run([sys.executable, "-c", code], check=True)
    """
    assert recorded(any_shim_python, tmp_path, code)["calls"]["cuInit"]["count"] == 1


def test_threads_lose_nothing(any_shim_python: Python, tmp_path: Path) -> None:
    code = """
        import threading, sys
        from cuda.bindings import runtime
        sys.setswitchinterval(1e-6)
        def many():
            for _ in range(2000): runtime.cudaRuntimeGetVersion()
        threads = [threading.Thread(target=many) for _ in range(8)]
        [thread.start() for thread in threads], [thread.join() for thread in threads]
    """
    assert recorded(any_shim_python, tmp_path, code)["calls"]["cudaRuntimeGetVersion"]["count"] == 16000


def test_the_table_is_printed_when_no_file_is_named(any_shim_python: Python, tmp_path: Path) -> None:
    code = "from cuda.bindings import driver; driver.cuInit(0); print('out')"
    done = any_shim_python.start(*RUN, "--report", "-c", code, TMPDIR=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "out\n")
    assert done.stderr.startswith("cuda_shim: 1 CUDA calls, ")
    assert "cuInit" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_environment_variable_alone(any_shim_python: Python, tmp_path: Path) -> None:
    """Relative paths count from where the program started; %p is its number."""
    code = "import os; os.chdir('/'); from cuda.bindings import driver; driver.cuInit(0); print(os.getpid())"
    number = any_shim_python.run("-c", code, cwd=tmp_path, CUDA_SHIM="1", CUDA_SHIM_REPORT="usage-%p.json").strip()
    assert json.loads((tmp_path / f"usage-{number}.json").read_text(encoding="utf-8"))["calls"]["cuInit"]["count"] == 1
    any_shim_python.run("-c", "print()", cwd=tmp_path, CUDA_SHIM_REPORT="off.json")
    assert not (tmp_path / "off.json").exists()


def test_an_exec_is_the_same_program(any_shim_python: Python, tmp_path: Path) -> None:
    code = """
        import os, sys
        from cuda.bindings import driver
        driver.cuInit(0)
        if len(sys.argv) == 1: os.execv(sys.executable, [sys.executable, __file__, "again"])
    """
    assert recorded(any_shim_python, tmp_path, code)["calls"]["cuInit"]["count"] == 2


def test_exit_codes_and_signals_stay(any_shim_python: Python, tmp_path: Path) -> None:
    call = "import os, sys; from cuda.bindings import driver; driver.cuInit(0); "
    options = (*RUN, f"--report={tmp_path}/usage.json", "-c")
    assert any_shim_python.start(*options, call + "sys.exit(7)").returncode == 7
    assert json.loads((tmp_path / "usage.json").read_text(encoding="utf-8"))["calls"]["cuInit"]["count"] == 1
    ended = any_shim_python.start(*options, call + f"os.kill(os.getpid(), {int(signal.SIGTERM)})")
    assert ended.returncode == -signal.SIGTERM


def test_a_report_that_cannot_be_written_is_one_line(any_shim_python: Python, tmp_path: Path) -> None:
    code = f"import os; os.rmdir({str(tmp_path / 'gone')!r}); print('fine')"
    (tmp_path / "gone").mkdir()
    done = any_shim_python.start(*RUN, f"--report={tmp_path}/gone/usage.json", "-c", code)
    assert (done.returncode, done.stdout) == (0, "fine\n")
    assert done.stderr.startswith("cuda_shim: the usage report could not be written: ")
    assert done.stderr.count("\n") == 1


def test_a_temporary_folder_that_cannot_be_used(any_shim_python: Python) -> None:
    done = any_shim_python.start(*RUN, "--report", "-c", "print('fine')", TMPDIR="/nowhere")
    assert (done.returncode, done.stdout) == (0, "fine\n")
    assert "no folder for the usage report can be made in /nowhere" in done.stderr


def test_recording_in_a_program(any_shim_python: Python) -> None:
    """It can begin at any time, counts calls of functions bound before, ends with the session, and leaves no trace."""
    code = read_program(__file__, "recording_in_a_program.py")
    refused, *counts = json.loads(any_shim_python.run("-c", textwrap.dedent(code)))
    assert "no usage is recorded" in refused
    assert counts == [2, 2, 3]


def test_bodies_without_recording_have_no_trace_of_it(any_shim_python: Python) -> None:
    """The functions are swapped; there is no test in them that every call would pay for."""
    code = """
        import cuda_shim; cuda_shim.enable()
        from cuda.bindings import driver
        driver.cuInit(0)
        before = driver.cuInit.__code__.co_names
        cuda_shim.enable(report="record")
        print(any("wrapped" in name for name in before), "__wrapped__" in driver.cuInit.__code__.co_names)
    """
    assert any_shim_python.run("-c", textwrap.dedent(code)) == "False True\n"


def test_the_signature_stays(any_shim_python: Python) -> None:
    code = """
        import inspect
        from cuda.bindings import driver
        before = inspect.signature(driver.cuStreamCreateWithPriority)
        driver.cuInit(Flags=0), driver.cuStreamCreateWithPriority(flags=0, priority=0)
        print(before == inspect.signature(driver.cuStreamCreateWithPriority))
    """
    command = (*RUN, "--report=record", "-c", textwrap.dedent(code))
    assert any_shim_python.run(*command) == "True\n"


def test_children_that_outlive_the_report_go_on(any_shim_python: Python, tmp_path: Path) -> None:
    """The pipe stays open as long as the child, so the test ends when the child does."""
    code = """
        import os, sys, time
        from cuda.bindings import driver
        parent = os.getpid()
        if os.fork() == 0:
            while os.getppid() == parent: time.sleep(0.01)
            driver.cuInit(0), driver.cuInit(0)
            print("still here", flush=True)
            os._exit(0)
        driver.cuInit(0)
    """
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(code))
    done = any_shim_python.start(*RUN, f"--report={tmp_path}/usage.json", script)
    assert (done.stdout, done.stderr) == ("still here\n", "")
    assert json.loads((tmp_path / "usage.json").read_text(encoding="utf-8"))["calls"]["cuInit"]["count"] == 1
