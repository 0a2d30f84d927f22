#include "engine/worker_memory.h"

#include <mutex>
#include <vector>

#include "common/settings.h"
#include "engine/per_process.h"
#include "engine/thread_pool.h"

namespace cuda_shim {
namespace {

struct Spares {
    std::mutex mutex;
    std::vector<std::unique_ptr<WorkerMemory>> list;
};

Spares& spares() { return PerProcess<Spares>::instance(); }

// A cooperative launch may have used many more than ordinary ones ever will.
size_t max_spares() { return worker_count() + 8; }

}  // namespace

void* WorkerMemory::dynamic_shared(size_t bytes) {
    if (bytes == 0 || (bytes > shared_.bytes() && !shared_.reserve(bytes))) return nullptr;
    return shared_.last(bytes, settings().capability->shared_alignment);
}

FibreBlock& WorkerMemory::fibres() {
    if (!fibres_) fibres_ = std::make_unique<FibreBlock>();
    return *fibres_;
}

WorkerMemoryLease::WorkerMemoryLease() {
    Spares& spare = spares();
    {
        std::lock_guard<std::mutex> lock(spare.mutex);
        if (spare.list.capacity() == 0) spare.list.reserve(max_spares());  // giving back must not need memory
        if (!spare.list.empty()) {
            memory_ = std::move(spare.list.back());
            spare.list.pop_back();
            return;
        }
    }
    memory_ = std::make_unique<WorkerMemory>();
}

WorkerMemoryLease::~WorkerMemoryLease() {
    Spares& spare = spares();
    std::lock_guard<std::mutex> lock(spare.mutex);
    if (spare.list.size() < max_spares()) spare.list.push_back(std::move(memory_));
}

}  // namespace cuda_shim
