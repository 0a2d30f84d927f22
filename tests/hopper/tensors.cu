// Copies of boxes of tensors, which a tensor map describes.
typedef unsigned long long u64;
struct alignas(64) TensorMap { u64 opaque[16]; };

static __device__ unsigned shared_address(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }
static __device__ unsigned wait(unsigned bar) {
    unsigned done = 0;
    for (int tries = 0; tries < 1000 && !done; ++tries)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(bar) : "memory");
    return done;
}

#define LOAD(name, form, coordinates, offsets)                                                                      \
    extern "C" __global__ void name(const __grid_constant__ TensorMap map, unsigned char* out, unsigned size, unsigned bytes, \
                                    int c0, int c1, int c2, int c3, int c4, short o0, short o1, short o2) {         \
        extern __shared__ __align__(1024) unsigned char buffer[];                                                   \
        __shared__ alignas(8) u64 storage;                                                                          \
        const unsigned bar = shared_address(&storage);                                                              \
        for (unsigned i = threadIdx.x; i < size; i += blockDim.x) buffer[i] = 0xcd;                                 \
        if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");         \
        asm volatile("fence.proxy.async;" ::: "memory");                                                            \
        __syncthreads();                                                                                            \
        if (threadIdx.x == 0) {                                                                                     \
            asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");                                        \
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory"); \
            asm volatile("cp.async.bulk.tensor." form ".mbarrier::complete_tx::bytes [%0], [%1, {" coordinates "}], [%2]" offsets ";" \
                         ::"r"(shared_address(buffer)), "l"(&map), "r"(bar), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4), \
                         "h"(o0), "h"(o1), "h"(o2) : "memory");                                                     \
        }                                                                                                           \
        const unsigned done = wait(bar);                                                                            \
        for (unsigned i = threadIdx.x; i < size; i += blockDim.x) out[i] = buffer[i];                               \
        if (threadIdx.x == 0) out[size] = done;                                                                     \
    }
LOAD(load_1d, "1d.shared::cluster.global.tile", "%3", "")
LOAD(load_2d, "2d.shared::cluster.global.tile", "%3, %4", "")
LOAD(load_3d, "3d.shared::cluster.global", "%3, %4, %5", "")
LOAD(load_4d, "4d.shared::cluster.global.tile", "%3, %4, %5, %6", "")
LOAD(load_5d, "5d.shared::cluster.global.tile", "%3, %4, %5, %6, %7", "")
LOAD(im2col_3d, "3d.shared::cluster.global.im2col", "%3, %4, %5", ", {%8}")
LOAD(im2col_4d, "4d.shared::cluster.global.im2col", "%3, %4, %5, %6", ", {%8, %9}")
LOAD(im2col_5d, "5d.shared::cluster.global.im2col", "%3, %4, %5, %6, %7", ", {%8, %9, %10}")

#define STORE(name, form, coordinates)                                                                              \
    extern "C" __global__ void name(const __grid_constant__ TensorMap map, const unsigned char* from, unsigned size, \
                                    int c0, int c1, int c2, int c3, int c4) {                                       \
        extern __shared__ __align__(1024) unsigned char buffer[];                                                   \
        for (unsigned i = threadIdx.x; i < size; i += blockDim.x) buffer[i] = from[i];                              \
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                                \
        __syncthreads();                                                                                            \
        if (threadIdx.x == 0) {                                                                                     \
            asm volatile(form " [%0, {" coordinates "}], [%1];"                                                     \
                         ::"l"(&map), "r"(shared_address(buffer)), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4) : "memory"); \
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");                                               \
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");                                               \
        }                                                                                                           \
    }
STORE(store_1d, "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group", "%2")
STORE(store_2d, "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group", "%2, %3")
STORE(store_3d, "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group", "%2, %3, %4")
STORE(store_4d, "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group", "%2, %3, %4, %5")
STORE(store_5d, "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group", "%2, %3, %4, %5, %6")
STORE(add_1d, "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group", "%2")
STORE(add_5d, "cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.tile.bulk_group", "%2, %3, %4, %5, %6")
STORE(max_2d, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.bulk_group", "%2, %3")
STORE(inc_2d, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.bulk_group", "%2, %3")
STORE(dec_2d, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.dec.bulk_group", "%2, %3")
STORE(and_2d, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.bulk_group", "%2, %3")
STORE(or_2d, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.bulk_group", "%2, %3")
STORE(add_2d, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group", "%2, %3")
STORE(min_2d, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group", "%2, %3")
STORE(xor_2d, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.tile.bulk_group", "%2, %3")

// Both blocks of a cluster get the boxes that each of them asks for.
extern "C" __global__ void __cluster_dims__(2, 1, 1) multicast(const __grid_constant__ TensorMap map, unsigned char* out, unsigned size,
                                                               unsigned bytes, int c0, int c1) {
    extern __shared__ __align__(1024) unsigned char buffer[];
    __shared__ alignas(8) u64 storage;
    const unsigned bar = shared_address(&storage), rank = blockIdx.x % 2;
    for (unsigned i = threadIdx.x; i < size; i += blockDim.x) buffer[i] = 0xcd;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(2 * bytes) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                     ::"r"(shared_address(buffer + rank * size / 2)), "l"(&map), "r"(c0), "r"(c1 + 4 * (int)rank), "r"(bar), "h"((short)3) : "memory");
    }
    const unsigned done = wait(bar);
    for (unsigned i = threadIdx.x; i < size; i += blockDim.x) out[blockIdx.x * (size + 1) + i] = buffer[i];
    if (threadIdx.x == 0) out[blockIdx.x * (size + 1) + size] = done;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
