#include "common/settings.h"
#include "engine/global_shadow.h"
#include "hip/streams/memory_operations.h"

#include <time.h>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/graphs/graph_nodes.h"
#include "hip/memory/host_memory.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

bool is_wait(hipStreamBatchMemOpType type) {
    return type == hipStreamMemOpWaitValue32 || type == hipStreamMemOpWaitValue64;
}

bool is_wide(hipStreamBatchMemOpType type) {
    return type == hipStreamMemOpWaitValue64 || type == hipStreamMemOpWriteValue64;
}

uint64_t read_value(const MemoryOperation& operation) {
    if (is_wide(operation.type)) return __atomic_load_n(static_cast<uint64_t*>(operation.address), __ATOMIC_ACQUIRE);
    return __atomic_load_n(static_cast<uint32_t*>(operation.address), __ATOMIC_ACQUIRE);
}

// True if the memory is still there when the operation's turn comes: the program may have given it up since.
bool is_there(const MemoryOperation& operation) {
    if (check_operation(operation) != hipSuccess) return false;
    Allocation allocation;
    return is_wait(operation.type) || MemoryRegistry::get().find(operation.address, allocation) ||
           is_usable(operation.address, is_wide(operation.type) ? 8 : 4, true);
}

void write_value(const MemoryOperation& operation) {
    if (settings().check) note_write(operation.address, is_wide(operation.type) ? 8 : 4);
    if (is_wide(operation.type)) {
        __atomic_store_n(static_cast<uint64_t*>(operation.address), operation.value, __ATOMIC_RELEASE);
    } else {
        __atomic_store_n(static_cast<uint32_t*>(operation.address), static_cast<uint32_t>(operation.value),
                         __ATOMIC_RELEASE);
    }
}

bool satisfied(const MemoryOperation& operation) {
    uint64_t now = read_value(operation) & operation.mask;
    uint64_t expected = operation.value & operation.mask;
    switch (operation.flags & 3) {
        case hipStreamWaitValueGte:
            // As CUDA has it: the difference counts, so that counters may wrap.
            return is_wide(operation.type) ? static_cast<int64_t>(now - expected) >= 0
                                           : static_cast<int32_t>(static_cast<uint32_t>(now - expected)) >= 0;
        case hipStreamWaitValueEq:
            return now == expected;
        case hipStreamWaitValueAnd:
            return (now & expected) != 0;
        default:
            return ~(now | expected) & (is_wide(operation.type) ? ~uint64_t{0} : 0xffffffffu);
    }
}

// The writer of the value does not know its waiters, so the waiter looks again and again, ever more seldom.
hipError_t wait_value(const MemoryOperation& operation, Device& device) {
    constexpr long kLongestNap = 200'000;
    constexpr int kSpins = 1000;
    long nap = 1'000;
    for (int spins = 0;; ++spins) {
        if (spins % kSpins == 0 && !is_there(operation)) return hipErrorIllegalAddress;
        if (satisfied(operation)) return hipSuccess;
        if (spins < kSpins) continue;
        if (hipError_t sticky = device.sticky_error()) return sticky;
        timespec pause{0, nap};
        nanosleep(&pause, nullptr);
        nap = nap < kLongestNap ? nap * 2 : kLongestNap;
        spins = kSpins - 1;  // the next round checks, before it reads, that the memory is still there
    }
}

hipError_t submit_one(hipStream_t handle, const MemoryOperation& operation) {
    return with_stream(handle, [&](Stream& stream) {
        CUDA_SHIM_TRY(check_operation(operation));
        return stream.submit(MemoryOperationCommand({operation}));
    });
}

}  // namespace

hipError_t check_operation(const MemoryOperation& operation) {
    size_t bytes = is_wide(operation.type) ? 8 : 4;
    if (!operation.address || reinterpret_cast<uintptr_t>(operation.address) % bytes) return hipErrorInvalidValue;
    if (is_wait(operation.type) && operation.flags > hipStreamWaitValueNor) return hipErrorInvalidValue;
    Allocation allocation;
    const MemoryRegistry& registry = MemoryRegistry::get();
    const bool is_registered = registry.find(operation.address, allocation);
    const bool allowed = is_registered ? registry.allows(allocation, operation.address, bytes, !is_wait(operation.type))
                                       : is_usable(operation.address, bytes, false);
    return allowed ? hipSuccess : hipErrorInvalidValue;
}

hipError_t read_operations(const hipStreamBatchMemOpParams* list, unsigned count, std::vector<MemoryOperation>& out) {
    constexpr unsigned kMaxOperations = 256;
    if ((!list && count) || count > kMaxOperations) return hipErrorInvalidValue;
    for (unsigned i = 0; i < count; ++i) {
        const hipStreamBatchMemOpParams& params = list[i];
        MemoryOperation operation{params.operation, nullptr, 0, ~uint64_t{0}, 0};
        switch (params.operation) {
            case hipStreamMemOpWaitValue32:
            case hipStreamMemOpWaitValue64:
                operation.address = params.waitValue.address;
                operation.value = is_wide(params.operation) ? params.waitValue.value64 : params.waitValue.value;
                operation.flags = params.waitValue.flags;
                break;
            case hipStreamMemOpWriteValue32:
            case hipStreamMemOpWriteValue64:
                operation.address = params.writeValue.address;
                operation.value = is_wide(params.operation) ? params.writeValue.value64 : params.writeValue.value;
                break;
            case hipStreamMemOpBarrier:
            case hipStreamMemOpFlushRemoteWrites:
                continue;  // one memory for all: every write is seen already
            default:
                return hipErrorInvalidValue;
        }
        CUDA_SHIM_TRY(check_operation(operation));
        out.push_back(operation);
    }
    return hipSuccess;
}

bool MemoryOperationCommand::cheap() const {
    for (const MemoryOperation& operation : operations_) {
        if (is_wait(operation.type)) return false;
    }
    return true;
}

hipError_t MemoryOperationCommand::execute(Device& device) {
    for (const MemoryOperation& operation : operations_) {
        if (is_wait(operation.type)) {
            CUDA_SHIM_TRY(wait_value(operation, device));
        } else {
            if (!is_there(operation)) return hipErrorIllegalAddress;
            write_value(operation);
        }
    }
    return hipSuccess;
}

void MemoryOperationCommand::remember(const hipBatchMemOpNodeParams& params) {
    operation_params_.assign(params.paramArray, params.paramArray + params.count);
    params_ = params;
    params_.paramArray = operation_params_.data();
}

hipError_t make_batch_mem_op(const hipBatchMemOpNodeParams* params, CommandPtr& command) {
    if (!params || params->flags != 0) return hipErrorInvalidValue;
    std::vector<MemoryOperation> operations;
    CUDA_SHIM_TRY(read_operations(params->paramArray, params->count, operations));
    auto new_command = std::make_unique<MemoryOperationCommand>(std::move(operations));
    new_command->remember(*params);
    command = std::move(new_command);
    return hipSuccess;
}

}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipStreamWaitValue32(hipStream_t stream, void* address, uint32_t value, unsigned int flags, uint32_t mask) {
    return api(__func__, [&] { return submit_one(stream, {hipStreamMemOpWaitValue32, address, value, mask, flags}); });
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void* address, uint64_t value, unsigned int flags, uint64_t mask) {
    return api(__func__, [&] { return submit_one(stream, {hipStreamMemOpWaitValue64, address, value, mask, flags}); });
}

hipError_t hipStreamWriteValue32(hipStream_t stream, void* address, uint32_t value, unsigned int flags) {
    return api(__func__, [&] { return submit_one(stream, {hipStreamMemOpWriteValue32, address, value, 0, flags}); });
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void* address, uint64_t value, unsigned int flags) {
    return api(__func__, [&] { return submit_one(stream, {hipStreamMemOpWriteValue64, address, value, 0, flags}); });
}

hipError_t hipStreamBatchMemOp(hipStream_t handle, unsigned int count, hipStreamBatchMemOpParams_union* list,
                               unsigned int flags) {
    return api(__func__, [&] {
        return with_stream(handle, [&](Stream& stream) {
            if (flags != 0) return hipErrorInvalidValue;
            std::vector<MemoryOperation> operations;
            CUDA_SHIM_TRY(read_operations(list, count, operations));
            return stream.submit(MemoryOperationCommand(std::move(operations)));
        });
    });
}
