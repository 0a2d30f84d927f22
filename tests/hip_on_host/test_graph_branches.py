"""Branches of a graph that do not depend on each other run side by side, and everything else as it did in a line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hip_on_host import hip_program

Run = Callable[..., Any]

#: A graph's builder, the library, and a meeting of several host functions; prints the values in `found`.
PROGRAM = f"""
sys.path.insert(0, {str(Path(__file__).resolve().parents[2])!r})
import json, random
from tests.hip_on_host.graph_builder import *
c = ctypes.CDLL(os.environ["ROCM_PATH"] + "/lib/libamdhip64.so")
builder, found = Builder(c), []

def meeting(threads, then=lambda: None):
    barrier = threading.Barrier(threads, timeout=30)
    def meet(_):
        try:
            barrier.wait()
        except threading.BrokenBarrierError:
            found.append("nobody came")
            return
        found.append("met")
        then()
    return meet

def launch(stream=None):
    launched = builder.instantiate()
    for _ in range(3):
        assert c.hipGraphLaunch(launched, stream) == 0
        found.append(c.hipStreamSynchronize(stream))
    return launched
"""


@pytest.fixture
def run(runtime_folder: Path) -> Run:
    def run_program(code: str, threads: int = 4, **variables: str) -> Any:
        code = PROGRAM + code + "\nprint(json.dumps(found))"
        done = hip_program.run(runtime_folder, code, CUDA_SHIM_CPU_THREADS=str(threads), **variables)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run_program


def test_branches_run_at_the_same_time(run: Run) -> None:
    """As many as there are threads: none of them would end without the others."""
    assert run("meet = meeting(4)\nfor _ in range(4): builder.host(meet)\nlaunch()") == (["met"] * 4 + [0]) * 3


def test_branches_behind_a_common_start_run_at_the_same_time(run: Run) -> None:
    code = """
memory = P()
assert c.hipMalloc(ctypes.byref(memory), SIZE(256)) == 0
start = builder.set(memory.value, 1, 64)
meet = meeting(2)
ends = [builder.host(meet, after=[builder.set(memory.value + at, 2, 64, after=[start])]) for at in (64, 128)]
builder.host(lambda _: found.append("end"), after=ends)
launch()
"""
    assert run(code) == ["met", "met", "end", 0] * 3


def test_branches_inside_of_a_child_graph_run_at_the_same_time(run: Run) -> None:
    code = """
outer = Builder(c)
meet = meeting(2)
for _ in range(2): builder.host(meet)
outer.add("ChildGraph", builder.graph)
builder = outer
launch()
"""
    assert run(code) == ["met", "met", 0] * 3


def test_one_thread_runs_them_in_a_line(run: Run) -> None:
    """The user's setting limits the device to one thread."""
    code = "for number in range(3): builder.host(lambda _, number=number: found.append(number))\nlaunch()"
    assert run(code, threads=1) == [0, 1, 2, 0] * 3


@pytest.mark.parametrize("seed", range(8))
def test_every_step_runs_once_behind_those_it_depends_on(run: Run, seed: int) -> None:
    code = f"""
chance = random.Random({seed})
count = 40
parents = [[at for at in range(number) if chance.random() < chance.choice((0.02, 0.1, 0.3))] for number in range(count)]
begun, ended, lock = [0] * count, [0] * count, threading.Lock()
def step(number, pause):
    def work(_):
        with lock:
            if any(ended[parent] <= ended[number] for parent in parents[number]): found.append(("too early", number))
            begun[number] += 1
        if pause: time.sleep(0.001)
        with lock: ended[number] += 1
    return work
nodes = []
for number in range(count):
    # Some steps are cheap: they are not worth another thread.
    before = [nodes[parent] for parent in parents[number]]
    if chance.random() < 0.3: before = [builder.add("Empty", after=before)]
    nodes.append(builder.host(step(number, chance.random() < 0.5), after=before))
launch()
found.append(begun == ended == [3] * count)
"""
    assert run(code) == [0, 0, 0, True]


def test_host_functions_of_all_branches_may_not_wait_for_their_stream(run: Run) -> None:
    code = """
stream = P()
assert c.hipStreamCreateWithFlags(ctypes.byref(stream), 1) == 0
meet = meeting(2, lambda: found.append(c.hipStreamSynchronize(stream) != 0))
for _ in range(2): builder.host(meet)
launch(stream)
"""
    for _ in range(3):
        found = run(code)
        assert sorted(map(str, found)) == sorted(map(str, ["met", "met", True, True, 0] * 3))


def test_profiles_know_the_stream_of_every_branch(run: Run, tmp_path: Path) -> None:
    code = f"""
stream = P()
assert c.hipStreamCreateWithFlags(ctypes.byref(stream), 1) == 0
open({str(tmp_path / "profile")!r}, "w").close()
assert c.hipExtRecordActivity({str(tmp_path / "profile")!r}.encode()) == 0
assert c.hipExtSetCall(0, ctypes.c_uint64(77)) == 0
meet = meeting(3)
for _ in range(3): builder.host(meet)
launch(stream)
assert c.hipExtRecordActivity(None) == 0
"""
    assert run(code) == (["met"] * 3 + [0]) * 3
    lines = [line.split("\t") for line in (tmp_path / "profile").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 9
    assert {line[4] for line in lines} == {"77"}
    assert len({line[6] for line in lines}) == 1


def test_branches_in_a_forked_child(run: Run) -> None:
    """The child lacks the threads that helped its parent."""
    code = """
meet = meeting(3)
for _ in range(3): builder.host(meet)
launched = launch()
child = os.fork()
if not child:
    status = c.hipGraphLaunch(launched, None) or c.hipStreamSynchronize(None)
    os._exit(status or found[-3:] != ["met"] * 3)
found.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run(code) == (["met"] * 3 + [0]) * 3 + [0]


def test_many_branches(run: Run) -> None:
    """A thousand steps, all at once and in lines of ten."""
    code = """
lock, done = threading.Lock(), [0]
def count(_):
    with lock: done[0] += 1
for line in range(100):
    last = []
    for _ in range(10): last = [builder.host(count, after=last)]
launch()
found.append(done[0])
"""
    assert run(code) == [0, 0, 0, 3000]
