"""malloc and new of kernels: as much as hipLimitMallocHeapSize says, and no more."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from tests.hip_on_host.hiprtc_program import Kernels
from tests.program_files import read_program

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
SUCCESS, INVALID, HEAP, PRINTF = 0, 1, 2, 1
BLOCK = 1000

SOURCE = read_program(__file__, "device_heap.cu")


@pytest.fixture
def limit(library: ctypes.CDLL):
    """A function that sets the size, which a device takes until a kernel has allocated; a reset begins anew."""
    assert library.hipDeviceReset() == SUCCESS
    yield lambda size: library.hipDeviceSetLimit(HEAP, SIZE(size))
    assert library.hipDeviceReset() == SUCCESS


@pytest.mark.parametrize("blocks", [50, 10])
@pytest.mark.parametrize("new", ["", "_new"], ids=["malloc", "new"])
def test_the_heap_has_the_size_that_was_set(
    programs: Kernels, limit: Callable[[int], int], new: str, blocks: int
) -> None:
    module = programs.load(SOURCE)
    kept = np.zeros(100, np.uint64)
    assert limit(blocks * (BLOCK + 8)) == SUCCESS
    for _ in range(2):
        module.launch("take" + new, 1, 1, kept, ctypes.c_ulonglong(BLOCK), ctypes.c_int(100))
        assert np.count_nonzero(kept) == blocks
        assert not kept[blocks:].any()
        module.launch("give" + new, 1, 1, kept, ctypes.c_int(100))  # freed memory can be had again


@pytest.mark.parametrize("blocks", [1, 0], ids=["allocates", "does not"])
def test_a_kernel_that_allocates_fixes_the_size(
    programs: Kernels, library: ctypes.CDLL, limit: Callable[[int], int], blocks: int
) -> None:
    """The size is refused from then on, as on an H200, even if the memory is free again; a reset ends that."""
    module = programs.load(SOURCE)
    kept, size = np.zeros(1, np.uint64), SIZE()
    assert limit(1 << 20) == limit(2 << 20) == SUCCESS
    module.launch("take", 1, 1, kept, ctypes.c_ulonglong(BLOCK), ctypes.c_int(blocks))
    module.launch("give", 1, 1, kept, ctypes.c_int(blocks))
    assert limit(3 << 20) == (INVALID if blocks else SUCCESS)
    assert library.hipDeviceGetLimit(ctypes.byref(size), HEAP) == SUCCESS
    assert size.value == (2 << 20 if blocks else 3 << 20)
    assert library.hipDeviceSetLimit(PRINTF, SIZE(1 << 20)) == SUCCESS
    assert library.hipDeviceReset() == SUCCESS
    assert limit(3 << 20) == SUCCESS


def test_one_block_larger_than_the_heap(programs: Kernels, limit: Callable[[int], int]) -> None:
    module = programs.load(SOURCE)
    kept = np.ones(2, np.uint64)
    assert limit(1 << 20) == SUCCESS
    for size in ((1 << 20) + 1, 1 << 50, 2**64 - 1):
        module.launch("take", 1, 1, kept, ctypes.c_ulonglong(size), ctypes.c_int(1))
        assert kept.tolist() == [0, 1]


def test_many_threads_share_the_heap(programs: Kernels, limit: Callable[[int], int]) -> None:
    module = programs.load(
        """extern "C" __global__ void each(void** kept, int) {
            kept[blockIdx.x * blockDim.x + threadIdx.x] = malloc(1000);
        }
        extern "C" __global__ void give(void** kept) { free(kept[blockIdx.x * blockDim.x + threadIdx.x]); }"""
    )
    kept = np.zeros(64 * 64, np.uint64)
    assert limit(1000 * (BLOCK + 8)) == SUCCESS
    for _ in range(3):
        module.launch("each", 64, 64, kept, ctypes.c_int(0))
        assert 1000 <= np.count_nonzero(kept) <= 1008
        module.launch("give", 64, 64, kept)


def test_checked_kernels_have_the_same_heap(run_hip: Callable[..., str]) -> None:
    out = run_hip(
        """
import pathlib, numpy as np
sys.path.insert(0, str(pathlib.Path(sys.path[0]).parents[1]))
from tests.hip_on_host import hiprtc_program
programs = hiprtc_program.Kernels(hip, hiprtc_program.load(os.environ["ROCM_PATH"]))
module = programs.load(os.environ["SOURCE"])
check(hip.hipDeviceSetLimit(hip.hipLimit_t.hipLimitMallocHeapSize, 10_500))
kept = np.zeros(100, np.uint64)
for _ in range(2):
    module.launch("take", 1, 1, kept, ctypes.c_ulonglong(1000), ctypes.c_int(100))
    print(np.count_nonzero(kept))
    module.launch("give", 1, 1, kept, ctypes.c_int(100))
""",
        SOURCE=SOURCE,
        CUDA_SHIM_CPU_CHECK="1",
    )
    assert out.split() == ["10", "10"]


WRONG_FREES = read_program(__file__, "device_heap_wrong_frees.cu")


@pytest.mark.parametrize("size", [24, 1000, 20000, 300000])
def test_wrong_frees_harm_nothing(run_hip: Callable[..., str], size: int) -> None:
    """Each fails its launch; the process, its own heap and the heap of later kernels are as they were."""
    out = run_hip(
        """
import pathlib, numpy as np
sys.path.insert(0, str(pathlib.Path(sys.path[0]).parents[1]))
from tests.hip_on_host import hiprtc_program
programs = hiprtc_program.Kernels(hip, hiprtc_program.load(os.environ["ROCM_PATH"]))
module = programs.load(os.environ["SOURCE"], "-DSIZE=" + os.environ["SIZE"])
def make_room():  # for 64 threads
    check(hip.hipDeviceSetLimit(hip.hipLimit_t.hipLimitMallocHeapSize, 64 << 20))
make_room()
def outcome(kernel, threads=1):
    out = module.upload(np.zeros(64, "i4"))
    pointer = ctypes.c_void_p(int(out))
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(pointer))
    check(hip.hipModuleLaunchKernel(module.function(kernel), 1, 1, 1, threads, 1, 1, 0, None, arguments, None))
    status = name(hip.hipDeviceSynchronize())
    result = np.zeros(64, "i4")
    hip.hipMemcpy(result, out, 256, hip.hipMemcpyKind.hipMemcpyDeviceToHost)
    return status, int(result.sum())
for kernel in os.environ["KERNELS"].split():
    print(kernel, outcome(kernel)[0])
    module.reset_device()
    make_room()
    assert outcome("in_order", 64) == ("hipSuccess", 64), kernel
    assert sum(len(bytes(size)) for size in range(2000)) == 1999000
print("beyond", outcome("beyond")[0], outcome("in_order", 64))
""",
        SOURCE=WRONG_FREES,
        SIZE=str(size),
        KERNELS="twice deleted_twice inside of_the_device of_the_module of_the_thread of_the_block made_up",
    )
    *failures, beyond = out.splitlines()
    assert [line.split()[1] for line in failures] == ["hipErrorIllegalAddress"] * 8, out
    assert beyond == "beyond hipSuccess ('hipSuccess', 64)"


def test_blocks_do_not_overlap(programs: Kernels, limit: Callable[[int], int]) -> None:
    """Threads fill blocks of many sizes, give some back and take others, and find their bytes as they wrote them."""
    module = programs.load(read_program(__file__, "device_heap_churn.cu"))
    assert limit(1 << 28) == SUCCESS
    bad = np.zeros(64 * 32, np.int32)
    for _ in range(3):
        module.launch("churn", 64, 32, bad)
        assert not bad.any()


ZEROED = """
struct Object { int values[20]; __device__ Object() : values() {} };
extern "C" __global__ void zeroed(int* out, int n) {
    int* set = (int*)malloc(64);
    memset(set, 0, 64);
    set[threadIdx.x & 15] = 3;
    int* array = new int[16]();
    array[3] = n;
    Object* object = new Object();
    float* looped = (float*)malloc(256);
    for (int i = 0; i < 64; ++i) looped[i] = 0;
    out[0] = set[1] + array[4] + object->values[7] + (int)looped[9] + array[3] + 1;
    free(set);
    delete[] array;
    delete object;
    free(looped);
}"""


def test_zeroed_memory_is_of_the_heap_too(programs: Kernels) -> None:
    """Compilers would make the host's calloc of it, whose memory no free of the device's takes."""
    out = np.full(1, 7, np.int32)
    programs.load(ZEROED).launch("zeroed", 1, 1, out, ctypes.c_int(5))
    assert out.tolist() == [6]


def test_the_heap_and_the_buffer_of_printf_are_as_large_as_on_an_h100(library: ctypes.CDLL) -> None:
    size = SIZE()
    for kind, expected in ((HEAP, 8 << 20), (PRINTF, 8650752)):
        assert library.hipDeviceGetLimit(ctypes.byref(size), kind) == SUCCESS
        assert size.value == expected
