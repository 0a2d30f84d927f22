"""C functions of the driver answer before cuInit, and without a context, as an NVIDIA GPU does.

Every function is called with no input, and with room for its outputs. The expected statuses are those that NVIDIA's
wheel recorded for such calls (`tests/adapters/no_context`).
"""

from __future__ import annotations

import json
from pathlib import Path

from cuda_shim import settings
from cuda_shim.c_level import build, embedding
from tests.adapters import no_context
from tests.c_level.test_programs_in_c import compile_with, needs_shared_python, run
from tests.interpreters import PACKAGE_ROOT, start

RECORDED = Path(no_context.__file__).parent
LAYOUT = "13.5"  # the layout of the recordings
NO_CONTEXT, NOT_SUPPORTED = 201, 801
#: The least number of functions to compare.
LEAST = {"uninitialized": 300, "initialized": 200}
#: CUDA looks at the wrong type of resource first, HIP at the null context.
OTHER_ORDER = {"cuGreenCtxGetDevResource"}
EVERY_FUNCTION = """
import ctypes, json, sys
import cuda_shim
cuda_shim.enable(cuda="13.5", backend="cpu")
from cuda_shim.c_level import library
from cuda_shim.c_level.interface import functions
opened, answers = library.load("13.5"), {}
room = (ctypes.c_uint64 * 512)()
no_context = opened._opened.cuCtxSetCurrent
if sys.argv[1] == "initialized":
    assert opened._opened.cuInit(0) == 0
for function in functions("13.5"):
    if function.table != "driver" or function.layout != "13.5" or function.row is None or function.name == "cuInit":
        continue
    own = [parameter for parameter in function.row.parameters if parameter.mode != "spare"]
    if any(parameter.mode == "inout" or kind.endswith(")") for parameter, kind in zip(own, function.arguments)):
        continue
    given = [ctypes.addressof(room) if parameter.mode == "out" or "char" in kind else 0
             for parameter, kind in zip(own, function.arguments)]
    given += [0] * (len(function.arguments) - len(given))
    ctypes.memset(room, 0, ctypes.sizeof(room))
    print(function.symbol, file=sys.stderr)
    call = ctypes.CFUNCTYPE(ctypes.c_int)(opened.address(function.symbol))
    answers[function.name] = call(*map(ctypes.c_uint64, given))
    if sys.argv[1] == "initialized":
        no_context(None)
print(json.dumps(answers))
"""


def compared(state: str) -> list[tuple[str, int, int]]:
    """The functions that have a recorded status, and are served: their names, CUDA's status and ours."""
    recorded = json.loads((RECORDED / f"{state}.json").read_text(encoding="utf-8"))
    done = start("-c", EVERY_FUNCTION, state, PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_LOG="off", CUDA_SHIM_QUIET="1")
    assert done.returncode == 0, done.stderr[-2000:]
    ours: dict[str, int] = json.loads(done.stdout)
    return [
        (name, status, ours[name])
        for name, status in recorded.items()
        if isinstance(status, int) and name in ours and ours[name] != NOT_SUPPORTED
    ]


def test_before_cuinit() -> None:
    answers = compared("uninitialized")
    assert len(answers) > LEAST["uninitialized"]
    assert [each for each in answers if each[1] != each[2]] == []


def test_without_a_context() -> None:
    answers = compared("initialized")
    assert len(answers) > LEAST["initialized"]
    wrong = [(name, cuda, ours) for name, cuda, ours in answers if (cuda == NO_CONTEXT) != (ours == NO_CONTEXT)]
    assert {name for name, *_ in wrong} == OTHER_ORDER & {name for name, *_ in answers}, wrong


PROGRAM = r"""
#include <cuda.h>
#include <pthread.h>
#include <stdio.h>

static CUcontext context;
static CUdeviceptr memory;
static CUstream stream;

/* A call that needs a context, two in a stream that brings one along, one in the null stream. */
static void calls(const char *where) {
  CUdeviceptr more;
  CUcontext now;
  int allocated = cuMemAlloc(&more, 16), filled = cuMemsetD8Async(memory, 0, 64, stream);
  int synchronized = cuStreamSynchronize(stream), null = cuMemsetD8Async(memory, 0, 64, NULL);
  cuCtxGetCurrent(&now);
  printf("%s %d %d %d %d %s\n", where, allocated, filled, synchronized, null, now ? "context" : "none");
}

static void *work(void *unused) {
  calls("thread");
  cuCtxPushCurrent(context);
  calls("pushed");
  cuCtxPopCurrent(&context);
  calls("popped");
  cuCtxSetCurrent(context);
  calls("set");
  cuCtxSetCurrent(NULL);
  calls("unset");
  return unused;
}

int main(void) {
  int count = 0;
  int before = cuDeviceGetCount(&count), wrong = cuInit(5), still = cuMemAlloc(&memory, 64);
  printf("before %d %d %d\n", before, wrong, still);
  int initialized = cuInit(0), counted = cuDeviceGetCount(&count), allocated = cuMemAlloc(&memory, 64);
  printf("initialized %d %d %d\n", initialized, counted, allocated);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  cuMemAlloc(&memory, 64);
  cuStreamCreate(&stream, 0);
  calls("main");
  for (int round = 0; round < 2; round++) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    calls("main");
  }
  return 0;
}
"""
WITH, WITHOUT = "0 0 0 0 context", "201 0 0 201 none"
ROUND = [f"thread {WITHOUT}", f"pushed {WITH}", f"popped {WITHOUT}", f"set {WITH}", f"unset {WITHOUT}", f"main {WITH}"]


@needs_shared_python
def test_contexts_are_each_threads_own(tmp_path: Path) -> None:
    library = Path(build.ensure_library(LAYOUT, settings.current()))
    assert embedding.note_interpreter(str(library))
    options = (f"-I{library / build.INCLUDE}", f"-L{library}", "-lcuda", "-pthread")
    done = run(compile_with("gcc", PROGRAM, tmp_path, *options), library)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["before 3 1 3", "initialized 0 0 201", f"main {WITH}", *ROUND, *ROUND]
