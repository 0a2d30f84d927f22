// Copies of whole rows of bytes, and reductions, that the copy engine makes.
typedef unsigned long long u64;

static __device__ unsigned shared_address(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }
static __device__ bool arrive_and_wait(unsigned bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(bar), "r"(0), "r"(1000) : "memory");
    return done;
}
static __device__ void commit_and_wait() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// From global to shared memory and back, to an address that the caller shifts by 16 bytes at a time.
extern "C" __global__ void there_and_back(const char* from, char* to, unsigned bytes, unsigned shift, unsigned* done) {
    extern __shared__ __align__(128) char buffer[];
    __shared__ alignas(8) u64 storage;
    const unsigned bar = shared_address(&storage);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(shared_address(buffer + shift)), "l"(from), "r"(bytes), "r"(bar) : "memory");
        done[0] = arrive_and_wait(bar, bytes);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) buffer[shift + i] += 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(buffer + shift)), "r"(bytes) : "memory");
        commit_and_wait();
    }
}

#define REDUCTION(name, suffix)                                                                                     \
    extern "C" __global__ void reduce_##name(const char* from, char* to, unsigned bytes) {                          \
        __shared__ alignas(128) char buffer[256];                                                                   \
        for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) buffer[i] = from[i];                             \
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                                \
        __syncthreads();                                                                                            \
        if (threadIdx.x == 0) {                                                                                     \
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." suffix " [%0], [%1], %2;"            \
                         ::"l"(to), "r"(shared_address(buffer)), "r"(bytes) : "memory");                            \
            commit_and_wait();                                                                                      \
        }                                                                                                           \
    }
REDUCTION(and_b32, "and.b32")
REDUCTION(or_b64, "or.b64")
REDUCTION(xor_b32, "xor.b32")
REDUCTION(add_u32, "add.u32")
REDUCTION(add_s32, "add.s32")
REDUCTION(add_u64, "add.u64")
REDUCTION(inc_u32, "inc.u32")
REDUCTION(dec_u32, "dec.u32")
REDUCTION(min_u32, "min.u32")
REDUCTION(max_s32, "max.s32")
REDUCTION(min_s64, "min.s64")
REDUCTION(max_u64, "max.u64")
REDUCTION(add_f32, "add.f32")
REDUCTION(add_f64, "add.f64")
REDUCTION(add_f16, "add.noftz.f16")
REDUCTION(min_f16, "min.f16")
REDUCTION(add_bf16, "add.noftz.bf16")
REDUCTION(max_bf16, "max.bf16")

// Into shared memory of the cluster's other block.
#define INTO_CLUSTER(name, suffix)                                                                                  \
    extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_##name(const char* from, char* to, unsigned bytes) { \
        __shared__ alignas(128) char buffer[256], target[256];                                                      \
        __shared__ alignas(8) u64 storage;                                                                          \
        const unsigned bar = shared_address(&storage), rank = blockIdx.x % 2;                                       \
        for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) buffer[i] = from[rank * bytes + i], target[i] = to[rank * bytes + i]; \
        if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");         \
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");                                          \
        asm volatile("fence.proxy.async;" ::: "memory");                                                            \
        asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");                 \
        if (threadIdx.x == 0) {                                                                                     \
            unsigned far, far_bar;                                                                                  \
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(shared_address(target)), "r"(1 - rank)); \
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far_bar) : "r"(bar), "r"(1 - rank));          \
            asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." suffix " [%0], [%1], %2, [%3];" \
                         ::"r"(far), "r"(shared_address(buffer)), "r"(bytes), "r"(far_bar) : "memory");             \
            arrive_and_wait(bar, bytes);                                                                            \
        }                                                                                                           \
        __syncthreads();                                                                                            \
        for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) to[rank * bytes + i] = target[i];                \
        asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");                 \
    }
INTO_CLUSTER(add_u32, "add.u32")
INTO_CLUSTER(max_s32, "max.s32")
INTO_CLUSTER(and_b32, "and.b32")
