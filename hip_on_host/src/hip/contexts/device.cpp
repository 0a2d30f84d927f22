// A virtual device: its streams, its errors, its reset.
#include "hip/contexts/device.h"

#include <algorithm>

#include "common/log.h"
#include "common/settings.h"
#include "engine/device_heap.h"
#include "engine/per_thread.h"
#include "engine/running_kernels.h"
#include "hip/api.h"
#include "hip/contexts/context.h"
#include "hip/contexts/owner.h"
#include "hip/handle_table.h"
#include "hip/launch/after_fault.h"
#include "hip/memory/host_memory.h"
#include "hip/memory/memory_pool.h"
#include "hip/memory/memory_registry.h"
#include "hip/rocm.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

constexpr size_t kDefaultStackLimit = 1024;
constexpr size_t kDefaultPrintfLimit = 8650752;  // as CUDA has it
constexpr size_t kDefaultHeapLimit = 8u << 20;

// Faults leave memory in an unknown state, so they stay until the device is reset.
bool sticks(hipError_t error) {
    switch (error) {
        case hipErrorIllegalAddress:
        case hipErrorLaunchFailure:
        case hipErrorLaunchTimeOut:
        case hipErrorAssert:
            return true;
        default:
            return false;
    }
}

Device::State initial_state() {
    Device::State state;
    if (as_rocm(RocmDifference::SchedulingFlagsAlone)) state.flags = hipDeviceScheduleSpin;
    state.limits[hipLimitStackSize] = kDefaultStackLimit;
    state.limits[hipLimitPrintfFifoSize] = kDefaultPrintfLimit;
    state.limits[hipLimitMallocHeapSize] = kDefaultHeapLimit;
    set_device_heap_limit(kDefaultHeapLimit);
    forget_device_heap_use();
    return state;
}

std::unique_ptr<MemoryPool> managed_pool(Device& device) {
    hipMemPoolProps props = {};
    props.allocType = hipMemAllocationTypeManaged;
    props.location = {hipMemLocationTypeDevice, device.ordinal()};
    return std::make_unique<MemoryPool>(device, &props);
}

// A thread's own default streams, one a device; their workers finish the submitted work when the thread ends.
struct ThreadStreams {
    std::vector<std::unique_ptr<Stream>> of_device;
};

}  // namespace

Device::Device(int ordinal)
    : ForkParticipant(ForkRank::Device),
      ordinal_(ordinal),
      properties_(describe_host(ordinal)),
      null_stream_(std::make_unique<Stream>(*this, StreamRole::Legacy, hipStreamDefault, 0)),
      primary_context_(std::make_unique<Context>(*this, 0, true)),
      default_pool_(std::make_unique<MemoryPool>(*this)),
      graph_pool_(std::make_unique<MemoryPool>(*this)),
      managed_graph_pool_(managed_pool(*this)),
      state_(initial_state()) {
    current_pool = default_pool_.get();
}

Device::~Device() = default;

Stream& Device::thread_stream() {
    size_t index = static_cast<size_t>(ordinal_);
    std::vector<std::unique_ptr<Stream>>& streams = thread_object<ThreadStreams>().of_device;
    if (streams.size() <= index) streams.resize(index + 1);
    if (!streams[index]) streams[index] = std::make_unique<Stream>(*this, StreamRole::Blocking, hipStreamDefault, 0);
    return *streams[index];
}

void Device::report(hipError_t error) {
    int expected = hipSuccess;
    if (sticks(error)) note_fault();
    (sticks(error) ? sticky_error_ : pending_error_).compare_exchange_strong(expected, error);
}

hipError_t Device::take_error() {
    if (hipError_t sticky = sticky_error()) return sticky;
    if (pending_error_.load(std::memory_order_acquire) == hipSuccess) return hipSuccess;
    return static_cast<hipError_t>(pending_error_.exchange(hipSuccess));
}

void Device::forget_departed_streams() {
    auto is_done = [](const DepartedStream& stream) { return stream.last.done(); };
    departed_.erase(std::remove_if(departed_.begin(), departed_.end(), is_done), departed_.end());
}

void Device::add_stream(Stream& stream) {
    std::lock_guard<std::mutex> lock(streams_mutex_);
    forget_departed_streams();
    const size_t departing = departed_.size() + streams_.size() + 1;  // a stream's end must not need memory
    if (departed_.capacity() < departing) departed_.reserve(2 * departing);
    streams_.insert(&stream);
}

void Device::remove_stream(Stream& stream) {
    std::lock_guard<std::mutex> lock(streams_mutex_);
    streams_.erase(&stream);
    departed_.push_back({stream.last_ticket(), stream.role() == StreamRole::Blocking});
    forget_departed_streams();
}

Tickets Device::work_before_null_stream() {
    Tickets work;
    if (!busy_blocking_queues_.load(std::memory_order_seq_cst)) return work;
    std::lock_guard<std::mutex> lock(streams_mutex_);
    for (Stream* stream : streams_) {
        if (stream->role() == StreamRole::Blocking && !stream->queue()->idle()) work.push_back(stream->last_ticket());
    }
    for (const DepartedStream& stream : departed_) {
        if (stream.blocking && !stream.last.done()) work.push_back(stream.last);
    }
    return work;
}

Tickets Device::all_work() {
    std::lock_guard<std::mutex> lock(streams_mutex_);
    Tickets work;
    for (Stream* stream : streams_) work.push_back(stream->last_ticket());
    for (const DepartedStream& stream : departed_) work.push_back(stream.last);
    work.push_back(null_stream_->last_ticket());
    return work;
}

void Device::wait_for_all() {
    for (const Ticket& ticket : all_work()) ticket.wait();
    std::lock_guard<std::mutex> lock(streams_mutex_);
    forget_departed_streams();
}

hipError_t Device::synchronise() {
    wait_for_all();
    release_surplus();
    return take_error();
}

template <class Use>
void Device::with_pools(Use&& use) {
    auto& pools = live_handles<MemoryPool>();
    pools.lock();
    pools.for_each([&](MemoryPool& pool) {
        if (&pool.device() == this) use(pool);
    });
    pools.unlock();
}

void Device::release_surplus() {
    if (!surplus_.load(std::memory_order_acquire) || !surplus_.exchange(false)) return;
    with_pools([](MemoryPool& pool) { pool.trim_to_threshold(); });
}

void Device::release_unused() {
    with_pools([](MemoryPool& pool) { pool.trim(0); });
}

void Device::before_fork() {
    mutex_.lock();
    streams_mutex_.lock();
}

void Device::after_fork_in_parent() {
    streams_mutex_.unlock();
    mutex_.unlock();
}

void Device::after_fork_in_child() {
    departed_.clear();  // unfinished work stayed behind
    busy_blocking_queues_.store(0);
    after_fork_in_parent();
}

// Kernels that take longer than a moment are not waited for: nothing that they could still write will be left.
void Device::finish_or_stop() {
    constexpr std::chrono::milliseconds kMoment(100), kBetweenStops(2);
    for (const Ticket& ticket : all_work()) {
        if (ticket.wait_for(kMoment)) continue;
        do {
            stop_kernels(ordinal_, StopReason::Reset);
        } while (!ticket.wait_for(kBetweenStops));
    }
    wait_for_all();
}

hipError_t Device::reset() {
    finish_or_stop();
    end_resources({ordinal_});
    sticky_error_.store(hipSuccess, std::memory_order_release);
    pending_error_.store(hipSuccess, std::memory_order_release);
    std::lock_guard<std::mutex> lock(mutex_);
    const State before = state_;
    state_ = initial_state();
    state_.primary_retains = before.primary_retains;
    state_.created_contexts = before.created_contexts;
    current_pool = default_pool_.get();
    return hipSuccess;
}

}  // namespace cuda_shim
