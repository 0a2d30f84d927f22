"""Ends of programs: with running kernels, with threads that are never joined, in sub-interpreters, and after a fork."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.interpreters import PACKAGE_ROOT, start
from tests.program_files import read_program

PROGRAM = read_program(__file__, "endings_prelude.py")


def run(text: str, **environment: str) -> tuple[int, str, str]:
    """Return a program's exit status, its output and its errors."""
    done = start("-c", PROGRAM + text, CUDA_SHIM_QUIET="1", PYTHONPATH=str(PACKAGE_ROOT), **environment)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("kind", ["endless", "busy"])
@pytest.mark.parametrize(
    ("end", "status"),
    [("", 0), ("sys.exit(3)", 3), ("os._exit(4)", 4), ("raise SystemExit(5)", 5), ("cuda_shim.disable()", 0)],
    ids=["runs out", "exit", "_exit", "SystemExit", "disable"],
)
def test_kernels_that_run_do_not_keep_a_program(kind: str, end: str, status: int) -> None:
    began = time.monotonic()
    code, _, said = run(f"""
function = kernel({kind.upper()}, b"{kind}")
launch(function, (memory,), (P,), stream=ok(cu.cuStreamCreate(1)))
print("launched", flush=True)
{end}
""")
    assert (code, said) == (status, "")
    assert time.monotonic() - began < 60


def test_a_program_that_needed_no_hip_ends_without_it(tmp_path: Path) -> None:
    text = """
import cuda_shim
cuda_shim.enable(backend="cpu", cuda="12.9", log="off", cache_dir=CACHE)
from cuda.bindings import driver
print(driver.cuCtxGetExecAffinity(driver.CUexecAffinityType.CU_EXEC_AFFINITY_TYPE_SM_COUNT)[0].name)
"""
    done = start("-c", text.replace("CACHE", repr(str(tmp_path))), PYTHONPATH=str(PACKAGE_ROOT))
    assert (done.returncode, done.stdout, done.stderr) == (0, "CUDA_ERROR_NOT_INITIALIZED\n", "")
    assert list(tmp_path.iterdir()) == []


def test_daemon_threads_that_never_stop() -> None:
    """Threads that launch, copy, wait and call back until the interpreter takes them away."""
    code, _, said = run("""
function = kernel(FILL, b"fill")
@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def called(data):
    time.sleep(0)
address = cu.CUhostFn(ctypes.cast(called, ctypes.c_void_p).value)
ready = threading.Barrier(5)
def work():
    ok(rt.cudaFree(0))
    stream, mine, back = ok(cu.cuStreamCreate(1)), ok(cu.cuMemAlloc(4096)), bytearray(4096)
    first = True
    while True:
        launch(function, (mine, 32), (None, I), 32, stream)
        ok(cu.cuLaunchHostFunc(stream, address, 0))
        ok(cu.cuMemcpyDtoHAsync(back, mine, 4096, stream))
        ok(cu.cuStreamSynchronize(stream))
        if first:
            first = False
            ready.wait()
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
ready.wait()
time.sleep(0.2)
""")
    assert (code, said) == (0, "")


def test_a_daemon_thread_that_waits_for_an_endless_kernel() -> None:
    code, _, said = run("""
function, stream = kernel(ENDLESS, b"endless"), ok(cu.cuStreamCreate(1))
launch(function, (memory,), (P,), stream=stream)
threading.Thread(target=cu.cuStreamSynchronize, args=(stream,), daemon=True).start()
time.sleep(0.2)
""")
    assert (code, said) == (0, "")


@pytest.mark.parametrize("before", ["", "launch(kernel(ENDLESS, b'endless'), (memory,), (P,), stream=2)"])
def test_a_child_of_a_fork_works_by_itself(before: str) -> None:
    """The child does not depend on the parent's use of the devices, or on work that runs there."""
    code, said, errors = run(f"""
function, mine = kernel(FILL, b"fill"), ok(cu.cuMemAlloc(4096))
launch(function, (mine, 32), (None, I), 32)
ok(cu.cuCtxSynchronize())
{before}
import warnings
warnings.simplefilter("ignore", DeprecationWarning)  # Python's own from 3.12 on: the process has threads
if os.fork() == 0:
    stream, back = ok(cu.cuStreamCreate(1)), (I * 32)()
    launch(kernel(FILL.replace(b"= n", b"= 2 * n"), b"fill"), (mine, 32), (None, I), 32, stream)
    ok(cu.cuStreamSynchronize(stream))
    ok(cu.cuMemcpyDtoH(back, mine, 128))
    os._exit(sum(back) // 32)
print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
os._exit(0)
""")
    assert (code, said, errors) == (0, "64\n", "")


SUB = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
inner = '''
import cuda_shim
cuda_shim.enable(backend="cpu", cuda="12.9")
from cuda.bindings import driver as cu
try:
    cu.cuInit(0)
except cuda_shim.BackendNotFound as error:
    assert "main interpreter" in str(error), error
else:
    raise AssertionError("hip-python is there")
cuda_shim.disable()
'''
for _ in range(3):
    made = interpreters.create()
    interpreters.run_string(made, inner)
    interpreters.destroy(made)
back = (I * 4)()
ok(cu.cuMemsetD32(memory, 5, 4))
ok(cu.cuMemcpyDtoH(back, memory, 16))
print(list(back))
"""


def test_sub_interpreters_are_told_where_to_go() -> None:
    """Modules that Cython compiled, hip-python's as NVIDIA's own, load into one interpreter of a process."""
    code, said, errors = run(SUB)
    assert (code, said) == (0, "[5, 5, 5, 5]\n"), errors


def test_objects_that_outlive_the_programs_imports_are_destroyed() -> None:
    """Their destructors are called for the first time when nothing can be imported any more."""
    code, out, said = run("""
import builtins
class Owner:
    def __init__(self):
        self.stream = ok(cu.cuStreamCreate(1))
        self.memory = ok(cu.cuMemAllocAsync(100, self.stream))
        self.event = ok(rt.cudaEventCreate())
        self.graph = ok(cu.cuGraphCreate(0))
        self.array = ok(rt.cudaMallocPitch(100, 10))[0]
    def __del__(self):
        assert sys.meta_path is None
        ok(cu.cuStreamSynchronize(self.stream))
        ok(cu.cuMemFreeAsync(self.memory, self.stream))
        ok(rt.cudaEventDestroy(self.event))
        ok(cu.cuGraphDestroy(self.graph))
        ok(rt.cudaFree(self.array))
        ok(cu.cuStreamDestroy(self.stream))
        ok(rt.cudaDeviceSynchronize())
        os.write(1, b"destroyed")
builtins.kept = Owner()
""")
    assert (code, out, said) == (0, "destroyed", "")
