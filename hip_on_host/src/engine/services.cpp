#include "engine/services.h"

#include <sched.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/settings.h"
#include "engine/access_checker.h"
#include "engine/clock.h"
#include "engine/device_heap.h"
#include "engine/faults.h"
#include "engine/fibre_block.h"
#include "engine/grid_barrier.h"
#include "engine/named_barriers.h"

namespace cuda_shim {
namespace {

int block_barrier(void* block_scheduler, int predicate) {
    return static_cast<FibreBlock*>(block_scheduler)->barrier(predicate != 0);
}

const uint64_t* warp_exchange(void* block_scheduler, uint32_t /*linear_thread*/, uint64_t value, uint64_t mask,
                              uint64_t* active) {
    return static_cast<FibreBlock*>(block_scheduler)->exchange(value, mask, __builtin_return_address(0), active);
}

void begin_fibres(void* block_scheduler, uint32_t linear_thread) {
    if (!block_scheduler) {
        stop_kernel(hipErrorLaunchFailure, "a kernel waits for threads where hiprtc saw no barrier in it");
    }
    static_cast<FibreBlock*>(block_scheduler)->begin_fibres(linear_thread);
}

// Without fibres there is nothing to switch to, and only stopping the kernel ends it.
int spin(void* block_scheduler) {
    if (block_scheduler) return static_cast<FibreBlock*>(block_scheduler)->spin();
    constexpr int kRounds = 1024;
    sched_yield();
    return kRounds;
}

void grid_barrier(void* grid_scheduler, void* block_scheduler) {
    if (!grid_scheduler) stop_kernel(hipErrorLaunchFailure, "grid barrier in a launch that is not cooperative");
    auto& grid = *static_cast<GridBarrier*>(grid_scheduler);
    if (block_scheduler) return static_cast<FibreBlock*>(block_scheduler)->grid_barrier(grid);
    if (!grid.wait()) stop_kernel_quietly();
}

// Checked while the kernel runs, since numbers and counts may come in registers.
NamedArrival named_arrival(uint32_t number, uint32_t threads, uint32_t how, const CallSite& site) {
    const bool has_count = (how & CUDA_SHIM_NAMED_COUNTED) != 0;
    const char* error = number >= kNamedBarriers ? "a barrier has a number that is not below 16"
                        : has_count && (threads == 0 || threads % 32 != 0) ? "a barrier counts threads by 32"
                                                                           : nullptr;
    if (error) stop_kernel(hipErrorLaunchFailure, error, calls_of_kernel(site.place, site.frame));
    return {number, has_count ? threads : NamedArrival::kAllThreads, (how & CUDA_SHIM_NAMED_WAITS) != 0,
            (how & CUDA_SHIM_NAMED_PREDICATE) != 0};
}

// --- the same in checked mode, where a block may have a checker; and services that only checked modules call

// The site of the call to the service whose body contains this macro.
#define CUDA_SHIM_CALL_SITE (CallSite{__builtin_return_address(0), *static_cast<void**>(__builtin_frame_address(0))})

int checked_block_barrier(void* block_scheduler, int predicate) {
    auto& block = *static_cast<FibreBlock*>(block_scheduler);
    AccessChecker* checker = block.checker();
    return checker ? checker->barrier(predicate != 0, CUDA_SHIM_CALL_SITE) : block.barrier(predicate != 0);
}

const uint64_t* checked_warp_exchange(void* block_scheduler, uint32_t /*linear_thread*/, uint64_t value, uint64_t mask,
                                      uint64_t* active) {
    auto& block = *static_cast<FibreBlock*>(block_scheduler);
    const CallSite site = CUDA_SHIM_CALL_SITE;
    AccessChecker* checker = block.checker();
    return checker ? checker->exchange(value, mask, site, active) : block.exchange(value, mask, site.place, active);
}

void checked_grid_barrier(void* grid_scheduler, void* block_scheduler) {
    AccessChecker* checker = block_scheduler ? static_cast<FibreBlock*>(block_scheduler)->checker() : nullptr;
    if (!checker || !grid_scheduler) return grid_barrier(grid_scheduler, block_scheduler);
    checker->grid_barrier(*static_cast<GridBarrier*>(grid_scheduler), CUDA_SHIM_CALL_SITE);
}

uint32_t named_barrier(void* block_scheduler, uint32_t number, uint32_t threads, uint32_t how) {
    const CallSite site = CUDA_SHIM_CALL_SITE;
    auto& block = *static_cast<FibreBlock*>(block_scheduler);
    const NamedArrival arrival = named_arrival(number, threads, how, site);
    AccessChecker* checker = block.checker();
    return checker ? checker->named_barrier(arrival, site) : block.named_barrier(arrival);
}

void memory_access(const volatile void* address, uint64_t bytes, uint32_t access, const void* place,
                   const void* frame) {
    AccessChecker* checker = AccessChecker::current();
    if (checker) checker->access(reinterpret_cast<uintptr_t>(address), bytes, access, {place, frame});
}

void index_outside(const char* array, int64_t index, const void* place, const void* frame) {
    AccessChecker* checker = AccessChecker::current();
    if (checker) checker->index_outside(array, index, {place, frame});
}

[[noreturn]] void refuse_free(const CallSite& site) {
    stop_kernel(hipErrorIllegalAddress, "free() or delete of what is not, or no longer, on the device's heap",
                calls_of_kernel(site.place, site.frame));
}

void free_or_stop(void* memory) {
    const CallSite site = CUDA_SHIM_CALL_SITE;
    if (!device_free(memory)) refuse_free(site);
}

void judged_device_free(void* memory) {
    const CallSite site = CUDA_SHIM_CALL_SITE;
    if (!checked_device_free(memory)) refuse_free(site);
    if (AccessChecker* checker = AccessChecker::current()) checker->forget_ranges();
}

void trap(int number, const char* message) {
    const CallSite site = CUDA_SHIM_CALL_SITE;
    const CallChain calls = calls_of_kernel(site.place, site.frame);
    const char* reason = message && *message ? message : "the kernel stopped itself";
    if (number == CUDA_SHIM_TRAP_ASSERT) {
        log(LogLevel::Error, "%s", reason);  // written for this thread on the stack that ends here
        stop_kernel(hipErrorAssert, "assertion failed", calls);
    }
    stop_kernel(number == CUDA_SHIM_TRAP_OVERRUN ? hipErrorIllegalAddress : hipErrorLaunchFailure, reason, calls);
}

uint64_t steady_nanoseconds() { return nanoseconds(); }

void* table_memory(size_t bytes) { return calloc(1, bytes); }

uint64_t clock_epoch() {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec) - nanoseconds();
}

// Ticks a nanosecond, in units of 2^-32.
uint64_t clock_step() { return (static_cast<uint64_t>(clock_rate()) << 32) / 1000000; }

}  // namespace

const CudaShimRuntimeServices& runtime_services() {
    static const CudaShimRuntimeServices services = {
        CUDA_SHIM_KERNEL_ABI_VERSION,
        static_cast<uint32_t>(settings().warp_size),
        settings().check ? checked_block_barrier : block_barrier,
        settings().check ? checked_warp_exchange : warp_exchange,
        settings().check ? checked_grid_barrier : grid_barrier,
        trap,
        steady_nanoseconds,
        memory_access,
        settings().check ? checked_device_malloc : device_malloc,
        settings().check ? judged_device_free : free_or_stop,
        begin_fibres,
        spin,
        clock_step(),
        named_barrier,
        index_outside,
        table_memory,
        clock_epoch(),
        static_cast<uint32_t>(settings().threads),
    };
    return services;
}

}  // namespace cuda_shim
