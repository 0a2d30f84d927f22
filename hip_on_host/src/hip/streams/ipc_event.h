// Events that other processes see: counters in shared memory.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include "hip/memory/shared_memory.h"
#include "hip/streams/command.h"

namespace cuda_shim {

class SharedEventState {
public:
    // A fresh one, or another process's; null on failure.
    static std::shared_ptr<SharedEventState> create();
    static std::shared_ptr<SharedEventState> open(const SharedName& name);
    ~SharedEventState();
    SharedEventState(const SharedEventState&) = delete;
    SharedEventState& operator=(const SharedEventState&) = delete;

    bool name(SharedName& out) const { return name_shared_memory(file_, out); }
    void begin() { cells_->recorded.fetch_add(1, std::memory_order_release); }
    void complete();
    uint64_t recorded() const { return cells_->recorded.load(std::memory_order_acquire); }
    bool done() const { return cells_->completed.load(std::memory_order_acquire) >= recorded(); }
    // Waits until `sequence` recordings are complete.
    void wait(uint64_t sequence) const;

private:
    struct Cells {
        std::atomic<uint64_t> recorded;
        std::atomic<uint64_t> completed;
        std::atomic<uint32_t> wake;  // futex word, changed with every completion
    };

    SharedEventState(Descriptor file, Cells* cells) : file_(std::move(file)), cells_(cells) {}
    static std::shared_ptr<SharedEventState> map(Descriptor file);

    Descriptor file_;
    Cells* cells_;
};

class SharedEventWaitCommand final : public Command {
public:
    SharedEventWaitCommand(std::shared_ptr<SharedEventState> state, uint64_t sequence)
        : state_(std::move(state)), sequence_(sequence) {}
    hipError_t execute(Device&) override {
        state_->wait(sequence_);
        return hipSuccess;
    }
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeWaitEvent; }
    CommandPtr clone() const override { return std::make_unique<SharedEventWaitCommand>(*this); }

private:
    std::shared_ptr<SharedEventState> state_;
    uint64_t sequence_;
};

}  // namespace cuda_shim
