// --- input ---

// --- after module ---
#line 1 "k.cu"


#line 1 "<module table>"
extern "C" {
extern char cuda_shim_lowered_names[1][512];
extern const CudaShimSymbol cuda_shim_symbols[1];
extern const void* const cuda_shim_anchors[1];
}
char cuda_shim_lowered_names[1][512] = {"?"};
constexpr CudaShimSymbol cuda_shim_symbols[1] = {
};
constexpr const void* cuda_shim_anchors[1] = {
};
#line 1 "<module table>"
CUDA_SHIM_MODULE(0)
// --- input ---
extern "C" __global__ void k(float* x) { x[threadIdx.x] = 1; }
// --- after module ---
#line 1 "k.cu"
 extern "C" __global__ void k(float* x) __asm__("program.k"); extern "C" CUDA_SHIM_SELDOM __global__ void k(float* x) { x[threadIdx.x] = 1; }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnarrowing"
#line 1 "<thread loops>"

static inline void cuda_shim_split_k(const CudaShimKernelRun* cuda_shim_run_, float* x) {
static constexpr char cuda_shim_function[] = "k";
CUDA_SHIM_SPLIT_BLOCK
CUDA_SHIM_KEEPS_INDEX
CUDA_SHIM_THREADS

#line 1 "k.cu"
{ x[threadIdx.x] = 1; }
CUDA_SHIM_THREADS_END
}

#pragma GCC diagnostic pop

#line 1 "k.cu"


#line 1 "<module table>"
extern "C" {
extern char cuda_shim_lowered_names[1][512];
extern const CudaShimSymbol cuda_shim_symbols[1];
extern const void* const cuda_shim_anchors[1];
}
char cuda_shim_lowered_names[1][512] = {"?"};
constexpr CudaShimSymbol cuda_shim_symbols[1] = {
    cuda_shim_loop_symbol<static_cast<void (*)( float * x )>(&::k), static_cast<void (*)(const CudaShimKernelRun*,  float * x )>(&::cuda_shim_split_k)>({"k", cuda_shim_lowered_names[0], CUDA_SHIM_SYMBOL_KERNEL, 0, 0, "a loop over the threads", nullptr, "x", 1024, {}}),
};
constexpr const void* cuda_shim_anchors[1] = {
    &cuda_shim_entry<0u, static_cast<void (*)( float * x )>(&::k)>::anchor,
};
#line 1 "<module table>"
CUDA_SHIM_LIST_KERNEL(0, "k", "a loop over the threads", "loop", "")
CUDA_SHIM_MODULE(1)
// --- input ---
extern "C" __global__ void k(float* x) { __shared__ float s[64]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[63 - threadIdx.x]; }
// --- after module ---
#line 1 "k.cu"
 extern "C" __global__ void k(float* x) __asm__("program.k"); extern "C" CUDA_SHIM_SELDOM __global__ void k(float* x) { __shared__ float s[64]; struct cuda_shim_alignment_0 { alignas(decltype(s)) char byte; }; static const unsigned long long cuda_shim_size_0[2] __attribute__((used)) = {sizeof(s), alignof(cuda_shim_alignment_0)}; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[63 - threadIdx.x]; }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnarrowing"
#line 1 "<thread loops>"

static inline void cuda_shim_split_k(const CudaShimKernelRun* cuda_shim_run_, float* x) {
static constexpr char cuda_shim_function[] = "k";
CUDA_SHIM_SPLIT_BLOCK
CUDA_SHIM_KEEPS_INDEX
{
auto& cuda_shim_u0_x = x;
(void)cuda_shim_u0_x;
{

#line 1 "k.cu"
__shared__ float s[64];
CUDA_SHIM_THREADS
const auto& x = cuda_shim_u0_x;
{

#line 1 "k.cu"
s[threadIdx.x] = x[threadIdx.x];
}
CUDA_SHIM_THREADS_END
CUDA_SHIM_THREADS
const auto& x = cuda_shim_u0_x;
{

#line 1 "k.cu"
x[threadIdx.x] = s[63 - threadIdx.x];
}
CUDA_SHIM_THREADS_END
}
}
}

#pragma GCC diagnostic pop

#line 1 "k.cu"


#line 1 "<module table>"
extern "C" {
extern char cuda_shim_lowered_names[1][512];
extern const CudaShimSymbol cuda_shim_symbols[1];
extern const void* const cuda_shim_anchors[1];
}
char cuda_shim_lowered_names[1][512] = {"?"};
constexpr CudaShimSymbol cuda_shim_symbols[1] = {
    cuda_shim_split_symbol<static_cast<void (*)( float * x )>(&::k), static_cast<void (*)(const CudaShimKernelRun*,  float * x )>(&::cuda_shim_split_k)>({"k", cuda_shim_lowered_names[0], CUDA_SHIM_SYMBOL_KERNEL, 1, 0, "loops, split at the barriers", nullptr, "x", 1024, {}}),
};
constexpr const void* cuda_shim_anchors[1] = {
    &cuda_shim_entry<0u, static_cast<void (*)( float * x )>(&::k)>::anchor,
};
#line 1 "<module table>"
CUDA_SHIM_LIST_KERNEL(0, "k", "loops, split at the barriers", "loop", "")
CUDA_SHIM_MODULE(1)
// --- input ---
__device__ int counter;
__constant__ float table[4];
extern "C" __global__ void k(float* x) { x[0] = table[1] + counter; }
// --- after module ---
#line 1 "k.cu"
__device__ int counter __asm__("program.counter");
__constant__ float table[4] __asm__("program.table");
 extern "C" __global__ void k(float* x) __asm__("program.k"); extern "C" CUDA_SHIM_SELDOM __global__ void k(float* x) { x[0] = table[1] + counter; }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnarrowing"
#line 1 "<thread loops>"

static inline void cuda_shim_split_k(const CudaShimKernelRun* cuda_shim_run_, float* x) {
static constexpr char cuda_shim_function[] = "k";
CUDA_SHIM_SPLIT_BLOCK
CUDA_SHIM_KEEPS_INDEX
CUDA_SHIM_THREADS

#line 3 "k.cu"
{ x[0] = table[1] + counter; }
CUDA_SHIM_THREADS_END
}

#pragma GCC diagnostic pop

#line 3 "k.cu"


#line 1 "<module table>"
extern "C" {
extern char cuda_shim_lowered_names[3][512];
extern const CudaShimSymbol cuda_shim_symbols[3];
extern const void* const cuda_shim_anchors[3];
}
char cuda_shim_lowered_names[3][512] = {"?"};
constexpr CudaShimSymbol cuda_shim_symbols[3] = {
    cuda_shim_loop_symbol<static_cast<void (*)( float * x )>(&::k), static_cast<void (*)(const CudaShimKernelRun*,  float * x )>(&::cuda_shim_split_k)>({"k", cuda_shim_lowered_names[0], CUDA_SHIM_SYMBOL_KERNEL, 0, 0, "a loop over the threads", nullptr, "x", 1024, {}}),
    cuda_shim_symbol<&::counter>({"counter", cuda_shim_lowered_names[1], CUDA_SHIM_SYMBOL_DEVICE_VARIABLE, 0, 0, nullptr, nullptr, "", 1024, {}}),
    cuda_shim_symbol<&::table>({"table", cuda_shim_lowered_names[2], CUDA_SHIM_SYMBOL_CONSTANT_VARIABLE, 0, 0, nullptr, nullptr, "", 1024, {}}),
};
constexpr const void* cuda_shim_anchors[3] = {
    &cuda_shim_entry<0u, static_cast<void (*)( float * x )>(&::k)>::anchor,
    &cuda_shim_entry<1u, &::counter>::anchor,
    &cuda_shim_entry<2u, &::table>::anchor,
};
#line 1 "<module table>"
CUDA_SHIM_LIST_KERNEL(0, "k", "a loop over the threads", "loop", "")
CUDA_SHIM_MODULE(3)
// --- input ---
extern "C" __global__ void k(volatile int* flag) { while (*flag == 0) {} }
// --- after module ---
#line 1 "k.cu"
 extern "C" __global__ void k(volatile int* flag) __asm__("program.k"); extern "C" __global__ void k(volatile int* flag) { while (*flag == 0) if (cuda_shim_round(), false) ; else  {} }

#line 1 "<module table>"
extern "C" {
extern char cuda_shim_lowered_names[1][512];
extern const CudaShimSymbol cuda_shim_symbols[1];
extern const void* const cuda_shim_anchors[1];
}
char cuda_shim_lowered_names[1][512] = {"?"};
constexpr CudaShimSymbol cuda_shim_symbols[1] = {
    cuda_shim_watched_symbol<static_cast<void (*)( volatile int * flag )>(&::k)>({"k", cuda_shim_lowered_names[0], CUDA_SHIM_SYMBOL_KERNEL, 0, 1, "one thread after the other, fibres where one waits", "its threads may wait for each other without a barrier", "flag", 1024, {}}),
};
constexpr const void* cuda_shim_anchors[1] = {
    &cuda_shim_entry<0u, static_cast<void (*)( volatile int * flag )>(&::k)>::anchor,
};
#line 1 "<module table>"
CUDA_SHIM_LIST_KERNEL(0, "k", "one thread after the other, fibres where one waits", "threads", "its threads may wait for each other without a barrier")
CUDA_SHIM_MODULE(1)
