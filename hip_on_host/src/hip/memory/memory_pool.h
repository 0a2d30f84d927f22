// Pools for stream-ordered allocation. Memory is there as soon as it is asked for, which satisfies every stream order;
// it goes back to its pool in stream order, and from there to the system beyond the release threshold. A stream may
// reuse memory that it freed at once, since all its later work comes after the freeing.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "hip/memory/memory_registry.h"
#include "hip/streams/command.h"

namespace cuda_shim {

class Device;
class Stream;
class StreamQueue;

// A pool that several processes know: the process that made it, and its number there.
struct PoolIdentity {
    int32_t process;
    uint32_t number;

    bool operator==(const PoolIdentity& other) const { return process == other.process && number == other.number; }
};

class MemoryPool final : public ForkParticipant {
public:
    explicit MemoryPool(Device& device, const hipMemPoolProps* props = nullptr);
    // Another process's pool, which gives out no memory of its own.
    MemoryPool(Device& device, const PoolIdentity& origin, PoolPlace place);
    ~MemoryPool() override;

    static MemoryPool* resolve(hipMemPool_t handle);
    hipMemPool_t handle() { return reinterpret_cast<hipMemPool_t>(this); }
    Device& device() const { return device_; }
    PoolPlace place() const { return place_; }
    // The properties that it was made with, which name the place in HIP's terms.
    hipMemAllocationType type() const { return type_; }
    const hipMemLocation& location() const { return location_; }
    // The handle types that its memory can be exported as; hipMemHandleTypeNone when it cannot be shared with other
    // processes.
    hipMemAllocationHandleType handle_types() const { return handle_types_; }
    bool shareable() const { return handle_types_ != hipMemHandleTypeNone; }
    // For shared pools: which pool it is, the same in every process.
    const PoolIdentity& identity() const { return identity_; }
    bool imported() const { return imported_; }

    // hipErrorOutOfMemory; hipErrorInvalidValue in an imported pool. For use in the order of `queue`, when given.
    hipError_t allocate(size_t bytes, void** out, const StreamQueue* queue = nullptr);
    // Offers memory that goes back when `queue` reaches its release: until then the queue's own stream may have it
    // again.
    void offer(uint64_t release, const Allocation& allocation, const StreamQueue* queue);
    void withdraw_offer(uint64_t release);
    // Takes back memory of this pool; `allocation` is out of the registry already.
    void take_back(const Allocation& allocation);
    // hipMemPoolTrimTo: gives unused memory to the system, while at least `keep` bytes stay reserved.
    void trim(size_t keep);
    // Gives unused memory to the system until at most the release threshold stays reserved.
    void trim_to_threshold();

    hipError_t get_attribute(hipMemPoolAttr attribute, void* value) const;
    hipError_t set_attribute(hipMemPoolAttr attribute, const void* value);
    // `device` may be hipCpuDeviceId.
    hipMemAccessFlags access(int device) const;
    void set_access(int device, hipMemAccessFlags flags);

    void before_fork() override { mutex_.lock(); }
    void after_fork_in_parent() override { mutex_.unlock(); }
    void after_fork_in_child() override { mutex_.unlock(); }

private:
    // Bytes in use and held, now and at most.
    struct Usage {
        uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
    };
    // Memory whose freeing has not run yet.
    struct Offer {
        const StreamQueue* queue;
        void* base;
        size_t capacity;
    };

    void trim_locked(size_t keep);
    // Gives unused blocks back, small ones first, until they have at most `most` bytes together.
    void trim_unused(size_t most);
    void release_unused(std::multimap<size_t, Allocation>::iterator block);
    bool reuse_unused(size_t bytes, void** out);
    bool reuse_offered(size_t bytes, const StreamQueue* queue, void** out);
    hipError_t allocate_anew(size_t bytes, void** out);

    Device& device_;
    hipMemAllocationType type_ = hipMemAllocationTypePinned;
    hipMemLocation location_;
    PoolPlace place_ = PoolPlace::Device;
    size_t max_bytes_ = 0;  // hipMemPoolProps::maxSize; 0: no limit
    hipMemAllocationHandleType handle_types_ = hipMemHandleTypeNone;
    bool imported_ = false;
    PoolIdentity identity_;
    mutable std::mutex mutex_;
    std::multimap<size_t, Allocation> unused_;
    std::map<uint64_t, Offer> offers_;
    Usage usage_;
    uint64_t release_threshold_ = 0;
    int reuse_flags_[3] = {1, 1, 1};
    std::map<int, hipMemAccessFlags> access_;
};

// Gives stream-ordered memory back, in a stream's order.
class FreeCommand final : public Command {
public:
    // `release` distinguishes hipFreeAsync's call from others for the same address; 0 in a graph.
    explicit FreeCommand(void* base, uint64_t release = 0) : base_(base), release_(release) {}
    hipError_t execute(Device&) override;
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeMemFree; }
    CommandPtr clone() const override { return std::make_unique<FreeCommand>(*this); }
    bool cheap() const override { return true; }
    void* base() const { return base_; }

private:
    void* base_;
    uint64_t release_;
};

hipError_t allocate_in_stream(void** out, size_t bytes, MemoryPool* pool, Stream& stream);
hipError_t free_in_stream(void* base, Stream& stream);

}  // namespace cuda_shim
