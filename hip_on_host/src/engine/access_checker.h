// Checked mode: judges every memory access and every barrier of a block whose threads run as fibres. The first error
// stops the kernel, with a line in the log that names the error, the thread and the place.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/call_chain.h"
#include "engine/global_shadow.h"
#include "engine/loaded_module.h"
#include "engine/memory_lookup.h"
#include "engine/named_barriers.h"
#include "engine/running_kernels.h"
#include "engine/shared_shadow.h"
#include "engine/thread_order.h"
#include "engine/thread_steps.h"

namespace cuda_shim {

class FibreBlock;
class GridBarrier;

// The place of a kernel's call to the runtime: the return address and the calling function's frame pointer.
struct CallSite {
    const void* place;
    const void* frame;
};

class AccessChecker final : GlobalOrder {
public:
    AccessChecker(FibreBlock& block, unsigned warp_shift);

    // The checker of the block that the calling thread runs; null when that is not checked.
    static AccessChecker* current();

    // Gets ready for blocks of `launch`, whose module is checked; called by the worker that runs them. Returns the
    // launch's arguments, copied to where a kernel may read them.
    void* const* prepare(const KernelLaunch& launch, void* dynamic_shared);
    void start_block();
    // The block, which was left for others, goes on.
    void resume_block();

    // --- for the running thread of the block
    void run_thread(const CudaShimKernelRun& run);
    void access(uintptr_t address, uint64_t bytes, uint32_t access, const CallSite& site);
    // Memory of the device's heap was freed.
    void forget_ranges() { recent_ = {}; }
    int barrier(bool predicate, const CallSite& site);
    void grid_barrier(GridBarrier& grid, const CallSite& site);
    uint32_t named_barrier(const NamedArrival& arrival, const CallSite& site);
    // The threads that waited at a named barrier go on.
    void open_named_barrier(unsigned number, const std::vector<uint16_t>& threads);
    const uint64_t* exchange(uint64_t value, LaneMask mask, const CallSite& site, LaneMask* took_part);
    // An index is outside of its array, whose type has a length; `array` is the type as compilers name it.
    void index_outside(const char* array, int64_t index, const CallSite& site);

private:
    // An access as all checks see it.
    struct Access {
        uintptr_t address;
        uint64_t bytes;
        uint32_t kind;  // CudaShimAccess
        CallSite site;

        bool reads() const { return (kind & CUDA_SHIM_ACCESS_READ) != 0; }
        bool writes() const { return (kind & CUDA_SHIM_ACCESS_WRITE) != 0; }
        bool atomic() const { return (kind & CUDA_SHIM_ACCESS_ATOMIC) != 0; }
        bool polls() const { return (kind & CUDA_SHIM_ACCESS_VOLATILE) != 0; }
        // True if it may signal something to other threads, or receive a signal. Programs poll memory through volatile
        // pointers.
        bool synchronises() const { return atomic() || polls(); }
    };
    // An access that can be judged only later.
    struct Suspicion {
        uintptr_t address = 0;
        uint64_t bytes = 0;  // 0: none
        CallChain calls;
        std::string text;
        const char* kind = "";
    };
    // A barrier that threads of the block have arrived at.
    struct Meeting {
        uint32_t number = 0;  // since the block started, from 1; 0: none yet
        unsigned arrived = 0;
        unsigned first_thread = 0;
        uintptr_t place = 0;
    };

    [[noreturn]] void stop(hipError_t error, const char* kind, std::string text, const Access& access);
    [[noreturn]] void report_outside(const Access& access);
    void report_race(const Access& access, std::string text);
    void suspect(Suspicion& suspicion, const char* kind, const Access& access, std::string text);
    void settle_write();
    void settle_unwritten_read();
    void fence(uint32_t kind);
    void order_threads(const Access& access);
    void check_lanes(LaneMask mask, LaneMask took_part, const CallSite& site);
    bool is_shared(const Access& access, size_t& offset);
    void check_shared(const Access& access, size_t offset);
    void check_global(const Access& access);
    bool conflicts(const GlobalTouch& earlier, const GlobalTouch& current) const override;
    void judge_global(const Access& access, const GlobalTouch& current, const CallChain& calls);
    void settle_global_write();
    std::string describe_global_race(const Access& access, const GlobalAnswer& answer) const;
    std::string describe_global(uintptr_t address) const;
    void print_step(const Access& access);
    const MemoryRange* cached_range(const Access& access);
    bool find_range(uintptr_t address, MemoryRange& range) const;
    bool is_of_texture_unit(const Access& access) const;
    bool cache_if_allowed(const Access& access);
    Meeting& arrive(const CallSite& site);
    void leave(const Meeting& meeting, const CallSite& site);
    void warn_of_early_returns(const Meeting& meeting, const CallSite& site);
    const ThreadLocal* shared_variable_at(size_t offset, uint64_t bytes);
    std::string describe_outside(uintptr_t address) const;
    void consider_shared(NearestMemory& nearest) const;
    std::string describe_shared(uintptr_t address) const;
    std::string describe_site(uintptr_t place) const;
    std::string describe_thread(unsigned thread) const;
    CallChain calls_from(const CallSite& site) const;
    uintptr_t place_in_program(const CallSite& site);

    FibreBlock& block_;
    const LoadedModule* module_ = nullptr;
    Kernel* kernel_ = nullptr;
    RunningKernel* running_ = nullptr;
    bool reports_ = true;  // else only notes writes: the settings name other kernels
    std::vector<char> argument_values_;
    std::vector<void*> arguments_;
    std::vector<MemoryRange> runtime_ranges_;  // the runtime's own memory that device functions read

    MemoryRange static_shared_, dynamic_shared_;
    size_t last_variable_ = 0;
    std::unordered_map<uintptr_t, bool> is_program_place_;
    std::array<MemoryRange, 4> recent_;  // ranges found lately, the latest first

    ThreadOrder order_;
    SharedShadow shadow_{order_};
    Suspicion racing_write_;  // a race unless it leaves memory as it is
    unsigned char bytes_before_write_[16];
    Suspicion unwritten_read_;  // wrong, unless a thread writes the bytes before the next barrier: then it is a race
    size_t unwritten_offset_ = 0;
    std::string finding_;  // the reason for stopping the kernel: a member, since the stack is left without unwinding
    Meeting meetings_[2];
    uint32_t passed_barriers_[kMaxThreadsPerBlock] = {};  // barriers that each thread has passed in this block
    uint32_t opened_barriers_ = 0;                        // barriers of this block that a thread has passed

    // For the checks of global memory.
    uint32_t block_number_ = 0;
    uint32_t epoch_ = 0;
    uint32_t block_sync_ = 0;                         // the block's latest operation of LaunchSync
    uint32_t thread_sync_[kMaxThreadsPerBlock] = {};  // each thread's
    // A write that may leave memory as it is, and its place: judged when it is done.
    Access pending_write_{0, 0, 0, {}};
    GlobalTouch pending_touch_;
    CallChain pending_calls_;
    unsigned char bytes_before_global_write_[64];
    ThreadSteps steps_;
};

}  // namespace cuda_shim
