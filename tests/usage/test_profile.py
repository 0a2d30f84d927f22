"""Profiles and timelines of real programs: the work, its line, its duration; and a picture of it for the docs."""

from __future__ import annotations

import json
import os
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from cuda_shim.usage.profile import Profile
from cuda_shim.usage.profile_table import tables
from cuda_shim.usage.timeline import Activity, Call
from cuda_shim.usage.timings import Times
from cuda_shim.usage.trace import trace_events
from tests.environments import ROOT, Python
from tests.usage import timeline_picture

PROGRAM = Path(__file__).with_name("measured.py")
RUN = ("-W", "error", "-m", "cuda_shim", "run", "--backend", "cpu")
LAUNCHES = 5
PICTURES = ROOT / "docs/pictures"


def line_of(text: str) -> int:
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.fixture(scope="module")
def measured(any_shim_python: Python, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], ...]:
    """The profile, the trace and the report of one run."""
    folder = tmp_path_factory.mktemp("measured")
    paths = [folder / f"{what}.json" for what in ("profile", "trace", "report")]
    words = [f"--{path.stem}={path}" for path in paths]
    done = any_shim_python.start(*RUN, *words, PROGRAM, *["saxpy"] * LAUNCHES, cwd=PROGRAM.parent)
    assert (done.returncode, done.stderr) == (0, "")
    return tuple(json.loads(path.read_text(encoding="utf-8")) for path in paths)


def test_a_profile(measured: tuple[dict[str, Any], ...]) -> None:
    profile = measured[0]
    assert set(profile) == {"format", "cuda_shim", "seconds", "kernels", "copies", "sites", "calls", "not_measured"}
    assert (profile["format"], profile["not_measured"]) == (1, None)
    (saxpy,) = profile["kernels"].values()
    assert list(profile["kernels"]) == ["saxpy"]
    assert saxpy["count"] == LAUNCHES
    assert 0 < saxpy["mean"] <= saxpy["longest"] <= saxpy["seconds"] <= profile["seconds"]
    assert saxpy["mean"] == pytest.approx(saxpy["seconds"] / LAUNCHES)
    copy = profile["copies"]["copy host to device"]
    assert (copy["count"], copy["bytes"]) == (1, 1024)
    assert copy["gib_per_second"] == pytest.approx(1024 / copy["seconds"] / 2**30)
    assert profile["copies"]["fill device memory"]["bytes"] == 1024
    assert profile["calls"]["cuLaunchKernel"]["count"] == LAUNCHES
    assert profile["calls"]["nvrtcCompileProgram"]["count"] == 1
    sites = {(row["site"], row["what"]): row for row in profile["sites"]}
    launched = f"measured.py:{line_of('# the launch')} in launch"
    assert sites[launched, "kernel saxpy"]["count"] == sites[launched, "cuLaunchKernel"]["count"] == LAUNCHES
    assert sites[launched, "kernel saxpy"]["seconds"] == pytest.approx(saxpy["seconds"])
    assert sites[f"measured.py:{line_of('cudaMemcpy(x')} in main", "copy host to device"]["bytes"] == 1024


def test_a_report_has_the_profile(measured: tuple[dict[str, Any], ...]) -> None:
    profile, _, report = measured
    assert report["profile"]["kernels"]["saxpy"]["count"] == profile["kernels"]["saxpy"]["count"]
    assert report["calls"]["cuLaunchKernel"]["count"] == LAUNCHES


def test_a_trace(measured: tuple[dict[str, Any], ...]) -> None:
    """As Chrome's format has it: complete events, names of the rows, arrows from calls to the work that they start."""
    events = measured[1]["traceEvents"]
    shown = [event for event in events if event["ph"] == "X"]
    assert all(event["ts"] >= 0 and event["dur"] >= 0 for event in shown)
    assert min(event["ts"] for event in shown) == 0
    kernels = [event for event in shown if event["cat"] == "kernel"]
    calls = [event for event in shown if event["name"] == "cuLaunchKernel"]
    assert len(kernels) == len(calls) == LAUNCHES
    for call, kernel in zip(calls, kernels, strict=True):
        assert kernel["name"] == "saxpy"
        assert kernel["ts"] >= call["ts"]
        assert kernel["args"]["line"] == call["args"]["line"] == f"measured.py:{line_of('# the launch')} in launch"
    rows = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert all((event["pid"], event["tid"]) in rows for event in shown)
    assert rows[kernels[0]["pid"], kernels[0]["tid"]] == "device 0, default stream"
    assert rows[calls[0]["pid"], calls[0]["tid"]] == f"calls of thread {calls[0]['tid']}"
    starts = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    assert starts.keys() == ends.keys()
    assert len(starts) == LAUNCHES + 2
    assert {event["tid"] for event in ends.values()} == {kernels[0]["tid"]}


def test_streams_children_graphs_and_host_functions(any_shim_python: Python, tmp_path: Path) -> None:
    script, path = tmp_path / "streams.py", tmp_path / "trace.json"
    script.write_text(
        f"""
import os, runpy, sys
sys.argv = ["", "saxpy"]
space = runpy.run_path({str(PROGRAM)!r})
runtime, driver = space["runtime"], space["driver"]
checked = space["checked"]
checked(runtime.cudaFree(0))
memory = checked(runtime.cudaMalloc(64))
stream = checked(runtime.cudaStreamCreate())
checked(runtime.cudaStreamBeginCapture(stream, runtime.cudaStreamCaptureMode.cudaStreamCaptureModeGlobal))
checked(runtime.cudaMemsetAsync(memory, 1, 64, stream))
graph = checked(runtime.cudaStreamEndCapture(stream))
instance = checked(runtime.cudaGraphInstantiate(graph, 0))
checked(runtime.cudaGraphLaunch(instance, stream))
checked(runtime.cudaGraphLaunch(instance, stream))
checked(runtime.cudaStreamSynchronize(stream))
child = os.fork()
if not child:
    checked(runtime.cudaMemset(memory, 2, 64))
    os._exit(0)
os.waitpid(child, 0)
print(os.getpid(), child)
"""
    )
    output = any_shim_python.run(*RUN, f"--trace={path}", script)
    parent, child = map(int, output.split())
    events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    fills = [event for event in events if event.get("cat") == "fill"]
    assert [event["pid"] for event in fills] == [parent, parent, child]
    rows = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
    names = [rows[event["pid"], event["tid"]] for event in fills]
    assert names[0] == names[1] != "device 0, default stream" == names[2]
    launches = [event for event in events if event.get("name") == "cudaGraphLaunch"]
    arrows = {event["ts"] for event in events if event["ph"] == "s"}
    assert {event["ts"] for event in launches} <= arrows  # the work of a graph belongs to its launch


def test_tables_when_the_program_ends(any_shim_python: Python) -> None:
    done = any_shim_python.start(*RUN, "--profile", PROGRAM, "saxpy", cwd=PROGRAM.parent)
    assert done.stderr.startswith("cuda_shim: profile of ")
    for heading in ("kernel ", "copy ", "line of the program ", "call "):
        assert re.search(rf"^{heading}.*count +total +mean +longest", done.stderr, re.MULTILINE), done.stderr
    both = any_shim_python.start(*RUN, "--profile", "--report", PROGRAM, "saxpy", cwd=PROGRAM.parent)
    assert both.stderr.count("profile of ") == 1
    assert "CUDA calls, " in both.stderr


def test_nothing_is_measured_or_left_when_nobody_asks(any_shim_python: Python, tmp_path: Path) -> None:
    code = (
        "from cuda.bindings import runtime; runtime.cudaGetDeviceCount(); "
        "import sys; print(runtime.cudaGetDeviceCount.__code__.co_filename, 'cuda_shim.usage' in sys.modules)"
    )
    output = any_shim_python.run(*RUN, "-c", code, TMPDIR=str(tmp_path))
    assert output.split()[:2] == ["<cuda_shim", "cuda.bindings.runtime.cudaGetDeviceCount,"]
    assert output.split()[2:] in (["bound>", "False"], ["compiled>", "False"])
    any_shim_python.run(*RUN, "--profile=record", "-c", code, TMPDIR=str(tmp_path))
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("cuda_shim-")]


def test_from_code(any_shim_python: Python, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import cuda_shim\n"
        "with cuda_shim.enable(backend='cpu', profile='record'):\n"
        "    from cuda.bindings import runtime\n"
        "    runtime.cudaGetDeviceCount()\n"
        "    profile = cuda_shim.report().profile\n"
        "print(*profile.calls, *(site for site, _ in profile.sites), profile.backends)\n"
    )
    assert any_shim_python.run("-W", "error", script, cwd=tmp_path).split() == [
        "cudaGetDeviceCount", "program.py:4", "['cpu']",
    ]  # fmt: skip


EVENTS: list[Call | Activity | str] = [
    "rocm",
    Call(["7", "1000", "3000", "1", "70", "cuLaunchKernel", "p.py:3 in f"]),
    Call(["7", "4000", "5000", "2", "70", "cuLaunchKernel", "p.py:4"]),
    Activity(["7", "2000", "9000", "1", "0", "3", "0", "kernel", "p.py:3 in f", "k"]),
    Activity(["7", "3000", "4000", "0", "1", "0", str(1 << 30), "copy", "", "device to host"]),
]


def test_sums() -> None:
    profile = Profile.of_events(EVENTS)
    assert profile.seconds == pytest.approx(8e-6)
    assert profile.calls == {"cuLaunchKernel": Times(2, 3e-6, 2e-6)}
    assert profile.kernels == {"k": Times(1, 7e-6, 7e-6)}
    assert profile.copies["copy device to host"].rate == pytest.approx(1e6)
    assert profile.sites["p.py:3 in f", "kernel k"].count == 1
    assert "on an AMD GPU times are those between events around each call" in profile.missing
    text = StringIO()
    profile.print(text)
    assert "rocprofv3" in text.getvalue()


def test_a_trace_of_little() -> None:
    assert trace_events([]) == []
    shown = [event for event in trace_events(EVENTS) if event["ph"] == "X"]
    assert [event["name"] for event in shown] == ["cuLaunchKernel", "cuLaunchKernel", "k", "copy device to host"]
    assert shown[3]["args"]["bytes"] == 1 << 30


def picture(document: dict[str, Any]) -> str:
    """The tables as people see them in a terminal, as SVG."""
    from rich.console import Console

    profile = Profile(document["seconds"])
    for name in ("kernels", "copies", "calls"):
        getattr(profile, name).update({what: times(row) for what, row in document[name].items()})
    profile.sites = {(row["site"], row["what"]): times(row) for row in document["sites"]}
    console = Console(record=True, width=100, file=StringIO(), force_terminal=True, highlight=False)
    for table in tables(profile):
        console.print(table)
        console.print()
    return console.export_svg(title="python -m cuda_shim run --profile measured.py", unique_id="profile")


def times(row: dict[str, Any]) -> Times:
    return Times(row["count"], row["seconds"], row["longest"], row.get("bytes", 0))


def words_of(svg: str) -> list[str]:
    """Return a picture's words, less times and their order, which differ from run to run."""
    text = re.sub(r"<[^>]+>", "\n", svg[svg.index("<text") :])
    text = text.replace("&#160;", " ").replace("&quot;", '"')
    return sorted(word for word in text.split() if not re.fullmatch(r"[\d.]+|s|ms|µs|%", word))


def test_the_picture_of_the_documentation(measured: tuple[dict[str, Any], ...]) -> None:
    is_in_the_documentation("profile.svg", picture(measured[0]))


def test_the_picture_of_a_timeline(any_shim_python: Python, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    any_shim_python.run(*RUN, f"--trace={path}", PROGRAM.with_name("overlapping.py"), cwd=PROGRAM.parent)
    document = json.loads(path.read_text(encoding="utf-8"))
    is_in_the_documentation(
        "timeline.svg", timeline_picture.picture(document, "python -m cuda_shim run --trace=trace.json overlapping.py")
    )


def is_in_the_documentation(name: str, svg: str) -> None:
    """Made from a real run: `CUDA_SHIM_TEST_PICTURES=1` in the environment writes it again."""
    picture_file = PICTURES / name
    if os.environ.get("CUDA_SHIM_TEST_PICTURES"):
        picture_file.write_text(svg, encoding="utf-8")
    assert words_of(picture_file.read_text(encoding="utf-8")) == words_of(svg)
    assert "saxpy" in words_of(svg)
    assert f"pictures/{name}" in (ROOT / "docs/profiling.md").read_text(encoding="utf-8")
