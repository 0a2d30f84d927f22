"""Writes beyond a __shared__ array: a launch failure, with nothing else of the process harmed."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.program_files import read_program

SOURCE = read_program(__file__, "shared_bounds.cu")
PROGRAM = """
import json, pathlib
import numpy as np
sys.path.insert(0, str(pathlib.Path(sys.path[0]).parents[1]))
from tests.hip_on_host import hiprtc_program
kernels = hiprtc_program.Kernels(hip, hiprtc_program.load(os.environ["ROCM_PATH"]))
compiled = hiprtc_program.compile_program(kernels.hiprtc, os.environ["SOURCE"], json.loads(os.environ["OPTIONS"]))
module = hiprtc_program.Module(hip, compiled)
def outcome(kernel, shared, at):
    out = check(hip.hipMalloc(8 * 64 * 4))
    values = ctypes.c_void_p(int(out)), ctypes.c_int(at)
    arguments = (ctypes.c_void_p * 2)(*map(ctypes.addressof, values))
    check(hip.hipModuleLaunchKernel(module.function(kernel), 8, 1, 1, 64, 1, 1, shared, None, arguments, None))
    return name(hip.hipDeviceSynchronize())
"""


@pytest.fixture
def run_program(run_hip: Callable[..., str], form: str) -> Callable[[str], list[str]]:
    return lambda code: run_hip(PROGRAM + code, SOURCE=SOURCE, OPTIONS=json.dumps([form])).split()


@pytest.mark.parametrize(("kernel", "shared"), [("within_static", 0), ("within_dynamic", 256)])
@pytest.mark.parametrize("at", [256, 1024, 8192, -2048, -8192])
def test_a_write_beyond_shared_memory_fails_the_launch(
    run_program: Callable[[str], list[str]], kernel: str, shared: int, at: int
) -> None:
    """Python's own objects stand as they were: new ones are made, and the process ends in order."""
    out = run_program(f"""
for _ in range(3):
    print(outcome({kernel!r}, {shared}, {at}), name(hip.hipMalloc(16)))
    module.reset_device()
    print(outcome({kernel!r}, {shared}, 0), sum(len(bytes(size)) for size in range(3000)))
""")
    assert out == 3 * ["hipErrorIllegalAddress", "hipErrorIllegalAddress", "hipSuccess", "4498500"]


@pytest.mark.parametrize("bytes_of_array", [256, 260, 1000, 4096, 40000])
def test_dynamic_shared_memory_ends_at_a_guard(run_program: Callable[[str], list[str]], bytes_of_array: int) -> None:
    """All sizes work, the smaller ones after larger ones too; alignment may leave 128 bytes before the guard."""
    inside = bytes_of_array // 4 - 64
    beyond = (bytes_of_array + 127) // 128 * 32 - 63  # the last thread's place is the first behind the memory
    out = run_program(f"""
print(outcome("within_dynamic", 48000, 0))
print(outcome("within_dynamic", {bytes_of_array}, {inside}), outcome("within_dynamic", {bytes_of_array}, {beyond}))
""")
    assert out == ["hipSuccess", "hipSuccess", "hipErrorIllegalAddress"]


def test_every_thread_and_module_has_a_place_of_its_own(run_program: Callable[[str], list[str]]) -> None:
    """Modules are loaded and unloaded while threads that ran their kernels come and go, and a forked child goes on."""
    out = run_program("""
def use():
    statuses.append(outcome("within_static", 0, 0))
mappings = lambda: sum(1 for _ in open("/proc/self/maps"))
statuses = []
for turn in range(60):
    module = hiprtc_program.Module(hip, compiled)
    for thread in [threading.Thread(target=use) for _ in range(3)]:
        thread.start()
        thread.join()
    check(hip.hipModuleUnload(module.module))
    if turn == 10: before = mappings()
print(set(statuses), mappings() - before < 20)
module = hiprtc_program.Module(hip, compiled)
use()
child = os.fork()
if child == 0:
    use()
    check(hip.hipModuleUnload(module.module))
    module = hiprtc_program.Module(hip, compiled)
    use()
    os._exit(len(set(statuses)))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    assert out == ["{'hipSuccess'}", "True", "1"]
