"""Device memory where the process may map few addresses (RLIMIT_AS, `ulimit -v`)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.hip_on_host.kernel_modules import compile_module

PRELUDE = """
import resource
import numpy as np
from kernel_modules import Kernels
kernels = Kernels(hip)
faulty = kernels.load(MODULE)
def mapped():
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
def leave(addresses):
    limit = mapped() + addresses
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
def access_of(address):
    '''How the pages at an address may be used, in the words of /proc/self/maps.'''
    for line in open("/proc/self/maps"):
        begin, end = (int(part, 16) for part in line.split()[0].split("-"))
        if begin <= address < end: return line.split()[1]
    return "nothing"
"""


@pytest.fixture
def run_program(run_hip: Callable[..., str]) -> Callable[[str], list[str]]:
    prelude = PRELUDE.replace("MODULE", repr(str(compile_module("faulty"))))
    return lambda code: run_hip(prelude + code).split("\n")[:-1]


@pytest.mark.parametrize("addresses", [200 << 20, 2 << 30, 8 << 30])
def test_memory_is_apart_from_the_process(run_program: Callable[[str], list[str]], addresses: int) -> None:
    """Large blocks end at a guard; small ones are among themselves. A stray write is a failed launch."""
    out = run_program(f"""
leave({addresses})
small = [int(check(hip.hipMalloc(1000))) for _ in range(100)]
large = [int(check(hip.hipMalloc(3 << 20))) for _ in range(10)]
print({{access_of(one)[:2] for one in small + large}}, {{access_of(one + (3 << 20) + 4096)[:2] for one in large}})
heap = [line.split()[0] for line in open("/proc/self/maps") if "[heap]" in line][0].split("-")
print(any(int(heap[0], 16) <= one < int(heap[1], 16) for one in small + large))
check(kernels.launch(kernels.function(faulty, "bad_pointer"), 1, 1, ctypes.c_void_p(large[0] + (3 << 20) + 8192)))
print(name(hip.hipDeviceSynchronize()), sum(len(bytes(size)) for size in range(2000)))
""")
    assert out == ["{'rw'} {'--'}", "False", "hipErrorIllegalAddress 1999000"]


def test_most_addresses_are_there_for_either(run_program: Callable[[str], list[str]]) -> None:
    """The program has the addresses that the device does not use, and the device may have more than its first range."""
    out = run_program("""
leave(2 << 30)
check(hip.hipMalloc(64))
own = bytearray(1 << 30)
blocks = [check(hip.hipMalloc(100 << 20)) for _ in range(5)]
print(len({int(block) for block in blocks}), len(own) >> 30)
for block in blocks: check(hip.hipFree(block))
check(hip.hipMalloc(400 << 20))
""")
    assert out == ["5 1"]


def test_a_limit_that_leaves_nothing_is_named(runtime_folder: object) -> None:
    from tests.hip_on_host import hip_program

    code = (
        PRELUDE.replace("MODULE", repr(str(compile_module("faulty"))))
        + """
leave(64 << 20)
print(name(hip.hipMalloc(500 << 20)), name(hip.hipMalloc(1 << 20)), name(hip.hipGetLastError()))
"""
    )
    done = hip_program.run(str(runtime_folder), code)
    assert done.stdout.split() == ["hipErrorOutOfMemory", "hipSuccess", "hipErrorOutOfMemory"], done.stderr
    assert "no addresses for 524288000 bytes of device memory: RLIMIT_AS (ulimit -v) leaves" in done.stderr
