// A virtual device: its streams, its errors, its reset.
#include "hip/device.h"

#include "common/log.h"
#include "common/settings.h"
#include "hip/api.h"
#include "hip/context.h"
#include "hip/handle_table.h"
#include "hip/host_memory.h"
#include "hip/memory_pool.h"
#include "hip/memory_registry.h"
#include "hip/stream.h"

namespace cuda_shim {
namespace {

constexpr size_t kDefaultStackLimit = 1024;
constexpr size_t kDefaultPrintfLimit = 1u << 20;
constexpr size_t kDefaultHeapLimit = 128u << 20;

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
    state.limits[hipLimitStackSize] = kDefaultStackLimit;
    state.limits[hipLimitPrintfFifoSize] = kDefaultPrintfLimit;
    state.limits[hipLimitMallocHeapSize] = kDefaultHeapLimit;
    return state;
}

// A thread's own default streams, one a device; their workers finish what was submitted when the thread ends.
thread_local std::vector<std::unique_ptr<Stream>> thread_streams;

}  // namespace

Device::Device(int ordinal)
    : ForkParticipant(ForkRank::Device),
      ordinal_(ordinal),
      properties_(describe_host(ordinal)),
      null_stream_(std::make_unique<Stream>(*this, StreamRole::Legacy, hipStreamDefault, 0)),
      primary_context_(std::make_unique<Context>(*this, 0, true)),
      default_pool_(std::make_unique<MemoryPool>(*this)),
      graph_pool_(std::make_unique<MemoryPool>(*this)),
      state_(initial_state()) {
    current_pool = default_pool_.get();
}

Device::~Device() = default;

Stream& Device::thread_stream() {
    size_t index = static_cast<size_t>(ordinal_);
    if (thread_streams.size() <= index) thread_streams.resize(index + 1);
    if (!thread_streams[index]) {
        thread_streams[index] = std::make_unique<Stream>(*this, StreamRole::Blocking, hipStreamDefault, 0);
    }
    return *thread_streams[index];
}

void Device::report(hipError_t error) {
    int expected = hipSuccess;
    (sticks(error) ? sticky_error_ : pending_error_).compare_exchange_strong(expected, error);
}

hipError_t Device::take_error() {
    if (hipError_t sticky = sticky_error()) return sticky;
    if (pending_error_.load(std::memory_order_acquire) == hipSuccess) return hipSuccess;
    return static_cast<hipError_t>(pending_error_.exchange(hipSuccess));
}

void Device::add_stream(Stream& stream) {
    std::lock_guard<std::mutex> lock(streams_mutex_);
    streams_.push_back(&stream);
    stream_count_.store(static_cast<int>(streams_.size()), std::memory_order_release);
}

void Device::remove_stream(Stream& stream) {
    std::lock_guard<std::mutex> lock(streams_mutex_);
    for (size_t i = 0; i < streams_.size(); ++i) {
        if (streams_[i] != &stream) continue;
        // A destroyed stream's pending work still belongs to the device: hipDeviceSynchronize waits for it.
        if (!stream.queue()->idle()) departed_.push_back(stream.last_ticket());
        streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(i));
        break;
    }
    stream_count_.store(static_cast<int>(streams_.size()), std::memory_order_release);
}

void Device::wait_for_all() {
    Tickets waits;
    {
        std::lock_guard<std::mutex> lock(streams_mutex_);
        for (Stream* stream : streams_) waits.push_back(stream->last_ticket());
        for (Ticket& ticket : departed_) waits.push_back(std::move(ticket));
        departed_.clear();
    }
    waits.push_back(null_stream_->last_ticket());
    for (const Ticket& ticket : waits) ticket.wait();
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
    after_fork_in_parent();
}

hipError_t Device::reset() {
    wait_for_all();
    free_device_memory(*this);
    sticky_error_.store(hipSuccess, std::memory_order_release);
    pending_error_.store(hipSuccess, std::memory_order_release);
    std::lock_guard<std::mutex> lock(mutex_);
    int retains = state_.primary_retains;
    state_ = initial_state();
    state_.primary_retains = retains;
    current_pool = default_pool_.get();
    return hipSuccess;
}

}  // namespace cuda_shim
