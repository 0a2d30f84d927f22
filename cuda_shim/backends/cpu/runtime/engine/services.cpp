#include "engine/services.h"

#include "common/log.h"
#include "common/settings.h"
#include "engine/clock.h"
#include "engine/faults.h"
#include "engine/fibre_block.h"
#include "engine/grid_barrier.h"

namespace cuda_shim {
namespace {

int block_barrier(void* block_scheduler, int predicate) {
    return static_cast<FibreBlock*>(block_scheduler)->barrier(predicate != 0);
}

const uint64_t* warp_exchange(void* block_scheduler, uint32_t /*linear_thread*/, uint64_t value, uint64_t mask,
                              uint64_t* active) {
    return static_cast<FibreBlock*>(block_scheduler)->exchange(value, mask, __builtin_return_address(0), active);
}

void grid_barrier(void* grid_scheduler, void* block_scheduler) {
    if (!grid_scheduler) stop_kernel(hipErrorLaunchFailure, "grid barrier in a launch that is not cooperative");
    auto& grid = *static_cast<GridBarrier*>(grid_scheduler);
    if (block_scheduler) return static_cast<FibreBlock*>(block_scheduler)->grid_barrier(grid);
    if (!grid.wait()) stop_kernel_quietly();
}

void trap(int number, const char* message) {
    const char* reason = message && *message ? message : "the kernel stopped itself";
    if (number == CUDA_SHIM_TRAP_ASSERT) {
        log(LogLevel::Error, "%s", reason);  // written for this thread on the stack that ends here
        stop_kernel(hipErrorAssert, "assertion failed");
    }
    stop_kernel(hipErrorLaunchFailure, reason);
}

uint64_t steady_nanoseconds() { return nanoseconds(); }

}  // namespace

const CudaShimRuntimeServices& runtime_services() {
    static const CudaShimRuntimeServices services = {
        CUDA_SHIM_KERNEL_ABI_VERSION,
        static_cast<uint32_t>(settings().warp_size),
        block_barrier,
        warp_exchange,
        grid_barrier,
        trap,
        steady_nanoseconds,
    };
    return services;
}

}  // namespace cuda_shim
