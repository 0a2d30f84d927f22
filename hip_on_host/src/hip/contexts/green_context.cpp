#include "hip/contexts/green_context.h"

#include "hip/contexts/context.h"
#include "hip/contexts/device.h"
#include "hip/handle_table.h"
#include "hip/streams/host_commands.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
ExecutionContext::ExecutionContext(Device& device, const CoreRange& cores, bool is_whole_device)
    : device_(device), cores_(cores), is_whole_device_(is_whole_device), id_(next_context_number()) {
    if (!is_whole_device) owner.set({device.ordinal()});
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
    if (!is_whole_device_) stream->limit_to(cores_);
    stream->owner.set({device_.ordinal(), id_});
    return *stream.release();
}

std::vector<Stream*> ExecutionContext::streams() const {
    std::vector<Stream*> streams;
    HandleTable<Stream>& table = live_handles<Stream>();
    std::lock_guard<HandleTable<Stream>> lock(table);
    table.for_each([&](Stream& stream) {
        if (ending().covers(stream.owner.get())) streams.push_back(&stream);
    });
    return streams;
}

Ending ExecutionContext::ending() const { return {device_.ordinal(), id_}; }

Stream& ExecutionContext::joint() {
    std::vector<Stream*> context_streams = streams();
    std::lock_guard<std::mutex> lock(mutex_);
    if (!joint_) joint_ = std::make_unique<Stream>(device_, StreamRole::NonBlocking, hipStreamNonBlocking, 0);
    Tickets waits;
    for (Stream* stream : context_streams) waits.push_back(stream->last_ticket());
    joint_->queue()->enqueue(std::make_unique<EmptyCommand>(), std::move(waits));
    return *joint_;
}

}  // namespace cuda_shim
