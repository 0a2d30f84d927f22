#include "hip/graph_memory.h"

#include <string.h>

#include "hip/api.h"
#include "hip/device.h"
#include "hip/host_memory.h"
#include "hip/stream.h"

namespace cuda_shim {

hipError_t GraphBlock::create(MemoryPool& pool, size_t bytes, std::shared_ptr<GraphBlock>& out) {
    void* base = nullptr;
    CUDA_SHIM_TRY(pool.allocate(bytes, &base));
    out.reset(new GraphBlock(pool, base));
    MemoryRegistry::get().update(base, [&](Allocation& allocation) { allocation.graph_block = out.get(); });
    return hipSuccess;
}

GraphBlock::~GraphBlock() {
    Allocation allocation;
    if (!MemoryRegistry::get().remove(base_, &allocation)) return;
    allocation.graph_block = nullptr;
    pool_.take_back(allocation);
}

hipError_t GraphBlock::begin_use() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (kept_by_use_) return hipErrorInvalidValue;
    kept_by_use_ = shared_from_this();
    return hipSuccess;
}

hipError_t GraphBlock::end_use() {
    std::shared_ptr<GraphBlock> last;  // destroyed after the lock is released
    std::lock_guard<std::mutex> lock(mutex_);
    if (!kept_by_use_) return hipErrorInvalidValue;
    last.swap(kept_by_use_);
    return hipSuccess;
}

bool GraphBlock::in_use() {
    std::lock_guard<std::mutex> lock(mutex_);
    return kept_by_use_ != nullptr;
}

hipError_t make_graph_alloc(hipMemAllocNodeParams& params, CommandPtr& command) {
    if (params.bytesize == 0 || params.poolProps.allocType != hipMemAllocationTypePinned) return hipErrorInvalidValue;
    if (params.poolProps.location.type != hipMemLocationTypeDevice) return hipErrorInvalidValue;
    Device* device = device_at(params.poolProps.location.id);
    if (!device) return hipErrorInvalidDevice;
    std::shared_ptr<GraphBlock> block;
    CUDA_SHIM_TRY(GraphBlock::create(device->graph_pool(), params.bytesize, block));
    params.dptr = block->base();
    command = std::make_unique<GraphAllocCommand>(params, std::move(block));
    return hipSuccess;
}

hipError_t make_graph_free(void* base, CommandPtr& command) {
    Allocation allocation;
    if (!base || !MemoryRegistry::get().find_base(base, allocation)) return hipErrorInvalidValue;
    if (allocation.kind != MemoryKind::Pool) return hipErrorInvalidValue;
    command = std::make_unique<FreeCommand>(base);
    return hipSuccess;
}

hipError_t capture_allocation(Stream& stream, MemoryPool& pool, size_t bytes, void** out) {
    if (pool.place() != PoolPlace::Device) return hipErrorNotSupported;  // the memory of graphs is a device's
    hipMemAllocNodeParams params;
    memset(static_cast<void*>(&params), 0, sizeof params);
    params.poolProps.allocType = hipMemAllocationTypePinned;
    params.poolProps.location = {hipMemLocationTypeDevice, pool.device().ordinal()};
    params.bytesize = bytes;
    CommandPtr command;
    CUDA_SHIM_TRY(make_graph_alloc(params, command));
    CUDA_SHIM_TRY(stream.capture_command(std::move(command)));
    *out = params.dptr;
    return hipSuccess;
}

hipError_t capture_free(Stream& stream, void* base) {
    CommandPtr command;
    CUDA_SHIM_TRY(make_graph_free(base, command));
    return stream.capture_command(std::move(command));
}

}  // namespace cuda_shim
