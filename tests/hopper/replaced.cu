// Fields of tensor maps that kernels replace, in shared memory and in place, before they copy a box.
typedef unsigned long long u64;
struct alignas(64) TensorMap { u64 opaque[16]; };

static __device__ unsigned shared_address(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

// value is the field's new number, map memory that the kernel may write.
#define REPLACE(name, shared_statement, global_statement, axes, places) \
    extern "C" __global__ void name(const __grid_constant__ TensorMap given, TensorMap* map, unsigned char* out, unsigned size, \
                                    unsigned bytes, u64 value, int in_place, int c0, int c1, int c2) { \
        extern __shared__ __align__(1024) unsigned char buffer[]; \
        __shared__ alignas(128) TensorMap changed; \
        __shared__ alignas(8) u64 storage; \
        const unsigned bar = shared_address(&storage); \
        for (unsigned i = threadIdx.x; i < size; i += blockDim.x) buffer[i] = 0xcd; \
        if (threadIdx.x < 16) changed.opaque[threadIdx.x] = given.opaque[threadIdx.x], map->opaque[threadIdx.x] = given.opaque[threadIdx.x]; \
        if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory"); \
        __threadfence_system(); \
        __syncthreads(); \
        if (threadIdx.x == 0 && !in_place) asm volatile(shared_statement ::"r"(shared_address(&changed)), "l"(value), "r"((unsigned)value) : "memory"); \
        if (threadIdx.x == 0 && in_place) asm volatile(global_statement ::"l"(map), "l"(value), "r"((unsigned)value) : "memory"); \
        __syncthreads(); \
        if (!in_place) \
            asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" \
                         ::"l"(map), "r"(shared_address(&changed)) : "memory"); \
        else \
            asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory"); \
        asm volatile("fence.proxy.async;" ::: "memory"); \
        __syncthreads(); \
        unsigned done = 0; \
        if (threadIdx.x == 0) { \
            asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory"); \
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory"); \
            asm volatile("cp.async.bulk.tensor." axes ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" places "}], [%2];" \
                         ::"r"(shared_address(buffer)), "l"(map), "r"(bar), "r"(c0), "r"(c1), "r"(c2) : "memory"); \
            for (int tries = 0; tries < 1000 && !done; ++tries) \
                asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" \
                             : "=r"(done) : "r"(bar) : "memory"); \
        } \
        __syncthreads(); \
        for (unsigned i = threadIdx.x; i < size; i += blockDim.x) out[i] = buffer[i]; \
        if (threadIdx.x == 0) out[size] = done; \
    }
REPLACE(address, "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;", "tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;", "2d", "%3, %4")
REPLACE(rank, "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], %2;", "tensormap.replace.tile.rank.global.b1024.b32 [%0], %2;", "2d", "%3, %4")
REPLACE(box_0, "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, %2;", "tensormap.replace.tile.box_dim.global.b1024.b32 [%0], 0, %2;", "2d", "%3, %4")
REPLACE(box_1, "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, %2;", "tensormap.replace.tile.box_dim.global.b1024.b32 [%0], 1, %2;", "2d", "%3, %4")
REPLACE(dim_0, "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %2;", "tensormap.replace.tile.global_dim.global.b1024.b32 [%0], 0, %2;", "2d", "%3, %4")
REPLACE(dim_1, "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %2;", "tensormap.replace.tile.global_dim.global.b1024.b32 [%0], 1, %2;", "2d", "%3, %4")
REPLACE(stride, "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;", "tensormap.replace.tile.global_stride.global.b1024.b64 [%0], 0, %1;", "2d", "%3, %4")
REPLACE(stride_1, "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 1, %1;", "tensormap.replace.tile.global_stride.global.b1024.b64 [%0], 1, %1;", "3d", "%3, %4, %5")
REPLACE(step, "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, %2;", "tensormap.replace.tile.element_stride.global.b1024.b32 [%0], 1, %2;", "2d", "%3, %4")
REPLACE(type_u8, "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 0;", "tensormap.replace.tile.elemtype.global.b1024.b32 [%0], 0;", "2d", "%3, %4")
REPLACE(type_f16, "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 6;", "tensormap.replace.tile.elemtype.global.b1024.b32 [%0], 6;", "2d", "%3, %4")
REPLACE(type_f32, "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 7;", "tensormap.replace.tile.elemtype.global.b1024.b32 [%0], 7;", "2d", "%3, %4")
REPLACE(type_f32_ftz, "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 8;", "tensormap.replace.tile.elemtype.global.b1024.b32 [%0], 8;", "2d", "%3, %4")
REPLACE(type_f64, "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 9;", "tensormap.replace.tile.elemtype.global.b1024.b32 [%0], 9;", "2d", "%3, %4")
REPLACE(type_bf16, "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 10;", "tensormap.replace.tile.elemtype.global.b1024.b32 [%0], 10;", "2d", "%3, %4")
REPLACE(type_tf32, "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 11;", "tensormap.replace.tile.elemtype.global.b1024.b32 [%0], 11;", "2d", "%3, %4")
REPLACE(type_tf32_ftz, "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 12;", "tensormap.replace.tile.elemtype.global.b1024.b32 [%0], 12;", "2d", "%3, %4")
REPLACE(swizzle_64, "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 2;", "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%0], 2;", "2d", "%3, %4")
REPLACE(swizzle_128, "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 3;", "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%0], 3;", "2d", "%3, %4")
REPLACE(fill, "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 1;", "tensormap.replace.tile.fill_mode.global.b1024.b32 [%0], 1;", "2d", "%3, %4")
