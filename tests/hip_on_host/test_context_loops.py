"""Green contexts, pools and graphs, fifty times over: with the ends that CUDA gives them, nothing of them stays.

As an H100 answered: a green context's streams end with it. Pools and their memory are a device's and graphs belong to
no context; both outlive contexts and resets until they are destroyed, and so does memory that a graph's own node has
allocated.
"""

from __future__ import annotations

import pytest

from tests.hip_on_host.kernel_modules import compile_module
from tests.hip_on_host.test_context_end import PRELUDE

#: Bytes of each piece of memory: fifty of them would show.
MEGABYTE = 1 << 20
LOOPS = 50

PROGRAM = (
    PRELUDE
    + """
import gc
from pathlib import Path
LARGE = ctypes.c_size_t(1 << 20)

def held():
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {
        "free": free_bytes(), "descriptors": len(os.listdir("/proc/self/fd")), "threads": int(status["Threads"]),
        "mappings": Path("/proc/self/maps").read_text().count("\\n"), "resident": int(status["VmRSS"].split()[0]),
    }

def green_context():
    cores, description = (ctypes.c_char * 256)(), ctypes.c_void_p()
    done("hipDeviceGetDevResource", 0, cores, 1)
    done("hipDevResourceGenerateDesc", ctypes.byref(description), cores, 1)
    context = got("hipGreenCtxCreate", description, 0, 0)
    streams = []
    for _ in range(3):
        stream = ctypes.c_void_p()
        done("hipExecutionCtxStreamCreate", ctypes.byref(stream), context, 1, 0)
        memory = got("hipMalloc", LARGE)
        done("hipMemsetAsync", memory, 1, LARGE, stream)
        streams.append(stream)
    event = got("hipEventCreate")
    done("hipExecutionCtxRecordEvent", context, event)
    done("hipEventSynchronize", event)
    return context, streams

def pool_memory():
    pool, stream, memory = got("hipMemPoolCreate", (ctypes.c_int * 22)(1, 0, 1, 0)), got("hipStreamCreate"), ctypes.c_void_p()
    done("hipMallocFromPoolAsync", ctypes.byref(memory), LARGE, pool, stream)
    done("hipMemsetAsync", memory, 1, LARGE, stream)
    done("hipStreamSynchronize", stream)
    return pool, memory

def graph(allocates):
    graph, node = got("hipGraphCreate", 0), ctypes.c_void_p()
    if allocates:
        parameters = (ctypes.c_size_t * 15)()
        (ctypes.c_int * 4).from_buffer(parameters)[:] = [1, 0, 1, 0]
        parameters[13] = LARGE.value
        done("hipGraphAddMemAllocNode", ctypes.byref(node), graph, None, ctypes.c_size_t(0), parameters)
        memory = ctypes.c_void_p(parameters[14])
    else:
        memory = got("hipMalloc", LARGE)
    filled = (ctypes.c_size_t * 6)(memory.value, 1, 1, 0, 1, LARGE.value)
    after, last = (ctypes.c_void_p * 1)(node.value), ctypes.c_void_p()
    done("hipGraphAddMemsetNode", ctypes.byref(last), graph, after if allocates else None, ctypes.c_size_t(allocates), filled)
    instance, stream = ctypes.c_void_p(), got("hipStreamCreate")
    done("hipGraphInstantiateWithFlags", ctypes.byref(instance), graph, ctypes.c_ulonglong(0))
    done("hipGraphLaunch", instance, stream)
    done("hipStreamSynchronize", stream)
    return graph, instance, memory

def by_context(use):
    context = got("hipCtxCreate", 0, 0)
    kept = use()
    done("hipCtxDestroy", context)
    return kept

def by_reset(use):
    kept = use()
    done("hipDeviceReset")
    return kept
"""
)

KINDS = {
    "green contexts that a reset ends": """
context, streams = by_reset(green_context)
assert all(library.hipStreamQuery(stream) for stream in streams) and library.hipExecutionCtxDestroy(context)
""",
    "green contexts that are destroyed": """
context, streams = green_context()
done("hipExecutionCtxDestroy", context)
assert all(library.hipStreamQuery(stream) for stream in streams) and library.hipExecutionCtxDestroy(context)
done("hipDeviceReset")
""",
    "streams of one green context": """
if turn == 0:
    forever, _ = green_context()
for _ in range(20):
    stream = ctypes.c_void_p()
    done("hipExecutionCtxStreamCreate", ctypes.byref(stream), forever, 1, 0)
    done("hipStreamDestroy", stream)
""",
    **{
        f"pools, {end}": f"""
pool, memory = {end}(pool_memory)
done("hipMemset", memory, 2, LARGE)
done("hipFree", memory)
done("hipMemPoolDestroy", pool)
assert library.hipFree(memory) and library.hipMemPoolDestroy(pool)
"""
        for end in ("by_context", "by_reset")
    },
    **{
        f"graphs, {end}, {'with' if allocates else 'without'} memory of their own": f"""
graph_, instance, memory = {end}(lambda: graph({allocates}))
done("hipGraphExecDestroy", instance)
done("hipGraphDestroy", graph_)
assert (library.hipFree(memory) == 0) == {allocates}
done("hipDeviceGraphMemTrim", 0)
assert library.hipGraphExecDestroy(instance) and library.hipGraphDestroy(graph_)
"""
        for end in ("by_context", "by_reset")
        for allocates in (True, False)
    },
}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_stays(run_hip, kind: str) -> None:
    loop = "\n    ".join(KINDS[kind].splitlines())
    out = run_hip(
        PROGRAM.replace("IMAGE", repr(str(compile_module("basic"))))
        + f"""
for turn in range({LOOPS} + 10):
    {loop}
    if turn == 9:
        gc.collect()
        before = held()
gc.collect()
after = held()
print(after["free"] - before["free"], after["descriptors"] - before["descriptors"], after["threads"] - before["threads"],
      after["mappings"] - before["mappings"], after["resident"] - before["resident"])
"""
    )
    free, descriptors, threads, mappings, resident = map(int, out.split())
    assert free == 0
    assert descriptors <= 0
    assert threads < LOOPS // 10  # streams' threads that are about to end; a kept one would be one for each turn
    assert mappings < LOOPS  # the C library keeps the stack of a thread that ends for the next one
    assert resident < LOOPS * MEGABYTE // 1024 // 4


def test_a_graph_of_an_ended_context_ends_no_process(run_hip) -> None:
    """On NVIDIA's driver its launch ends the process."""
    out = run_hip(
        PROGRAM.replace("IMAGE", repr(str(compile_module("basic"))))
        + """
for end in (by_context, by_reset):
    _, instance, _ = end(lambda: graph(False))
    stream = got("hipStreamCreate")
    print(library.hipGraphLaunch(instance, stream) or library.hipStreamSynchronize(stream), library.hipDeviceReset())
"""
    )
    statuses = out.split()
    assert [statuses[1], statuses[3]] == ["0", "0"]
    assert "0" not in (statuses[0], statuses[2])
