"""Launching: geometry, arguments in both forms, limits, streams, cooperative launches."""

from __future__ import annotations

import ctypes
import itertools
import os
import threading

import numpy as np
import pytest

from tests.clusters import DEVICES_HAVE_CLUSTERS
from tests.hip_on_host.hip_program import check, name
from tests.hip_on_host.kernel_modules import compile_module


@pytest.mark.parametrize(
    ("grid", "block"),
    [
        ((1, 1, 1), (1, 1, 1)),
        ((3, 1, 1), (33, 1, 1)),
        ((2, 3, 4), (5, 6, 7)),
        ((500, 1, 1), (1024, 1, 1)),
        ((1, 70, 2), (1, 1, 64)),
    ],
)
def test_every_thread_knows_its_place(kernels, basic, grid, block):
    blocks, threads = int(np.prod(grid)), int(np.prod(block))
    out = kernels.device(np.zeros((blocks, threads, 8), "u4"))
    check(kernels.launch(kernels.function(basic, "geometry"), grid, block, out))
    got = kernels.fetch(out, np.zeros((blocks, threads, 8), "u4"))
    assert (got[..., :3] == grid).all()
    assert (got[..., 3:6] == block).all()
    assert (got[..., 6] == np.arange(blocks)[:, None]).all()
    assert (got[..., 7] == np.arange(threads)).all()
    check(kernels.hip.hipFree(out.value))


def mixed_values(out):
    class Pair(ctypes.Structure):
        _fields_ = (("letter", ctypes.c_char), ("number", ctypes.c_double))

    return ctypes.c_char(b"A"), out, Pair(b"B", 2.5), ctypes.c_short(-3), ctypes.c_int64(1 << 40)


MIXED = [65, 66, 2.5, -3, 1 << 40]


def test_arguments_by_address(kernels, basic):
    out = kernels.device(np.zeros(5))
    check(kernels.launch(kernels.function(basic, "mixed"), 1, 1, *mixed_values(out)))
    assert kernels.fetch(out, np.zeros(5)).tolist() == MIXED


def packed(values, offsets, size):
    buffer = ctypes.create_string_buffer(size)
    for value, offset in zip(values, offsets, strict=True):
        ctypes.memmove(ctypes.addressof(buffer) + offset, ctypes.addressof(value), ctypes.sizeof(value))
    return buffer


def launch_packed(native, kernel, buffer, size):
    length = ctypes.c_size_t(size)
    extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(buffer), 2, ctypes.addressof(length), 3)
    return native.hipModuleLaunchKernel(ctypes.c_void_p(int(kernel)), 1, 1, 1, 1, 1, 1, 0, None, None, extra)


@pytest.fixture(scope="module")
def native(hip, runtime_folder):
    hip.hipGetDevice()
    return ctypes.CDLL(os.fspath(runtime_folder / "lib/libamdhip64.so"))


def test_arguments_in_one_buffer(kernels, basic, native):
    out = kernels.device(np.zeros(5))
    buffer = packed(mixed_values(out), (0, 8, 16, 32, 40), 48)
    kernel = kernels.function(basic, "mixed")
    assert launch_packed(native, kernel, buffer, 48) == 0
    assert kernels.fetch(out, np.zeros(5)).tolist() == MIXED
    assert launch_packed(native, kernel, buffer, 47) == 1  # too short for the last one
    no_end = (ctypes.c_void_p * 40)(*([1, ctypes.addressof(buffer)] * 20))
    handle = ctypes.c_void_p(int(kernel))
    assert native.hipModuleLaunchKernel(handle, 1, 1, 1, 1, 1, 1, 0, None, None, no_end) == 1
    nothing = (ctypes.c_void_p * 1)(3)
    assert native.hipModuleLaunchKernel(handle, 1, 1, 1, 1, 1, 1, 0, None, None, nothing) == 1


def test_arguments_are_copied_at_the_launch(kernels, basic):
    """A later change of the caller's arguments has no effect, however late the kernel runs."""
    hip = kernels.hip
    stream = check(hip.hipStreamCreate())
    out = kernels.device(np.zeros(1, "u8"))
    slow = kernels.function(basic, "slow")
    wait, value = ctypes.c_uint64(50), ctypes.c_uint64(1)
    check(kernels.launch(slow, 1, 1, wait, out, value, stream=stream))
    value.value = 2
    check(kernels.launch(slow, 1, 1, wait, out, value, stream=stream))
    value.value = 3
    check(hip.hipStreamSynchronize(stream))
    assert kernels.fetch(out, np.zeros(1, "u8"))[0] == 2


def test_launches_that_take_time_do_not_hold_the_caller(kernels, basic):
    hip = kernels.hip
    stream = check(hip.hipStreamCreate())
    out = kernels.device(np.zeros(1, "u8"))
    slow = kernels.function(basic, "slow")
    check(kernels.launch(slow, 1, 1, ctypes.c_uint64(300), out, ctypes.c_uint64(1), stream=stream))
    assert name(hip.hipStreamQuery(stream)) == "hipErrorNotReady"
    check(hip.hipStreamSynchronize(stream))
    assert name(hip.hipStreamQuery(stream)) == "hipSuccess"


def test_launches_of_one_stream_run_in_order(kernels, basic):
    hip = kernels.hip
    stream = check(hip.hipStreamCreate())
    out = kernels.device(np.zeros(1, "u8"))
    slow = kernels.function(basic, "slow")
    for value in range(20):
        wait = ctypes.c_uint64(value % 3)
        check(kernels.launch(slow, 1, 1, wait, out, ctypes.c_uint64(value), stream=stream))
    check(hip.hipStreamSynchronize(stream))
    assert kernels.fetch(out, np.zeros(1, "u8"))[0] == 19


def test_extents_that_cannot_be(kernels, basic):
    empty = kernels.function(basic, "empty")
    for axis, (kind, good) in itertools.product(range(3), (("grid", "block"), ("block", "grid"))):
        zero = [1, 1, 1]
        zero[axis] = 0
        assert name(kernels.launch(empty, **{kind: tuple(zero), good: 1})) == "hipErrorInvalidValue"
    assert name(kernels.launch(empty, (1, 65536, 1), 1)) == "hipErrorInvalidValue"
    assert name(kernels.launch(empty, 1, 1025)) == "hipErrorInvalidConfiguration"
    assert name(kernels.launch(empty, 1, (64, 64, 1))) == "hipErrorInvalidConfiguration"
    assert name(kernels.launch(empty, 1, (65536, 65536, 1))) == "hipErrorInvalidConfiguration"
    check(kernels.launch(empty, 1, 1024))
    check(kernels.launch(empty, (1 << 20, 1, 1), 1))


def test_launch_bounds_are_kept(kernels, basic):
    bounded = kernels.function(basic, "bounded")
    check(kernels.launch(bounded, 1, 64))
    assert name(kernels.launch(bounded, 1, 65)) == "hipErrorInvalidConfiguration"


def test_shared_memory_has_an_end(kernels, basic):
    empty, greedy = kernels.function(basic, "empty"), kernels.function(basic, "greedy")
    most = check(kernels.hip.hipDeviceGetAttribute(
        kernels.hip.hipDeviceAttribute_t.hipDeviceAttributeMaxSharedMemoryPerBlock, 0))  # fmt: skip
    check(kernels.launch(empty, 1, 1, shared=most))
    assert name(kernels.launch(empty, 1, 1, shared=most + 1)) == "hipErrorInvalidValue"
    check(kernels.launch(greedy, 1, 1, shared=most - (48 << 10)))
    assert name(kernels.launch(greedy, 1, 1, shared=most - (48 << 10) + 1)) == "hipErrorInvalidValue"


def test_arguments_that_are_missing_or_given_twice(kernels, basic, native):
    saxpy = ctypes.c_void_p(int(kernels.function(basic, "saxpy")))
    one = (1, 1, 1, 1, 1, 1, 0, None)
    assert native.hipModuleLaunchKernel(saxpy, *one, None, None) == 1
    both = (ctypes.c_void_p * 4)()
    assert native.hipModuleLaunchKernel(saxpy, *one, both, both) == 1
    assert native.hipModuleLaunchKernel(None, *one, None, None) == 400


def test_a_stream_that_is_none(kernels, basic):
    empty = kernels.function(basic, "empty")
    stream = check(kernels.hip.hipStreamCreate())
    check(kernels.hip.hipStreamDestroy(stream))
    assert name(kernels.launch(empty, 1, 1, stream=stream)) != "hipSuccess"


def test_dynamic_shared_memory(kernels, basic):
    data = np.arange(64 * 100, dtype="i4")
    device, how = kernels.device(data), kernels.device(np.zeros(1, "i4"))
    check(kernels.launch(kernels.function(basic, "reverse"), 100, 64, device, how, shared=256))
    expected = data.reshape(100, 64)[:, ::-1].ravel()
    assert (kernels.fetch(device, data) == expected).all()
    assert kernels.fetch(how, np.zeros(1, "i4"))[0] == 1  # the split form


def test_cooperative_launch(kernels, basic):
    arrived, wrong = (kernels.device(np.zeros(1, "i4")) for _ in range(2))
    rounds = kernels.function(basic, "grid_rounds")
    check(kernels.launch(rounds, 4, 64, arrived, wrong, ctypes.c_int(6), cooperative=True))
    assert kernels.fetch(arrived, np.zeros(1, "i4"))[0] == 6 * 4 * 64
    assert kernels.fetch(wrong, np.zeros(1, "i4"))[0] == 0


def test_cooperative_launch_too_large(kernels, basic):
    arrived, wrong = (kernels.device(np.zeros(1, "i4")) for _ in range(2))
    rounds = kernels.function(basic, "grid_rounds")
    arguments = (arrived, wrong, ctypes.c_int(1))
    assert name(kernels.launch(rounds, 100000, 64, *arguments, cooperative=True)) == "hipErrorCooperativeLaunchTooLarge"


def test_the_largest_cooperative_launch_that_occupancy_allows_runs(kernels, basic):
    hip = kernels.hip
    rounds = kernels.function(basic, "grid_rounds")
    blocks = check(hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(rounds, 256, 0))
    blocks *= check(hip.hipDeviceGetAttribute(hip.hipDeviceAttribute_t.hipDeviceAttributeMultiprocessorCount, 0))
    blocks = min(blocks, 64)  # enough to be more than the machine's cores in most places
    arrived, wrong = (kernels.device(np.zeros(1, "i4")) for _ in range(2))
    check(kernels.launch(rounds, blocks, 256, arrived, wrong, ctypes.c_int(3), cooperative=True))
    assert kernels.fetch(wrong, np.zeros(1, "i4"))[0] == 0
    assert kernels.fetch(arrived, np.zeros(1, "i4"))[0] == 3 * blocks * 256


class LaunchConfig(ctypes.Structure):
    """HIP_LAUNCH_CONFIG."""

    _fields_ = (
        *((f"{kind}{axis}", ctypes.c_uint) for kind in ("grid", "block") for axis in "xyz"),
        ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p), ("attributes", ctypes.c_void_p), ("count", ctypes.c_uint),
    )  # fmt: skip


def test_launch_with_a_configuration(kernels, basic, native):
    arrived, wrong = (kernels.device(np.zeros(1, "i4")) for _ in range(2))
    values = (arrived, wrong, ctypes.c_int(2))
    params = (ctypes.c_void_p * 3)(*(ctypes.addressof(value) for value in values))
    cooperative = (ctypes.c_int * 18)(2, 0, 1)  # hipLaunchAttributeCooperative, padding, value
    config = LaunchConfig(2, 1, 1, 32, 1, 1, 0, None, ctypes.addressof(cooperative), 1)
    function = ctypes.c_void_p(int(kernels.function(basic, "grid_rounds")))
    assert native.hipDrvLaunchKernelEx(ctypes.byref(config), function, params, None) == 0
    assert kernels.fetch(arrived, np.zeros(1, "i4"))[0] == 2 * 2 * 32
    assert native.hipDrvLaunchKernelEx(None, function, params, None) == 1


class Dim3(ctypes.Structure):
    _fields_ = (("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint))


def test_launch_by_address_takes_handles(kernels, basic, native):
    """A Python program has no host stubs: hipLaunchKernel gets a function's handle."""
    module = kernels.load(compile_module("basic"))
    function = ctypes.c_void_p(int(kernels.function(module, "add_counter")))
    params = (ctypes.c_void_p * 1)()
    for launch in (native.hipLaunchKernel, native.hipLaunchKernel_spt):
        launch.argtypes = [ctypes.c_void_p, Dim3, Dim3, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
        assert launch(function, Dim3(2, 1, 1), Dim3(3, 1, 1), ctypes.addressof(params), 0, None) == 0
        assert launch(ctypes.c_void_p(1234), Dim3(1, 1, 1), Dim3(1, 1, 1), ctypes.addressof(params), 0, None) == 98
    check(kernels.hip.hipDeviceSynchronize())
    pointer, _ = check(kernels.hip.hipModuleGetGlobal(module, b"counter"))
    assert kernels.fetch(ctypes.c_void_p(int(pointer)), np.zeros(1, "i4"))[0] == 7 + 12


def test_many_python_threads_launch(kernels, basic):
    n = 1 << 12
    y = kernels.device(np.zeros(n, "f4"))
    x = kernels.device(np.ones(n, "f4"))
    saxpy = kernels.function(basic, "saxpy")
    errors = []

    def work(stream):
        mine = kernels.device(np.zeros(n, "f4"))
        for _ in range(50):
            errors.append(kernels.launch(
                saxpy, 16, 256, ctypes.c_float(1), x, mine, ctypes.c_uint64(n), stream=stream)[0])  # fmt: skip
        check(kernels.hip.hipStreamSynchronize(stream))
        assert (kernels.fetch(mine, np.zeros(n, "f4")) == 50).all()
        done.append(stream)

    done: list[object] = []
    streams = [check(kernels.hip.hipStreamCreate()) for _ in range(6)]
    threads = [threading.Thread(target=work, args=(stream,)) for stream in streams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 6
    assert {int(error) for error in errors} == {0}
    check(kernels.hip.hipFree(y.value))


def test_launches_in_a_forked_child(run_hip):
    path = compile_module("basic")
    out = run_hip(f"""
import numpy as np
from kernel_modules import Kernels
kernels = Kernels(hip)
basic = kernels.load({str(path)!r})
data, how = kernels.device(np.zeros(1 << 16, "i4")), kernels.device(np.zeros(1, "i4"))
for kernel, arguments, shared in (("reverse", (data, how), 1024), ("warp_sum", (data,), 0)):
    check(kernels.launch(kernels.function(basic, kernel), 256, 256, *arguments, shared=shared))
check(hip.hipDeviceSynchronize())
child = os.fork()
if child == 0:
    values = np.ones(1 << 16, "i4")
    again = kernels.device(values)
    for _ in range(5):
        check(kernels.launch(kernels.function(basic, "reverse"), 256, 256, again, how, shared=1024))
    check(kernels.launch(kernels.function(basic, "warp_sum"), 256, 256, again))
    os._exit(0 if set(kernels.fetch(again, values).tolist()) == {{32}} else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    assert out.split() == ["0"]


@pytest.mark.parametrize("stack", [64, 128, 1024])
def test_threads_of_the_program_may_have_small_stacks(run_hip, runtime_folder, stack):
    """Sizes in KiB. The variables that a kernel keeps for each thread of its block need 128 KiB here."""
    out = run_hip(f"""
import numpy as np
import hiprtc_program
hiprtc = hiprtc_program.load({str(runtime_folder)!r})
source = '''extern "C" __global__ void k(int* x, int n) {{
    int a[32];
    for (int i = 0; i < 32; i++) a[i] = i * n;
    __syncthreads();
    x[threadIdx.x] = a[threadIdx.x % 32];
    __syncthreads();
    x[threadIdx.x] += a[(threadIdx.x + 1) % 32];
}}'''
def work():
    module = hiprtc_program.Kernels(hip, hiprtc).load(source)
    expected = [3 * (t % 32 + (t + 1) % 32) for t in range(1024)]
    for _ in range(20):
        x = np.zeros(1024, "i4")
        module.launch("k", 1, 1024, x, ctypes.c_int(3))
        right.append(x.tolist() == expected)
right = []
threading.stack_size({stack} << 10)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(right == [True] * 20)
""")
    assert out.split() == ["True"]


def test_a_deep_program_compiles_on_a_small_stack(run_hip, runtime_folder):
    """A sum is as deep a tree as it has terms, and reading it goes down the tree."""
    terms = 1200
    out = run_hip(f"""
import numpy as np
import hiprtc_program
hiprtc = hiprtc_program.load({str(runtime_folder)!r})
total = " + ".join(f"x[{{i}} % n]" for i in range({terms}))
source = 'extern "C" __global__ void k(int* x, int n) {{ int all = ' + total + '; __syncthreads(); x[threadIdx.x] = all; }}'
def work():
    x = np.arange(2, dtype="i4")
    hiprtc_program.Kernels(hip, hiprtc).load(source).launch("k", 1, 2, x, ctypes.c_int(2))
    sums.append(x.tolist())
sums = []
threading.stack_size(128 << 10)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(sums)
""")
    assert out.strip() == f"[[{terms // 2}, {terms // 2}]]"


@pytest.mark.parametrize(("size", "wanted"), [((1, 1, 1), 0), ((0, 0, 0), 0), ((2, 1, 1), 0), ((1, 1, 4), 1054)])
def test_clusters_divide_the_grid(library, kernels, basic, size, wanted):
    if not DEVICES_HAVE_CLUSTERS and max(size) > 1:
        wanted = 1

    class Attribute(ctypes.Structure):
        _fields_ = [
            ("id", ctypes.c_int),
            ("pad", ctypes.c_int),
            ("size", ctypes.c_uint * 3),
            ("rest", ctypes.c_char * 52),
        ]

    class Config(ctypes.Structure):
        _fields_ = [
            *((f"{axis}{end}", ctypes.c_uint) for axis in ("grid", "block") for end in "xyz"),
            ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p), ("attributes", ctypes.c_void_p), ("count", ctypes.c_uint),
        ]  # fmt: skip

    attribute = Attribute(4, 0, (ctypes.c_uint * 3)(*size))  # hipLaunchAttributeClusterDimension
    assert ctypes.sizeof(attribute) == 72
    config = Config(4, 1, 1, 1, 1, 1, 0, None, ctypes.addressof(attribute), 1)
    out = kernels.device(np.zeros(4 * 8, "u4"))
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(out))
    function = ctypes.c_void_p(int(kernels.function(basic, "geometry")))
    assert library.hipDrvLaunchKernelEx(ctypes.byref(config), function, parameters, None) == wanted
    check(kernels.hip.hipDeviceSynchronize())
    assert (kernels.fetch(out, np.zeros(4 * 8, "u4"))[0] == 4) == (wanted == 0)
    check(kernels.hip.hipFree(out.value))
