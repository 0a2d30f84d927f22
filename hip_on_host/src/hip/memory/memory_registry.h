// Every piece of memory that HIP knows: base, size, kind, device. The registry answers pointer queries and
// catches double frees, wrong kinds and copies past the end.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>

#include "abi/hip_types.h"
#include "hip/fork.h"
#include "hip/memory/memory_advice.h"

namespace cuda_shim {

class GraphBlock;
class MemoryPool;

enum class MemoryKind {
    Device,      // hipMalloc and its family
    Host,        // hipHostMalloc: pinned host memory
    Registered,  // hipHostRegister: the program's own memory
    Managed,     // hipMallocManaged
    Pool,        // hipMallocAsync
    Array,       // the storage of a hipArray; its address is not given out
    Symbol,      // a variable of a loaded module
    Virtual,     // mapped by hipMemMap
    Ipc,         // opened from another process
    Imported,    // of another process's pool, or of another API; freed like one's own
};

// The place of a pool's memory: a host's is pinned memory, and a managed pool's managed memory, in all queries.
enum class PoolPlace : uint32_t { Device, Host, Managed };

struct Allocation {
    uintptr_t base = 0;
    size_t size = 0;
    size_t capacity = 0;  // the bytes got from the host; a pool may give out a block for less
    MemoryKind kind = MemoryKind::Device;
    int device = 0;
    uint64_t context = 0;        // number of the context that it ends with; 0 where it ends with the device
    unsigned flags = 0;          // as given to hipHostMalloc, hipHostRegister or hipMallocManaged
    unsigned long long id = 0;   // unique in the process (HIP_POINTER_ATTRIBUTE_BUFFER_ID)
    MemoryPool* pool = nullptr;  // the pool that stream-ordered memory returns to
    PoolPlace pool_place = PoolPlace::Device;
    GraphBlock* graph_block = nullptr;  // memory of a graph's allocation node, which knows whether it is in use
    std::shared_ptr<void> owner;        // keeps the object that the memory is part of
    // The handle types that the memory was made to be exported as.
    hipMemAllocationHandleType handle_types = hipMemHandleTypeNone;
    bool own_pages = false;         // shares no page with other memory, so that it can be shared with processes
    bool release_pending = false;   // hipFreeAsync was called and has not run yet
    uint64_t release = 0;           // the number of that call; 0 for none, and for frees by graphs
    bool managed_variable = false;  // a module's: of the kind Symbol, and managed all the same
    bool readable = true;
    bool writable = true;
    uint32_t call = 0;    // the program's call that asked for it: place_of_call()
    int sync_copies = 0;  // HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, kept for the program to read back

    bool managed() const { return kind == MemoryKind::Managed || managed_variable || pool_place == PoolPlace::Managed; }
    bool pinned() const {
        return kind == MemoryKind::Host || kind == MemoryKind::Registered || pool_place == PoolPlace::Host;
    }
    // Memory that the program may read and write by itself, so that it can see whether a call's work is done.
    bool host_visible() const { return pinned() || managed(); }
    bool contains(const void* address, size_t bytes) const {
        uintptr_t start = reinterpret_cast<uintptr_t>(address);
        return start >= base && start - base <= size && bytes <= size - (start - base);
    }
};

class MemoryRegistry final : public ForkParticipant {
public:
    MemoryRegistry() : ForkParticipant(ForkRank::Registry) {}
    static MemoryRegistry& get();

    // Adds an allocation; its memory (a pool's, module variables, registered host memory, mappings) has another owner.
    void add(Allocation allocation);
    // Forgets the allocation that starts at `base`; false when there is none.
    bool remove(const void* base, Allocation* removed = nullptr);
    // The allocation that holds `address`.
    bool find(const void* address, Allocation& allocation) const;
    // The allocation that starts at `base`.
    bool find_base(const void* base, Allocation& allocation) const;
    // Changes one allocation under the lock; false when there is none at `base`.
    template <class Change>
    bool update(const void* base, Change&& change) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        auto entry = entries_.find(reinterpret_cast<uintptr_t>(base));
        if (entry == entries_.end()) return false;
        change(entry->second);
        return true;
    }
    // The same for memory that is given out again where `change` returns true: it then gets a number of its own.
    template <class Change>
    bool renew(const void* base, Change&& change) {
        return update(base, [&](Allocation& entry) {
            if (change(entry)) entry.id = next_id_.fetch_add(1);
        });
    }
    // True if the range that begins in `first` may be read, or written. It may go on in the mappings behind it when
    // they are virtual memory, which is mapped in pieces.
    bool allows(const Allocation& first, const void* address, size_t bytes, bool write) const;
    // Memory of a pool that is being destroyed belongs to no pool from now on.
    void forget_pool(const MemoryPool* pool);
    // True when any allocation shares a byte with the range.
    bool overlaps(const void* address, size_t bytes) const;
    // Changes, and visits, the advice about each part of a range.
    template <class Change>
    void change_advice(AddressRange range, Change&& change) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        advice_.change(range, change);
    }
    template <class Visit>
    void visit_advice(AddressRange range, Visit&& visit) const {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        advice_.visit(range, visit);
    }
    template <class Visit>
    void for_each(Visit&& visit) const {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        for (const auto& [base, allocation] : entries_) visit(allocation);
    }
    void before_fork() override { mutex_.lock(); }
    void after_fork_in_parent() override { mutex_.unlock(); }
    void after_fork_in_child() override { new (&mutex_) std::shared_mutex; }

private:
    mutable std::shared_mutex mutex_;
    std::map<uintptr_t, Allocation> entries_;
    AdviceMap advice_;
    std::atomic<unsigned long long> next_id_{1};
};

}  // namespace cuda_shim
