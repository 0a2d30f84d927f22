// Waiting for and writing of memory values in a stream's order (hipStreamWaitValue and its family).
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "hip/streams/command.h"

namespace cuda_shim {

struct MemoryOperation {
    hipStreamBatchMemOpType type;
    void* address;
    uint64_t value;
    uint64_t mask;
    unsigned flags;  // hipStreamWaitValueGte …
};

class MemoryOperationCommand final : public Command {
public:
    explicit MemoryOperationCommand(std::vector<MemoryOperation> operations) : operations_(std::move(operations)) {}
    hipError_t execute(Device& device) override;
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeBatchMemOp; }
    CommandPtr clone() const override { return std::make_unique<MemoryOperationCommand>(*this); }
    bool cheap() const override;

    // Parameters that a graph's node was made from.
    void remember(const hipBatchMemOpNodeParams& params);
    const hipBatchMemOpNodeParams* params() const { return params_.count ? &params_ : nullptr; }

private:
    std::vector<MemoryOperation> operations_;
    std::vector<hipStreamBatchMemOpParams> operation_params_;
    hipBatchMemOpNodeParams params_ = {};
};

// Reads operations of the batch form; hipErrorInvalidValue for unknown types, null or unaligned addresses.
hipError_t read_operations(const hipStreamBatchMemOpParams* list, unsigned count, std::vector<MemoryOperation>& out);
hipError_t check_operation(const MemoryOperation& operation);

}  // namespace cuda_shim
