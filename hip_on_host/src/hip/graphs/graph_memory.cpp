#include "hip/graphs/graph_memory.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/graphs/graph_exec.h"
#include "hip/memory/host_memory.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

// The memory that the graphs of one device hold.
struct DeviceGraphMemory {
    GraphMemoryUse use;
    std::set<GraphBlock*> blocks;
    uint64_t departed = 0;  // bytes of destroyed blocks, which count until the next trim

    void add(uint64_t bytes) {
        // Memory that a destroyed graph left is used before there is more.
        uint64_t reused = std::min(departed, bytes);
        departed -= reused;
        use.current += bytes - reused;
        use.used_high = std::max(use.used_high, use.current);
        use.reserved_high = std::max(use.reserved_high, use.current);
    }
};

struct GraphMemory {
    std::mutex mutex;
    std::map<int, DeviceGraphMemory> devices;
};

GraphMemory& graph_memory() {
    static auto* const instance = new GraphMemory;
    return *instance;
}

MemoryPool& pool_for(const hipMemPoolProps& props, Device& device) {
    return props.allocType == hipMemAllocationTypeManaged ? device.managed_graph_pool() : device.graph_pool();
}

}  // namespace

GraphMemoryUse graph_memory_use(int device) {
    std::lock_guard<std::mutex> lock(graph_memory().mutex);
    return graph_memory().devices[device].use;
}

void reset_graph_memory_mark(int device, uint64_t GraphMemoryUse::* mark) {
    std::lock_guard<std::mutex> lock(graph_memory().mutex);
    GraphMemoryUse& use = graph_memory().devices[device].use;
    use.*mark = use.current;
}

void trim_graph_memory(Device& device) {
    {
        std::lock_guard<std::mutex> lock(graph_memory().mutex);
        DeviceGraphMemory& device_memory = graph_memory().devices[device.ordinal()];
        device_memory.use.current -= std::exchange(device_memory.departed, 0);
        for (auto block = device_memory.blocks.begin(); block != device_memory.blocks.end();) {
            if (!(*block)->release_pages()) {
                ++block;
                continue;
            }
            device_memory.use.current -= (*block)->bytes();
            block = device_memory.blocks.erase(block);
        }
    }
    device.graph_pool().trim(0);
    device.managed_graph_pool().trim(0);
}

void hold_graph_memory(const GraphExec& exec) {
    const GraphProgramPtr program = exec.program();
    for (const GraphStep& step : program->steps) {
        if (step.type != hipGraphNodeTypeMemAlloc) continue;
        static_cast<GraphAllocCommand&>(*step.command).block().hold_pages();
    }
}

hipError_t GraphBlock::create(MemoryPool& pool, size_t bytes, std::shared_ptr<GraphBlock>& out) {
    void* base = nullptr;
    CUDA_SHIM_TRY(pool.allocate(bytes, &base));
    out.reset(new GraphBlock(pool, base, bytes));
    MemoryRegistry::get().update(base, [&](Allocation& allocation) { allocation.graph_block = out.get(); });
    return hipSuccess;
}

int GraphBlock::device() const { return pool_.device().ordinal(); }

void GraphBlock::hold_pages() {
    std::lock_guard<std::mutex> lock(graph_memory().mutex);
    DeviceGraphMemory& device_memory = graph_memory().devices[device()];
    if (device_memory.blocks.insert(this).second) device_memory.add(bytes_);
}

bool GraphBlock::release_pages() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (kept_by_use_) return false;
    // Whole pages of this memory alone; the contents of a node's memory before its run are undefined.
    uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    uintptr_t start = (reinterpret_cast<uintptr_t>(base_) + page - 1) / page * page;
    uintptr_t end = (reinterpret_cast<uintptr_t>(base_) + bytes_) / page * page;
    if (start < end) madvise(reinterpret_cast<void*>(start), end - start, MADV_DONTNEED);
    return true;
}

GraphBlock::~GraphBlock() {
    {
        std::lock_guard<std::mutex> lock(graph_memory().mutex);
        DeviceGraphMemory& device_memory = graph_memory().devices[device()];
        if (device_memory.blocks.erase(this)) device_memory.departed += bytes_;
    }
    Allocation allocation;
    if (!MemoryRegistry::get().remove(base_, &allocation)) return;
    allocation.graph_block = nullptr;
    pool_.take_back(allocation);
}

hipError_t GraphBlock::begin_use() {
    hold_pages();
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
    const hipMemPoolProps& props = params.poolProps;
    bool is_known_type =
        props.allocType == hipMemAllocationTypePinned || props.allocType == hipMemAllocationTypeManaged;
    if (params.bytesize == 0 || !is_known_type) return hipErrorInvalidValue;
    bool on_host = props.location.type == hipMemLocationTypeHost || props.location.type == hipMemLocationTypeHostNuma;
    if (on_host) return hipErrorNotSupported;
    if (props.location.type != hipMemLocationTypeDevice) return hipErrorInvalidValue;
    Device* device = device_at(params.poolProps.location.id);
    if (!device) return hipErrorInvalidDevice;
    std::shared_ptr<GraphBlock> block;
    CUDA_SHIM_TRY(GraphBlock::create(pool_for(props, *device), params.bytesize, block));
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
