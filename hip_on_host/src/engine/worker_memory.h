// The memory that a thread needs beside its stack to run blocks: dynamic shared memory and fibres. Borrowed for a
// launch, so that there are as many as threads that run kernels at once, not as many as threads that ever did.
#pragma once
#include <cstddef>
#include <memory>

#include "engine/fibre_block.h"
#include "engine/guarded_memory.h"

namespace cuda_shim {

class WorkerMemory {
public:
    WorkerMemory() = default;
    WorkerMemory(const WorkerMemory&) = delete;
    WorkerMemory& operator=(const WorkerMemory&) = delete;

    // Memory of `bytes`, 128-byte aligned, contents undefined; null when there is no room (or bytes is 0). Behind it
    // comes a guard.
    void* dynamic_shared(size_t bytes);
    // Throws std::bad_alloc.
    FibreBlock& fibres();

private:
    GuardedMemory shared_;
    std::unique_ptr<FibreBlock> fibres_;
};

class WorkerMemoryLease {
public:
    WorkerMemoryLease();  // throws std::bad_alloc
    ~WorkerMemoryLease();
    WorkerMemoryLease(const WorkerMemoryLease&) = delete;
    WorkerMemoryLease& operator=(const WorkerMemoryLease&) = delete;
    WorkerMemory* operator->() { return memory_.get(); }

private:
    std::unique_ptr<WorkerMemory> memory_;
};

}  // namespace cuda_shim
