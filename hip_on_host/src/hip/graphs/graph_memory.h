// Memory nodes of graphs. The address is known when the node is made and stays the same for every launch; the memory
// counts as allocated from the node's run until it is freed, by the graph or by the program. A device counts the memory
// of its graphs from their first upload or launch until it is trimmed.
#pragma once
#include <memory>
#include <mutex>

#include "hip/memory/memory_pool.h"
#include "hip/streams/command.h"

namespace cuda_shim {

class GraphExec;
class Stream;

// The memory of one allocation node, shared by the graph, its instances and, while in use, by the program.
class GraphBlock : public std::enable_shared_from_this<GraphBlock> {
public:
    static hipError_t create(MemoryPool& pool, size_t bytes, std::shared_ptr<GraphBlock>& out);
    size_t bytes() const { return bytes_; }
    int device() const;
    // Counts the memory as held by its device's graphs, unless it is already.
    void hold_pages();
    // Gives the pages back to the system; false while the memory is in use.
    bool release_pages();
    ~GraphBlock();
    GraphBlock(const GraphBlock&) = delete;
    GraphBlock& operator=(const GraphBlock&) = delete;

    void* base() const { return base_; }
    // hipErrorInvalidValue when it is in use already: a second launch before it was freed.
    hipError_t begin_use();
    // hipErrorInvalidValue when it is not in use: freed twice.
    hipError_t end_use();
    bool in_use();

private:
    GraphBlock(MemoryPool& pool, void* base, size_t bytes) : pool_(pool), base_(base), bytes_(bytes) {}
    MemoryPool& pool_;
    void* base_;
    size_t bytes_;
    std::mutex mutex_;
    std::shared_ptr<GraphBlock> kept_by_use_;
};

class GraphAllocCommand final : public Command {
public:
    GraphAllocCommand(const hipMemAllocNodeParams& params, std::shared_ptr<GraphBlock> block)
        : params_(params), block_(std::move(block)) {}
    hipError_t execute(Device&) override { return block_->begin_use(); }
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeMemAlloc; }
    CommandPtr clone() const override { return std::make_unique<GraphAllocCommand>(*this); }
    bool cheap() const override { return true; }
    const hipMemAllocNodeParams& params() const { return params_; }
    GraphBlock& block() const { return *block_; }

private:
    hipMemAllocNodeParams params_;
    std::shared_ptr<GraphBlock> block_;
};

// The bytes that a device's graphs hold, now and at most, for hipDeviceGetGraphMemAttribute.
struct GraphMemoryUse {
    uint64_t current = 0, used_high = 0, reserved_high = 0;
};
GraphMemoryUse graph_memory_use(int device);
void reset_graph_memory_mark(int device, uint64_t GraphMemoryUse::* mark);
// hipDeviceGraphMemTrim: memory that no launch uses goes back to the system.
void trim_graph_memory(Device& device);
// Holds the memory of every allocation node of an executable graph.
void hold_graph_memory(const GraphExec& exec);

// A node that allocates as the parameters say; sets params.dptr.
hipError_t make_graph_alloc(hipMemAllocNodeParams& params, CommandPtr& command);
// A node that frees memory of an allocation node.
hipError_t make_graph_free(void* base, CommandPtr& command);

// hipMallocAsync and hipFreeAsync in a stream under capture.
hipError_t capture_allocation(Stream& stream, MemoryPool& pool, size_t bytes, void** out);
hipError_t capture_free(Stream& stream, void* base);

}  // namespace cuda_shim
