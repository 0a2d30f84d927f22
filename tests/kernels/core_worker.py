"""Programs that use CUDA's C++ core libraries and tensor cores, on numbers that numpy has too.

python -m cuda_shim run --backend cpu tests/kernels/core_worker.py FOLDER...

FOLDER has the core libraries' headers; without one only the programs that need none of them are run. Prints a line for
each program.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc

REDUCE = """
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void kernel(const int* x, int* sum) {
    typedef cub::BlockReduce<int, 128> Reduce;
    __shared__ typename Reduce::TempStorage room;
    const int all = Reduce(room).Sum(x[threadIdx.x]);
    if (threadIdx.x == 0) sum[0] = all;
}
"""
BARRIER = """
#include <cuda/atomic>
#include <cuda/barrier>
extern "C" __global__ void kernel(const int* x, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int parts[128];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    parts[threadIdx.x] = x[threadIdx.x];
    cuda::atomic_ref<int, cuda::thread_scope_device> count(out[0]);
    count.fetch_add(parts[threadIdx.x], cuda::memory_order_relaxed);
    barrier.arrive_and_wait();
    if (threadIdx.x == 1) out[1] = parts[127];
}
"""
WAITING = """
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
__device__ cuda::latch<cuda::thread_scope_device> latch(128);
__device__ cuda::binary_semaphore<cuda::thread_scope_device> semaphore(1);
extern "C" __global__ void kernel(const int* x, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> count(out[0]);
    count.fetch_add(1, cuda::memory_order_relaxed);
    count++;
    latch.arrive_and_wait();
    if (threadIdx.x == 0) out[1] = out[0];
    semaphore.acquire();
    out[2] += x[threadIdx.x];
    semaphore.release();
    cuda::atomic_ref<int> most(out[3]);
    most.fetch_max(x[threadIdx.x]);
}
"""
STANDARD = """
#include <cuda/std/array>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/tuple>
extern "C" __global__ void kernel(const int* x, int* out) {
    const cuda::std::complex<float> z(1, 2);
    const cuda::std::array<int, 3> a{1, 2, 3};
    const auto pair = cuda::std::make_tuple(x[3], 2.5f);
    out[0] = (int)(z * z).real() + cuda::std::get<0>(pair) + a[2];
    out[1] = cuda::std::numeric_limits<int>::max();
}
"""
PIPELINE = """
#include <cuda/pipeline>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void kernel(const int* x, int* out) {
    constexpr int stages = 2, batch = 32;
    __shared__ int room[stages][batch];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> shared, parted;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &shared);
    int sum = 0;
    for (int fetched = 0, used = 0; used < 4; ++used) {
        for (; fetched < 4 && fetched < used + stages; ++fetched) {
            pipe.producer_acquire();
            if (threadIdx.x < batch)
                cuda::memcpy_async(&room[fetched % stages][threadIdx.x], x + fetched * batch + threadIdx.x, sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        for (int i = 0; i < batch; ++i) sum = sum * 3 + room[used % stages][i];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
    block.sync();
    // A warp fills the stages, the others empty them.
    const auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto two = cuda::make_pipeline(block, &parted, role);
    sum = 0;
    for (int step = 0; step < 4; ++step) {
        if (role == cuda::pipeline_role::producer) {
            two.producer_acquire();
            cuda::memcpy_async(&room[step % stages][threadIdx.x], x + step * batch + threadIdx.x, sizeof(int), two);
            two.producer_commit();
        } else {
            two.consumer_wait();
            for (int i = 0; i < batch; ++i) sum = sum * 5 + room[step % stages][i];
            two.consumer_release();
        }
    }
    if (threadIdx.x >= 32) out[threadIdx.x] += sum;
    block.sync();
    auto mine = cuda::make_pipeline();
    mine.producer_acquire();
    cuda::memcpy_async(&sum, x + threadIdx.x, sizeof(int), mine);
    mine.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(mine);
    mine.consumer_release();
    out[threadIdx.x] ^= sum;
}
"""
MATRICES = """
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void kernel(const half* a, float* out) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    for (int k = 0; k < 2; ++k) {
        wmma::load_matrix_sync(left, a + k * 16, 32);
        wmma::load_matrix_sync(right, a + k * 16, 32);
        wmma::mma_sync(sum, left, right, sum);
    }
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2;
    wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}
"""
INSTRUCTIONS = """
extern "C" __global__ void kernel(const unsigned short* a, float* out) {
    __shared__ __align__(16) unsigned short left[16][16], right[8][16];
    extern __shared__ __align__(16) unsigned short dynamic[];
    const int lane = threadIdx.x;
    const unsigned to = (unsigned)__cvta_generic_to_shared(&left[lane / 2][lane % 2 * 8]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(a + lane * 8));
    if (lane < 16) {
        const unsigned there = (unsigned)__cvta_generic_to_shared(&right[lane / 2][lane % 2 * 8]);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" :: "r"(there), "l"(a + lane * 8), "r"(16));
    }
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    __syncwarp();
    unsigned x[4], y[2], z;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"((unsigned)__cvta_generic_to_shared(&left[lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(y[0]), "=r"(y[1])
                 : "r"((unsigned)__cvta_generic_to_shared(&right[lane % 8][lane / 8 % 2 * 8])));
    for (int i = lane; i < 64; i += 32) dynamic[i] = left[i / 8][i % 8];
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(z) : "r"((unsigned)__cvta_generic_to_shared(dynamic + lane % 8 * 8)));
    float c[4] = {1, 1, 1, 1};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; ++i) out[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = c[i];
    // A transposed element is where the plain one's row and column say.
    const unsigned short plain = left[lane % 4 * 2][lane / 4];
    if ((z & 0xffff) != plain) out[0] = -1;
}
"""
PRODUCT_OF_BYTES = """
extern "C" __global__ void kernel(const unsigned* a, int* out) {
    const int g = threadIdx.x / 4, t = threadIdx.x % 4;
    int c[4] = {0, 0, 0, 5};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[g * 8 + t]), "r"(a[(g + 8) * 8 + t]), "r"(a[g * 8 + t + 4]), "r"(a[(g + 8) * 8 + t + 4]),
                   "r"(a[g * 8 + t]), "r"(a[g * 8 + t + 4]));
    for (int i = 0; i < 4; ++i) out[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = c[i];
}
"""
BYTES = """
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void kernel(const signed char* a, int* out) {
    wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 32, 8, 16, int> sum;
    wmma::fill_fragment(sum, 0);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, a, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(out, sum, 8, wmma::mem_row_major);
}
"""


def check(result: tuple[Any, ...]) -> Any:
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def compiled(source: str, options: list[str], name: str) -> bytes:
    """Return the code of a program. Raises AssertionError with the log where it does not compile."""
    return built(check(nvrtc.nvrtcCreateProgram(source.encode(), name.encode(), 0, None, None)), options)


def built(program: Any, options: list[str]) -> bytes:
    """Compile a program that was made; the same."""
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
    # Two bytes at least: Python has one object for all bytes of one value, and NVRTC writes to it.
    log = b"  " * check(nvrtc.nvrtcGetProgramLogSize(program))
    nvrtc.nvrtcGetProgramLog(program, log)
    assert int(status) == 0, log.decode(errors="replace")
    code = b" " * check(nvrtc.nvrtcGetCUBINSize(program))
    check((*nvrtc.nvrtcGetCUBIN(program, code), None))
    return code


def run(source: str, folders: list[str], threads: int, x: Any, out: Any, shared: int = 0) -> Any:
    """Compile `source`, launch its kernel on a block, and return `out` as the kernel left it."""
    options = ["--gpu-architecture=compute_80", *(f"-I{folder}" for folder in folders)]
    code = compiled(source, options, "core.cu")
    kernel = check(driver.cuModuleGetFunction(check(driver.cuModuleLoadData(code)), b"kernel"))
    arguments = np.zeros(2, np.uint64)
    for index, array in enumerate((x, out)):
        arguments[index] = int(check(driver.cuMemAlloc(array.nbytes)))
        driver.cuMemcpyHtoD(int(arguments[index]), array.ctypes.data, array.nbytes)
    places = np.array([arguments.ctypes.data, arguments.ctypes.data + 8], np.uint64)
    driver.cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, shared, 0, places.ctypes.data, 0)
    check((*driver.cuCtxSynchronize(), None))
    driver.cuMemcpyDtoH(out.ctypes.data, int(arguments[1]), out.nbytes)
    return out


def piped(x: Any) -> Any:
    """The expected result of PIPELINE."""
    result = []
    with np.errstate(over="ignore"):
        for thread in range(128):
            first = second = np.int32(0)
            for value in x:
                first = np.int32(first * np.int32(3) + value)
                second = np.int32(second * np.int32(5) + value)
            result.append(np.int32(first + (second if thread >= 32 else np.int32(0))) ^ x[thread])
    return np.array(result, np.int32)


def begin() -> None:
    """Make the device's context current."""
    driver.cuInit(0)
    driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(check(driver.cuDeviceGet(0)))))


def main(folders: list[str]) -> None:
    """Run the programs and compare their results."""
    begin()
    rng = np.random.default_rng(7)
    x = rng.integers(-100, 100, 128).astype(np.int32)
    if folders:
        assert run(REDUCE, folders, 128, x, np.zeros(1, np.int32))[0] == x.sum()
        print("cub::BlockReduce")
        assert run(BARRIER, folders, 128, x, np.zeros(2, np.int32)).tolist() == [x.sum(), x[127]]
        print("cuda::barrier")
        assert (run(PIPELINE, folders, 128, x, np.zeros(128, np.int32)) == piped(x)).all()
        print("cuda::pipeline")
        assert run(STANDARD, folders, 1, x, np.zeros(2, np.int32)).tolist() == [-3 + x[3] + 3, 2**31 - 1]
        print("cuda::std")
    assert run(BARRIER, [], 128, x, np.zeros(2, np.int32)).tolist() == [x.sum(), x[127]]
    print("our cuda::barrier")
    assert (run(PIPELINE, [], 128, x, np.zeros(128, np.int32)) == piped(x)).all()
    print("our cuda::pipeline")
    assert run(WAITING, [], 128, x, np.zeros(4, np.int32)).tolist() == [256, 256, x.sum(), max(x)]
    print("our latch and semaphore")
    half = rng.standard_normal((16, 32)).astype(np.float16)
    wanted = 2 * (half.astype(np.float64) @ half.astype(np.float64).T + 1)
    assert np.allclose(run(MATRICES, [], 32, half, np.zeros((16, 16), np.float32)), wanted, rtol=1e-5, atol=1e-5)
    print("wmma of half")
    small = rng.integers(-128, 128, (32, 16)).astype(np.int8)
    wide = small.astype(np.int32)
    assert (run(BYTES, [], 32, small, np.zeros((32, 8), np.int32)) == wide @ wide[:8].T).all()
    print("wmma of bytes")
    square = rng.standard_normal((16, 16)).astype(np.float16)
    wanted = square.astype(np.float64) @ square[:8].astype(np.float64).T + 1
    assert np.allclose(
        run(INSTRUCTIONS, [], 32, square, np.zeros((16, 8), np.float32), 128), wanted, rtol=1e-5, atol=1e-5
    )
    print("cp.async, ldmatrix and mma.sync of half")
    small = rng.integers(-128, 128, (16, 32)).astype(np.int8)
    wide = small.astype(np.int32)
    wanted = wide @ wide[:8].T
    wanted[8:, 1::2] += 5
    assert (run(PRODUCT_OF_BYTES, [], 32, small, np.zeros((16, 8), np.int32)) == wanted).all()
    print("mma.sync of bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
