"""Kernels that do not end by themselves: the log of an interrupt, and the ways to stop them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.hip_on_host.hip_program import run

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import ctypes, signal, subprocess
import numpy as np
sys.path.insert(0, {root!r})
from tests.hip_on_host import hiprtc_program
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever shell began this
kernels = hiprtc_program.Kernels(hip, hiprtc_program.load({folder!r}))
module = kernels.load('''
extern "C" __global__ void waits_for_nobody(volatile int* flags) {{ while (flags[0] == 0) {{}} }}
extern "C" __global__ void waits_at_a_barrier(volatile int* flags) {{
    if (threadIdx.x == 0) while (flags[0] == 0) {{}}
    __syncthreads();
    if (threadIdx.x == 1) flags[0] = 1;
}}
extern "C" __global__ void computes(int* flags) {{
    unsigned x = threadIdx.x;
    for (;;) {{
        x = x * 1664525u + 1013904223u;
        asm volatile("" : "+r"(x));
    }}
    flags[1] = x;
}}
extern "C" __global__ void meets(volatile int* flags) {{
    for (int i = 0; flags[0] == 0; i = (i + 1) & 7) {{ flags[2 + i] = i; __syncthreads(); }}
}}
extern "C" __global__ void waits_for_the_host(volatile int* flags) {{
    while (flags[0] == 0) {{}}
    flags[1] = flags[0] + 1;
}}
''')
flags = module.upload(np.zeros(16, "i4"))
def launch(kernel, where=None, stream=None):
    values = [ctypes.c_void_p(int(where or flags))]
    pointers = (ctypes.c_void_p * 2)(ctypes.addressof(values[0]))
    check(hip.hipModuleLaunchKernel(module.function(kernel), 4, 1, 1, 64, 1, 1, sharedMemBytes=0, stream=stream,
                                    kernelParams=pointers, extra=None))
def interrupt_soon():
    # From outside: where hip-python keeps the interpreter's lock, no thread of this one runs meanwhile.
    code = f"import os, time; time.sleep(1); print(time.monotonic()); os.kill({{os.getpid()}}, 2)"
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
"""

ENDLESS = {
    "waits_for_nobody": "one thread after the other, on fibres where they wait",
    "waits_at_a_barrier": "on fibres",
    "computes": "one thread after the other",
    "meets": "on fibres",
}


def program(folder: Path, code: str, **environment: str) -> tuple[list[str], str]:
    done = run(folder, PROGRAM.format(root=str(ROOT), folder=str(folder)) + code, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines(), done.stderr


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("kernel", ENDLESS)
def test_an_interrupt_names_the_kernel_and_ends_it(runtime_folder: Path, kernel: str, threads: str) -> None:
    out, errors = program(
        runtime_folder,
        f"""
launch({kernel!r})
killer = interrupt_soon()
try:
    hip.hipDeviceSynchronize()
    time.sleep(10)
except KeyboardInterrupt:
    late = time.monotonic() - float(killer.communicate()[0])
    print("interrupted", late < 1 or late)
print(name(hip.hipDeviceSynchronize()))
check(hip.hipDeviceReset())
print(name(hip.hipDeviceSynchronize()))
""",
        CUDA_SHIM_CPU_THREADS=threads,
    )
    assert out == ["interrupted True", "hipErrorLaunchFailure", "hipSuccess"], errors
    said = re.search(
        rf"interrupted while waiting for the device: kernel {kernel} has been running for (\d+\.\d) s, ([^\n]*), "
        r"with 4 blocks of 64 threads(.*)\n",
        errors,
    )
    assert said, errors
    assert said[2] == ENDLESS[kernel]
    waits = "; every thread that is under way waits for memory that none of them writes"
    assert said[3] == (waits if kernel.startswith("waits") else "")
    assert f"kernel {kernel} was stopped in block" in errors
    assert "the program was interrupted (SIGINT)" in errors


@pytest.mark.parametrize("kernel", ENDLESS)
def test_a_reset_ends_what_runs(runtime_folder: Path, kernel: str) -> None:
    out, errors = program(
        runtime_folder,
        f"""
stream = check(hip.hipStreamCreate())
for _ in range(3):
    launch({kernel!r})
    launch({kernel!r}, stream=stream)
start = time.monotonic()
module.reset_device()
print(time.monotonic() - start < 5)
flags = module.upload(np.ones(16, "i4"))
launch("waits_for_the_host")
print(name(hip.hipDeviceSynchronize()))
""",
    )
    assert out == ["True", "hipSuccess"], errors
    assert "stopped" not in errors  # a reset that ends kernels is no failure to report


def test_a_reset_waits_for_kernels_that_end(runtime_folder: Path) -> None:
    out, _ = program(
        runtime_folder,
        """
shared = check(hip.hipHostMalloc(64, 0))
memory = (ctypes.c_int * 16).from_address(int(shared))
memory[0] = 7
launch("waits_for_the_host", shared)
seen = threading.Thread(target=lambda: print(name(hip.hipDeviceReset())))
seen.start()
seen.join()
""",
    )
    assert out == ["hipSuccess"]


def test_a_launch_returns_though_the_kernel_waits_for_the_host(runtime_folder: Path) -> None:
    """It returns even if the kernel's earlier launches were short."""
    out, errors = program(
        runtime_folder,
        """
shared = check(hip.hipHostMalloc(64, 0))
memory = (ctypes.c_int * 16).from_address(int(shared))
for value in (1, 2, 3, 4):
    memory[0] = value
    launch("waits_for_the_host", shared)
    check(hip.hipDeviceSynchronize())
memory[0] = memory[1] = 0
launch("waits_for_the_host", shared)
time.sleep(0.1)
print(memory[1])
memory[0] = 41
print(name(hip.hipDeviceSynchronize()), memory[1])
""",
    )
    assert out == ["0", "hipSuccess 42"], errors


def test_an_interrupt_between_kernels_is_the_programs_own(runtime_folder: Path) -> None:
    out, errors = program(
        runtime_folder,
        """
interrupt_soon()
try:
    while True:
        time.sleep(0.05)
        check(hip.hipDeviceSynchronize())
except KeyboardInterrupt:
    print("interrupted", name(hip.hipDeviceSynchronize()))
""",
    )
    assert out == ["interrupted hipSuccess"]
    assert errors == ""


def test_a_program_without_a_handler_dies_of_the_signal(runtime_folder: Path) -> None:
    code = """
signal.signal(signal.SIGINT, signal.SIG_DFL)
launch("computes")
interrupt_soon()
hip.hipDeviceSynchronize()
"""
    done = run(runtime_folder, PROGRAM.format(root=str(ROOT), folder=str(runtime_folder)) + code)
    assert done.returncode == -2
    assert "kernel computes has been running for" in done.stderr
