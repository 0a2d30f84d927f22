// The virtual devices, the objects that each owns, and the device that a thread currently uses.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_set>
#include <vector>

#include "abi/hip_types.h"
#include "hip/fork.h"
#include "hip/streams/stream_queue.h"

namespace cuda_shim {

class Context;
class MemoryPool;
class Stream;

class Device final : public ForkParticipant {
public:
    explicit Device(int ordinal);
    ~Device() override;

    int ordinal() const { return ordinal_; }
    const hipDeviceProp_t& properties() const { return properties_; }

    Stream& null_stream() { return *null_stream_; }
    // The calling thread's own default stream (hipStreamPerThread) on this device.
    Stream& thread_stream();

    // A fault in a kernel poisons the device until hipDeviceReset: every later submission and wait returns it.
    hipError_t sticky_error() const { return static_cast<hipError_t>(sticky_error_.load(std::memory_order_acquire)); }
    // Files an error of asynchronous work: faults stick; others are reported once by the next wait.
    void report(hipError_t error);
    // The error that a wait has to report: sticky, or pending (which is then forgotten).
    hipError_t take_error();

    // Waits for everything submitted so far to every stream of the device, and reports its errors.
    hipError_t synchronise();
    void wait_for_all();

    // Pools hold more unused memory than their thresholds allow; the next wait gives it back.
    void note_surplus() { surplus_.store(true, std::memory_order_release); }
    void release_surplus();
    // Gives back all that the device's pools hold unused; for when memory runs out.
    void release_unused();
    // hipDeviceReset: waits, stops kernels that go on, ends all contexts' resources, forgets errors, limits and flags.
    hipError_t reset();

    // Every stream of the device but the null stream.
    void add_stream(Stream& stream);
    void remove_stream(Stream& stream);
    // Work that the null stream waits for: the unfinished work of blocking streams, destroyed ones among them.
    Tickets work_before_null_stream();
    // The number of blocking streams with work that is not done.
    std::atomic<int>& busy_blocking_queues() { return busy_blocking_queues_; }

    // Settings that hip*Set* calls change; guarded by `mutex`.
    struct State {
        unsigned flags = 0;
        size_t limits[3] = {};  // hipLimitStackSize, hipLimitPrintfFifoSize, hipLimitMallocHeapSize
        hipFuncCache_t cache_config = hipFuncCachePreferNone;
        hipSharedMemConfig shared_config = hipSharedMemBankSizeFourByte;
        std::set<int> peers;  // devices whose memory this one was allowed to access
        int primary_retains = 0;
        int created_contexts = 0;  // contexts of hipCtxCreate, counted where they are no objects of their own
    };
    std::mutex& mutex() { return mutex_; }
    State& state() { return state_; }

    void before_fork() override;
    void after_fork_in_parent() override;
    void after_fork_in_child() override;

    Context& primary_context() { return *primary_context_; }
    MemoryPool& default_pool() { return *default_pool_; }
    MemoryPool* current_pool = nullptr;  // guarded by `mutex`
    MemoryPool& graph_pool() { return *graph_pool_; }
    MemoryPool& managed_graph_pool() { return *managed_graph_pool_; }

private:
    // A destroyed stream whose work was not done: it still belongs to the device.
    struct DepartedStream {
        Ticket last;
        bool blocking;
    };
    void forget_departed_streams();
    Tickets all_work();
    void finish_or_stop();

    template <class Use>
    void with_pools(Use&& use);

    int ordinal_;
    hipDeviceProp_t properties_;
    std::unique_ptr<Stream> null_stream_;
    std::unique_ptr<Context> primary_context_;
    std::unique_ptr<MemoryPool> default_pool_;
    std::unique_ptr<MemoryPool> graph_pool_;
    std::unique_ptr<MemoryPool> managed_graph_pool_;
    std::atomic<int> sticky_error_{hipSuccess};
    std::atomic<int> pending_error_{hipSuccess};
    std::atomic<bool> surplus_{false};
    std::mutex streams_mutex_;
    std::unordered_set<Stream*> streams_;
    std::vector<DepartedStream> departed_;
    std::atomic<int> busy_blocking_queues_{0};
    std::mutex mutex_;
    State state_;
};

// All devices of the process. Never destroyed: worker threads may outlive main.
const std::vector<std::unique_ptr<Device>>& devices();
int device_count();
// Null when there is no such device.
Device* device_at(int ordinal);

// The calling thread's current device; device 0 until it chose another.
Device& current_device();
void set_current_device(int ordinal);

// Honest properties of the host, as device `ordinal`.
hipDeviceProp_t describe_host(int ordinal);
// The value of one attribute; false when the attribute is unknown.
bool device_attribute(const hipDeviceProp_t& properties, hipDeviceAttribute_t attribute, int& value);

}  // namespace cuda_shim
