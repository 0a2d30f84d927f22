"""Times by HIP's events, as on an AMD GPU: the CPU runtime has events too, and here writes no times of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cuda_shim.mapping import store
from cuda_shim.mapping.rows import FunctionRow
from cuda_shim.usage.enqueued_work import enqueued_work
from tests.environments import Python

PROGRAM = Path(__file__).with_name("measured.py")

MEASURED = """
import runpy, sys
import cuda_shim
from cuda_shim.usage import event_times
event_times.BACKENDS = frozenset({{"cpu"}})
cuda_shim.enable(backend="cpu", quiet=True, profile=sys.argv[1], trace=sys.argv[2])
space = runpy.run_path({program!r})
driver, runtime, checked = space["driver"], space["runtime"], space["checked"]
"""


def measured(python: Python, folder: Path, program: str) -> tuple[dict[str, Any], list[dict[str, Any]], str]:
    """The profile and the trace of a program, and its output."""
    script, profile, trace = folder / "program.py", folder / "profile.json", folder / "trace.json"
    script.write_text(MEASURED.format(program=str(PROGRAM)) + program, encoding="utf-8")
    output = python.run("-W", "error", script, profile, trace, cwd=folder)
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    return json.loads(profile.read_text(encoding="utf-8")), events, output


def test_kernels_copies_and_fills(any_shim_python: Python, tmp_path: Path) -> None:
    """The CPU runtime's figures for the same program are in test_profile.py."""
    program = "sys.argv = ['', *['saxpy'] * 5]\nspace['main']()\n"
    profile, events, _ = measured(any_shim_python, tmp_path, program)
    saxpy = profile["kernels"]["saxpy"]
    assert saxpy["count"] == 5
    assert 0 < saxpy["mean"] <= saxpy["longest"] <= saxpy["seconds"] <= profile["seconds"]
    assert (profile["copies"]["copy host to device"]["count"], profile["copies"]["copy host to device"]["bytes"]) == (
        1, 1024,
    )  # fmt: skip
    assert profile["copies"]["fill device memory"]["bytes"] == 1024
    assert set(profile["copies"]) == {"copy host to device", "fill device memory"}
    launched = next(site["site"] for site in profile["sites"] if site["what"] == "kernel saxpy")
    assert launched.endswith("in launch")
    kernels = [event for event in events if event.get("cat") == "kernel"]
    calls = [event for event in events if event.get("name") == "cuLaunchKernel"]
    assert len(kernels) == len(calls) == 5
    for call, kernel in zip(calls, kernels, strict=True):
        assert kernel["ts"] >= call["ts"] - 1000  # microseconds; two clocks
    assert len([event for event in events if event["ph"] == "s"]) == 7  # an arrow from each call to its work


LONG = """
import ctypes, time
SOURCE = b'''extern "C" __global__ void spin(long long n, double* out) {
    double x = 1;
    for (long long i = 0; i < n; i++) x = x * 1.0000001 + out[1];
    out[0] = x;
}'''
space["main"].__globals__["SOURCE"] = SOURCE
checked(runtime.cudaFree(0))
module = space["load"]()
kernel = checked(driver.cuModuleGetFunction(module, b"spin"))
out = checked(runtime.cudaMalloc(16))
checked(runtime.cudaMemset(out, 0, 16))
stream = checked(runtime.cudaStreamCreate())
values = (50_000_000, out), (ctypes.c_longlong, ctypes.c_void_p)
began = time.perf_counter()
checked(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, driver.CUstream(int(stream)), values, 0))
checked(runtime.cudaStreamSynchronize(stream))
print(time.perf_counter() - began)
"""


def test_a_time_is_that_of_the_kernel(any_shim_python: Python, tmp_path: Path) -> None:
    profile, events, output = measured(any_shim_python, tmp_path, LONG)
    waited = float(output)
    assert 0.5 * waited < profile["kernels"]["spin"]["seconds"] <= waited
    (kernel,) = (event for event in events if event.get("cat") == "kernel")
    rows = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert rows[kernel["tid"]] == "device 0, stream 1"


GRAPHS = """
from cuda_shim import recording, session
checked(runtime.cudaFree(0))
memory, stream = checked(runtime.cudaMalloc(64)), checked(runtime.cudaStreamCreate())
other = checked(runtime.cudaStreamCreate())
checked(runtime.cudaStreamBeginCapture(stream, runtime.cudaStreamCaptureMode.cudaStreamCaptureModeGlobal))
checked(runtime.cudaMemsetAsync(memory, 1, 64, stream))
checked(runtime.cudaMemsetAsync(memory, 2, 64, other))
graph = checked(runtime.cudaStreamEndCapture(stream))
assert runtime.cudaGraphGetNodes(graph, 9)[2] == 1, runtime.cudaGraphGetNodes(graph, 9)
instance = checked(runtime.cudaGraphInstantiate(graph, 0))
for _ in range(3):
    checked(runtime.cudaGraphLaunch(instance, stream))
assert runtime.cudaMemsetAsync(memory, 1, 1 << 40, stream)[0] != 0
print(runtime.cudaGetLastError()[0].name)
host = bytearray(64)
checked(runtime.cudaMemcpy(host, memory, 64, runtime.cudaMemcpyKind.cudaMemcpyDefault))
with recording.ProfiledBlock(session.recording()) as block:  # as the cell magic does
    checked(runtime.cudaMemset(memory, 1, 64))
print(block.profile.copies["fill device memory"].count, block.profile.missing)
print(cuda_shim.report().profile.copies["graph"].count)
"""


def test_graphs_errors_and_blocks(any_shim_python: Python, tmp_path: Path) -> None:
    """Timing events are not captured into graphs, and a call that fails has no time and keeps its error."""
    profile, _, output = measured(any_shim_python, tmp_path, GRAPHS)
    assert output.split() == ["cudaErrorInvalidValue", "1", "3"]
    counts = {name: (row["count"], row.get("bytes", 0)) for name, row in profile["copies"].items()}
    assert counts == {"graph": (3, 0), "fill device memory": (2, 128), "copy": (1, 64)}


MANY = """
checked(runtime.cudaFree(0))
memory, stream = checked(runtime.cudaMalloc(64)), checked(runtime.cudaStreamCreate())
from cuda_shim.usage import event_times
event_times._REBASE_MILLISECONDS = 1.0
for _ in range(3000):
    checked(runtime.cudaMemsetAsync(memory, 1, 64, stream))
checked(runtime.cudaStreamDestroy(stream))
pid = __import__("os").fork()
if not pid:
    __import__("os")._exit(0)
__import__("os").waitpid(pid, 0)
"""


def test_events_are_used_again(any_shim_python: Python, tmp_path: Path) -> None:
    profile, events, _ = measured(any_shim_python, tmp_path, MANY)
    assert profile["copies"]["fill device memory"]["count"] == 3000
    fills = [event for event in events if event.get("cat") == "fill"]
    calls = [event for event in events if event.get("name") == "cudaMemsetAsync"]
    assert len(fills) == len(calls) == 3000
    assert [event["ts"] for event in fills] == sorted(event["ts"] for event in fills)
    # The clock of the events keeps up with the machine's, though the event that it counts from is another one.
    assert abs(fills[-1]["ts"] - calls[-1]["ts"]) < 100_000


@pytest.mark.parametrize(
    ("table", "name", "arguments", "expected"),
    [
        ("driver", "cuMemcpyHtoDAsync", (1, 2, 40, 7), ("copy", "host to device", 40, 7)),
        ("driver", "cuMemcpyAtoH", (1, 2, 3, 40), ("copy", "device to host", 40, 0)),
        ("driver", "cuMemsetD2D16Async", (1, 64, 9, 3, 5, 7), ("fill", "device memory", 30, 7)),
        ("driver", "cuMemsetD32", (1, 9, 10), ("fill", "device memory", 40, 0)),
        ("runtime", "cudaMemcpy2DAsync", (1, 8, 2, 8, 4, 6, 2, 7), ("copy", "device to host", 24, 7)),
        ("runtime", "cudaMemcpyBatchAsync", ([1], [2], [4], 1, [], [], 0, 7), ("copy", "", 0, 7)),
        ("runtime", "cudaGraphLaunch", (1, 7), ("graph", "", 0, 7)),
        ("driver", "cuMemcpyHtoD", (1, None, "x"), ("copy", "host to device", 0, 0)),
    ],
)
def test_what_arguments_say(table: str, name: str, arguments: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    row = store.load(table).row(name, "12.9")
    assert isinstance(row, FunctionRow)
    work = enqueued_work(row)
    assert work is not None
    assert (work.kind, work.name(arguments), work.bytes(arguments), work.stream(arguments)) == expected


def test_calls_that_give_no_work() -> None:
    for name in ("cuMemAlloc", "cuStreamSynchronize", "cuLaunchHostFunc", "cuMemPrefetchAsync", "cuInit"):
        row = store.load("driver").row(name, "13.5")
        assert isinstance(row, FunctionRow)
        assert enqueued_work(row) is None
