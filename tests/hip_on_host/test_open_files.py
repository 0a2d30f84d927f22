"""Descriptors of a process with many modules: a loaded module holds none."""

from __future__ import annotations

from collections.abc import Callable

from tests.hip_on_host.hiprtc_program import Kernels

PROGRAM = """
import os, resource
code = open({path!r}, "rb").read()

def descriptors():
    return len(os.listdir("/proc/self/fd"))

def mapped():
    with open("/proc/self/maps") as maps:
        return sum("cuda_shim_kernels" in line for line in maps)

check(hip.hipInit(0))
device = check(hip.hipDeviceGet(0))
before = descriptors()
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
for _ in range(400):
    context = check(hip.hipCtxCreate(0, device))
    check(hip.hipModuleLoadData(code))
    check(hip.hipCtxDestroy(context))
print(descriptors() - before, mapped())
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
modules = [check(hip.hipModuleLoadData(code)) for _ in range(1000)]
variables = {{int(check(hip.hipModuleGetGlobal(module, b"v"))[0]) for module in modules}}
print(descriptors() - before, len(variables))
for module in modules:
    check(hip.hipModuleUnload(module))
print(descriptors() - before, mapped())
"""


def test_modules_hold_no_descriptors(run_hip: Callable[..., str], programs: Kernels, tmp_path) -> None:
    path = tmp_path / "module"
    path.write_bytes(programs.compile('__device__ int v = 3; extern "C" __global__ void k(int* x) { x[0] = v; }').code)
    assert run_hip(PROGRAM.format(path=str(path))).splitlines() == ["0 0", "0 1000", "0 0"]
