"""Kernels with faults: the error, the line in the log, errors that stick, and devices that go on."""

from __future__ import annotations

import platform
import re
import subprocess

import pytest

from tests.hip_on_host.hip_program import run
from tests.hip_on_host.kernel_modules import compile_module

PRELUDE = """
import ctypes, faulthandler, signal
import numpy as np
from kernel_modules import Kernels
kernels = Kernels(hip)
faulty = kernels.load({path!r})
def reset():  # which ends the module
    global faulty
    check(hip.hipDeviceReset())
    faulty = kernels.load({path!r})
bad = ctypes.c_void_p(64)
def launch(kernel, grid, block, *arguments):
    result = kernels.launch(kernels.function(faulty, kernel), grid, block, *arguments)
    print("launch", name(result))
    print("wait", name(hip.hipDeviceSynchronize()))
"""


@pytest.fixture
def program(runtime_folder):
    def start(code: str, before: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        prelude = PRELUDE.format(path=str(compile_module("faulty")))
        return run(runtime_folder, before + prelude + code, **environment)

    return start


def lived_on(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")


CASES = [
    ("bad_pointer", "bad", "hipErrorIllegalAddress", "illegal memory access at address 0x"),
    ("bad_pointer_on_fibres", "bad", "hipErrorIllegalAddress", "illegal memory access at address 0x"),
    ("illegal", "", "hipErrorLaunchFailure", "illegal instruction"),
    ("assertion", "", "hipErrorAssert", "assertion failed"),
    ("trapping", "", "hipErrorLaunchFailure", "__trap()"),
    ("overflow", "", "hipErrorIllegalAddress", "stack overflow"),
    ("overflow_on_fibres", "", "hipErrorIllegalAddress", "stack overflow"),
    ("deadlock", "", "hipErrorLaunchFailure", "deadlock"),
]


@pytest.mark.parametrize("blocks", [1, 300])
@pytest.mark.parametrize(("kernel", "arguments", "error", "line"), CASES)
def test_a_fault_becomes_an_error(program, kernel, arguments, error, line, blocks):
    done = program(f"launch({kernel!r}, {blocks}, 32, {arguments})")
    assert lived_on(done)[:2] == ["launch hipSuccess", f"wait {error}"]
    assert f"kernel {kernel} was stopped in" in done.stderr
    assert line in done.stderr
    assert done.stderr.count(" was stopped in ") == 1


def test_an_integer_division_by_zero(program):
    done = program("""
values = kernels.device(np.array([5, 1, 0], "i4"))
launch("divide", 1, 1, values)
print(kernels.fetch(values, np.zeros(3, "i4"))[0])
""")
    # A GPU goes on too; aarch64's instruction answers 0.
    assert lived_on(done)[:-1] == [
        "launch hipSuccess",
        "wait hipSuccess",
        "-1" if platform.machine() == "x86_64" else "0",
    ]


def test_the_line_names_block_and_thread(program):
    done = program("""
launch("bad_pointer_on_fibres", (2, 1, 1), (32, 1, 1), ctypes.c_void_p(1 << 46))
""")
    assert lived_on(done)[1] == "wait hipErrorIllegalAddress"
    assert "in block (0,0,0), thread (0,0,0)" in done.stderr or "in block (1,0,0), thread (0,0,0)" in done.stderr


def test_the_message_of_an_assertion_is_shown(program):
    done = program('launch("assertion", 1, 1)')
    lived_on(done)
    assert "kernel.cu:12: void check(int): block: [0,0,0], thread: [0,0,0] Assertion `i < n` failed." in done.stderr


def test_faults_stick_until_the_device_is_reset(program):
    done = program("""
stream, trapping = check(hip.hipStreamCreate()), kernels.function(faulty, "trapping")
launch("bad_pointer", 1, 1, bad)
print("malloc", name(hip.hipMalloc(16)))
print("launch", name(kernels.launch(trapping, 1, 1)))
print("wait", name(hip.hipStreamSynchronize(stream)))
reset()
print("malloc", name(hip.hipMalloc(16)))
launch("divide", 1, 1, kernels.device(np.array([0, 6, 3], "i4")))
""")
    assert lived_on(done)[2:] == [
        "malloc hipErrorIllegalAddress", "launch hipErrorIllegalAddress", "wait hipErrorIllegalAddress",
        "malloc hipSuccess", "launch hipSuccess", "wait hipSuccess", "",
    ]  # fmt: skip


def test_many_faults_in_a_row(program):
    done = program("""
for kernel, arguments in (("bad_pointer", (bad,)), ("overflow_on_fibres", ()), ("bad_pointer_on_fibres", (bad,)),
                          ("overflow", ()), ("deadlock", ()), ("illegal", ())) * 5:
    check(kernels.launch(kernels.function(faulty, kernel), 64, 64, *arguments))
    assert name(hip.hipDeviceSynchronize()) != "hipSuccess"
    reset()
values = kernels.device(np.array([0, 6, 3], "i4"))
launch("divide", 1, 1, values)
print(kernels.fetch(values, np.zeros(3, "i4"))[0])
""", CUDA_SHIM_CPU_LOG="off")  # fmt: skip
    assert lived_on(done) == ["launch hipSuccess", "wait hipSuccess", "2", ""]
    assert done.stderr == ""


def test_other_devices_work_on(program):
    done = program("""
launch("bad_pointer", 1, 1, bad)
check(hip.hipSetDevice(1))
print("other", name(hip.hipMalloc(16)), name(hip.hipDeviceSynchronize()))
""", CUDA_SHIM_CPU_DEVICES="2")  # fmt: skip
    assert lived_on(done)[2] == "other hipSuccess hipSuccess"


@pytest.mark.parametrize("when", ["before", "after"])
def test_faults_outside_kernels_still_reach_faulthandler(program, when):
    enable = "faulthandler.enable()\n"
    done = program(
        (enable if when == "before" else "") + """
launch("bad_pointer", 1, 1, bad)
""" + (enable if when == "after" else "") + """
sys.stdout.flush()
ctypes.string_at(64)
""")  # fmt: skip
    assert done.returncode == -11
    assert done.stdout.split("\n")[:2] == ["launch hipSuccess", "wait hipErrorIllegalAddress"]
    assert "Fatal Python error: Segmentation fault" in done.stderr
    assert "string_at" in done.stderr


def test_faults_outside_kernels_without_a_handler_end_the_process(program):
    done = program("""
launch("bad_pointer", 1, 1, bad)
sys.stdout.flush()
ctypes.string_at(64)
""")
    assert done.returncode == -11
    assert "wait hipErrorIllegalAddress" in done.stdout


def test_a_handler_installed_later_does_not_take_the_kernels_faults(program):
    """faulthandler writes its traceback, then hands the signal back."""
    done = program("""
launch("bad_pointer", 1, 1, bad)
reset()
faulthandler.enable()
for _ in range(2):
    launch("bad_pointer", 1, 1, bad)
    reset()
""")
    assert lived_on(done)[1::2] == ["wait hipErrorIllegalAddress"] * 3


def test_a_signal_sent_by_another_process_is_not_a_fault_of_the_kernel(program):
    done = program("""
import subprocess
launch("bad_pointer", 1, 1, bad)
sys.stdout.flush()
subprocess.run(["kill", "-SEGV", str(os.getpid())])
""")
    assert done.returncode == -11


def test_signals_can_be_left_alone(program):
    done = program("""
print("before", flush=True)
launch("bad_pointer", 1, 1, bad)
""", CUDA_SHIM_CPU_FAULTS="0")  # fmt: skip
    assert done.returncode == -11
    assert done.stdout.startswith("before\n")
    assert "wait" not in done.stdout


def test_faults_on_python_threads(program):
    done = program("""
results = []
def work():
    check(kernels.launch(kernels.function(faulty, "overflow"), 1, 1))
    results.append(name(hip.hipDeviceSynchronize()))
for _ in range(3):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    reset()
print(results)
""")
    assert lived_on(done)[0] == str(["hipErrorIllegalAddress"] * 3)


def test_the_line_names_the_block_of_a_first_launch(program):
    done = program("""
launch("bad_pointer", (3, 2, 1), 4, ctypes.c_void_p(1 << 46))
""")
    assert lived_on(done)[1] == "wait hipErrorIllegalAddress"
    assert re.search(r"in block \([012],[01],0\): illegal memory access at address 0x4000", done.stderr), done.stderr
