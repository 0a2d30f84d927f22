#include "hip/contexts/green_context.h"

#include <algorithm>
#include <atomic>

#include "hip/handle_table.h"
#include "hip/streams/host_commands.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

std::atomic<unsigned long long> next_context_id{1};

}  // namespace

ExecutionContext::ExecutionContext(Device& device, const CoreRange& cores, bool whole)
    : device_(device), cores_(cores), whole_(whole), id_(next_context_id.fetch_add(1)) {
    live_handles<ExecutionContext>().add(this);
}

ExecutionContext::~ExecutionContext() { live_handles<ExecutionContext>().remove(this); }

ExecutionContext* ExecutionContext::resolve(hipExecutionCtx_t handle) {
    auto* context = reinterpret_cast<ExecutionContext*>(handle);
    return live_handles<ExecutionContext>().contains(context) ? context : nullptr;
}

Stream& ExecutionContext::create_stream(unsigned flags, int priority) {
    StreamRole role = flags & hipStreamNonBlocking ? StreamRole::NonBlocking : StreamRole::Blocking;
    auto stream = std::make_unique<Stream>(device_, role, flags, priority);
    if (!whole_) stream->limit_to(cores_);
    std::lock_guard<std::mutex> lock(mutex_);
    streams_.push_back(stream.get());
    return *stream.release();
}

std::vector<Stream*> ExecutionContext::streams() const {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Stream*> living;
    for (Stream* stream : streams_)
        if (live_handles<Stream>().contains(stream)) living.push_back(stream);
    return living;
}

Stream& ExecutionContext::joint() {
    std::vector<Stream*> all = streams();
    std::lock_guard<std::mutex> lock(mutex_);
    if (!joint_) joint_ = std::make_unique<Stream>(device_, StreamRole::NonBlocking, hipStreamNonBlocking, 0);
    Tickets waits;
    for (Stream* stream : all) waits.push_back(stream->last_ticket());
    joint_->queue()->enqueue(std::make_unique<EmptyCommand>(), std::move(waits));
    return *joint_;
}

}  // namespace cuda_shim
