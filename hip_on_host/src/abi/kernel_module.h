// The contract between a compiled kernel module and the runtime that loads and runs it.
//
// A kernel module is a host shared object that libhiprtc produced from CUDA C++ or HIP source. libamdhip64 maps it,
// asks it for its table of kernels and variables, and runs kernels by handing each worker thread a range of blocks. The
// module links to nothing of the runtime (hip-python loads it with RTLD_LOCAL): its kernels call the runtime's
// functions through `RuntimeServices`.
//
// Plain C layout, versioned: a module whose version differs is refused and compiled again.
#pragma once
#include "plain_types.h"

#define CUDA_SHIM_KERNEL_ABI_VERSION 14u
#define CUDA_SHIM_KERNEL_MODULE_ENTRY "cuda_shim_kernel_module"
#define CUDA_SHIM_MAX_WARP_SIZE 64
#define CUDA_SHIM_MAX_CLUSTER_BLOCKS 16
#define CUDA_SHIM_THREAD_STATE_GUARD 512  // bytes at either end of a checked module's cuda_shim_thread_state

extern "C" {

// Addresses of the memory that a block's threads share.
struct CudaShimSharedPlace {
    char* variables;             // the worker's copy of the module's thread-local variables
    char* dynamic_shared;
};

// The cluster that the running block belongs to: blocks that wait for each other and see each other's shared memory.
struct CudaShimCluster {
    uint32_t size[3];            // in blocks
    uint64_t variable_bytes;
    void* barrier;               // for grid_barrier: of the blocks of the cluster
    CudaShimSharedPlace blocks[CUDA_SHIM_MAX_CLUSTER_BLOCKS];  // by rank, x fastest
};

// One call of a kernel's entry: blocks [first_block, last_block) in linear order (x fastest), and in each of
// them the threads [thread_lo, thread_hi). The split form and barrier-free kernels get whole blocks; a fibre
// gets one block and a slice of exactly one thread.
struct CudaShimKernelRun {
    void* const* args;           // one address per kernel parameter, as hipModuleLaunchKernel's kernelParams
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t thread_lo[3];
    uint32_t thread_hi[3];
    uint64_t first_block;
    uint64_t last_block;
    void* dynamic_shared;        // this worker's dynamic shared memory, 128-byte aligned, or null
    uint32_t dynamic_shared_bytes;
    uint32_t cooperative;        // 1 when every block of the grid is resident and grid_barrier may be called
    void* block_scheduler;       // the running block's fibres; null where it has none and cannot get any
    void* grid_scheduler;        // shared by all blocks of a cooperative launch; else null
    // 1 when each thread of the block has a stack of its own. The runtime changes it while a loop over the threads of a
    // kernel that may wait is under way (begin_fibres): the running thread goes on in the loop, and the loop ends with
    // it, since the threads behind it have fibres.
    uint32_t on_fibres;
    const CudaShimCluster* cluster;  // null where the launch has no clusters
};

// Reasons why a kernel stopped, as numbers for `trap`.
enum CudaShimTrap {
    CUDA_SHIM_TRAP_TRAP = 1,     // __trap()
    CUDA_SHIM_TRAP_ASSERT = 2,   // assert() failed; the message was printed by the module
    CUDA_SHIM_TRAP_ABORT = 3,    // abort() or an exception in device code
    CUDA_SHIM_TRAP_UNSUPPORTED = 4,
    CUDA_SHIM_TRAP_OVERRUN = 5,  // a function wrote beyond a local array
};

// Flags for a thread's arrival at a numbered barrier.
enum CudaShimNamedBarrier {
    CUDA_SHIM_NAMED_WAITS = 1,      // the thread does not only arrive
    CUDA_SHIM_NAMED_PREDICATE = 2,  // its predicate is true
    CUDA_SHIM_NAMED_COUNTED = 4,    // by `threads`; else the barrier is for all threads that have not returned
};

// Flags for a kernel's access to memory, for `memory_access`.
enum CudaShimAccess {
    CUDA_SHIM_ACCESS_READ = 1,
    CUDA_SHIM_ACCESS_WRITE = 2,
    CUDA_SHIM_ACCESS_ATOMIC = 4,     // with either or both
    CUDA_SHIM_ACCESS_UNALIGNED = 8,  // any address will do
    CUDA_SHIM_ACCESS_VOLATILE = 16,
    CUDA_SHIM_ACCESS_ACQUIRE = 32,  // with an atomic operation or a fence: its order
    CUDA_SHIM_ACCESS_RELEASE = 64,
    CUDA_SHIM_ACCESS_FENCE = 128,   // no access, but a fence
};

// Thread-local variables of a module that finds them itself (shared_variables.h of the prelude). The runtime fills it.
struct CudaShimThreadLocals {
    int64_t table;               // offset from a thread's thread pointer of the address of its table of copies
    uint64_t number;             // the module's index in that table
    uint64_t bytes;
    const void* variables;
    void* (*make_copy)(const void* variables);  // for a thread whose table has none
};

// Functions of the runtime for running kernels. Calls that take a scheduler are for fibre mode alone.
struct CudaShimRuntimeServices {
    uint32_t abi_version;
    uint32_t warp_size;          // 32, or 64 when set so
    // __syncthreads and its voting forms: `predicate` in, the block-wide count of true ones out.
    int (*block_barrier)(void* block_scheduler, int predicate);
    // Exchanges one 64-bit value between the lanes of the calling warp that `mask` names; returns the array of lane
    // values and in `active` the lanes that took part. A mask of all ones (64 of them) names no lanes: the lanes that
    // are converged at this call take part, identified by the address it is called from. Other masks wait for every
    // living lane they name, from any call; one that names the whole warp goes on without lanes that cannot come (a
    // launch failure where the mask names only a part). The array stays until the lane's next call.
    const uint64_t* (*warp_exchange)(void* block_scheduler, uint32_t linear_thread, uint64_t value, uint64_t mask,
                                     uint64_t* active);
    // For cooperative launches, where each block has a thread of its own. On fibres every thread of the block calls
    // it; a split form calls it once for its block, with a null block_scheduler.
    void (*grid_barrier)(void* grid_scheduler, void* block_scheduler);
    // Does not return: unwinds the worker to its launch, which then reports the fault.
    void (*trap)(int trap_number, const char* message);
    // Nanoseconds of a steady clock (wall_clock64).
    uint64_t (*nanoseconds)(void);
    // For modules whose accesses are checked. Called before each access to memory that other threads may know of;
    // `place` is the address that the access returns to, `frame` the frame pointer of the function that makes it.
    // Does not return when the access is wrong.
    void (*memory_access)(const volatile void* address, uint64_t bytes, uint32_t access, const void* place,
                          const void* frame);
    void* (*device_malloc)(size_t bytes);
    void (*device_free)(void* memory);
    // The running thread is about to wait for others and on_fibres is 0. Returns with the threads of the block on
    // fibres; a null block_scheduler stops the kernel.
    void (*begin_fibres)(void* block_scheduler, uint32_t linear_thread);
    // Goes to other threads of the block, and to other blocks, before it returns: called by loops that may wait for
    // memory that others write. Returns after how many rounds to call again. The block_scheduler may be null.
    int (*spin)(void* block_scheduler);
    // Ticks of clock64 in a nanosecond, in units of 2^-32: it ticks at the device's clock rate.
    uint64_t clock_step;
    // PTX's barriers 0 to 15, apart from that of __syncthreads. Returns the number of arrived threads with a true
    // predicate, 0 where the thread does not wait.
    uint32_t (*named_barrier)(void* block_scheduler, uint32_t number, uint32_t threads, uint32_t how);
    // For modules whose accesses are checked: an index is outside of an array of the type `array`, whose length is a
    // part of it. `place` and `frame` as above. Does not return where the kernel's accesses are judged.
    void (*index_outside)(const char* array, int64_t index, const void* place, const void* frame);
    // Zeros for a table of a linked module, which stay for as long as it is mapped; null where there is no memory.
    void* (*table_memory)(size_t bytes);
    // The steady clock and this are nanoseconds since 1970 (globaltimer).
    uint64_t clock_epoch;
    uint32_t multiprocessors;    // of the device, as its attribute says
};

enum CudaShimSymbolKind {
    CUDA_SHIM_SYMBOL_KERNEL = 1,
    CUDA_SHIM_SYMBOL_DEVICE_VARIABLE = 2,
    CUDA_SHIM_SYMBOL_CONSTANT_VARIABLE = 3,
    CUDA_SHIM_SYMBOL_MANAGED_VARIABLE = 4,
    CUDA_SHIM_SYMBOL_TEXTURE_REFERENCE = 5,
};

// Kinds of kernel parameters, as far as addresses may be in them.
enum CudaShimParameterKind {
    CUDA_SHIM_PARAMETER_NUMBER = 0,
    CUDA_SHIM_PARAMETER_POINTER = 1,  // a pointer, or a reference, which a launch passes as one
    CUDA_SHIM_PARAMETER_CLASS = 2,    // an object of a class or union that has room for a pointer
};

struct CudaShimSymbol {
    const char* source_name;     // as written in the source, or the name expression that asked for it
    const char* lowered_name;    // the result of hiprtcGetLoweredName and the name for hipModuleGetFunction
    uint32_t kind;               // CudaShimSymbolKind
    uint32_t parameter_count;
    const uint32_t* parameter_size;
    const uint32_t* parameter_align;
    const uint32_t* parameter_offset; // in a packed `extra` buffer, by C layout rules
    const uint32_t* parameter_kind;   // CudaShimParameterKind
    const char* parameter_names;      // as in the source, with commas between them; kernels only
    void (*run_threads)(const CudaShimKernelRun*); // one thread after the other; with barriers: fibres only
    void (*run_split)(const CudaShimKernelRun*);   // the same kernel split at its barriers, or null
    uint32_t has_barriers;       // run_threads needs fibres
    uint32_t whole_runs;         // run_threads passes over the blocks of a run together: the more, the faster
    const char* form;            // how its threads run, in words; null for variables
    const char* reason;          // why it is not lowered to the preferred form, else null
    uint32_t static_shared_bytes;
    uint32_t max_threads_per_block; // __launch_bounds__, or 1024
    void* address;               // variables: where it lives
    uint64_t size;               // variables: its bytes; kernels: those of their parameters
    uint32_t may_wait;           // threads may wait for others where no barrier is seen: run_threads looks at on_fibres
    uint32_t cluster[3];         // __cluster_dims__, or 0
    uint32_t local_bytes;        // of each thread, as CUDA's compilers would lay them out; the stack has them here
};

// Tools list a module's kernels without loading it: for each kernel, this section has a text that ends with a zero byte.
// Its fields, with separators between them, are the kernel's name, how its threads run, "loop" where they run in loops
// that a compiler can vectorise and else "threads", and why the kernel is not lowered to the preferred form.
#define CUDA_SHIM_KERNEL_LIST_SECTION "cuda_shim_kernels"
#define CUDA_SHIM_KERNEL_LIST_SEPARATOR "\037"

// Flags that describe how a module's kernels were compiled.
enum CudaShimModuleFlag {
    CUDA_SHIM_MODULE_SINGLE_THREADS = 1,  // run_threads of any kernel may be given a slice of one thread
    CUDA_SHIM_MODULE_CHECKED = 2,         // accesses to memory are announced by memory_access
};

struct CudaShimKernelModule {
    uint32_t abi_version;
    uint32_t symbol_count;
    const CudaShimSymbol* symbols;
    uint32_t flags;                      // CudaShimModuleFlag
    void* (*thread_state)(void);         // returns the calling worker's copy of cuda_shim_thread_state; or null
    CudaShimThreadLocals* thread_locals; // null where the C library keeps the thread-local variables
};

// Every module exports this one function under CUDA_SHIM_KERNEL_MODULE_ENTRY.
typedef const CudaShimKernelModule* (*CudaShimKernelModuleEntry)(const CudaShimRuntimeServices*);

}  // extern "C"
