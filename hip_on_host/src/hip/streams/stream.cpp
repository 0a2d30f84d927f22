// Streams: the table of live handles, the null stream's order, waiting.
#include "hip/streams/stream.h"

#include "hip/api.h"
#include "hip/handle_table.h"

namespace cuda_shim {
namespace {

std::atomic<unsigned long long> next_stream_id{1};

}  // namespace

Stream::Stream(Device& device, StreamRole role, unsigned flags, int priority)
    : device_(device),
      role_(role),
      flags_(flags),
      priority_(priority),
      id_(next_stream_id.fetch_add(1)),
      queue_(std::make_shared<StreamQueue>(device)) {
    live_handles<Stream>().add(this);
    if (role == StreamRole::Legacy) return;
    describe_queue();
    try {
        device.add_stream(*this);
    } catch (...) {
        live_handles<Stream>().remove(this);
        throw;
    }
}

Stream::~Stream() {
    live_handles<Stream>().remove(this);
    if (role_ != StreamRole::Legacy) device_.remove_stream(*this);
    queue_->close();
}

Stream* Stream::resolve(hipStream_t handle, hipError_t& error) {
    error = hipSuccess;
    if (handle == nullptr || handle == legacy_stream_handle()) return &current_device().null_stream();
    if (handle == per_thread_stream_handle()) return &current_device().thread_stream();
    Stream* stream = reinterpret_cast<Stream*>(handle);
    if (!live_handles<Stream>().contains(stream)) {
        error = hipErrorInvalidHandle;
        return nullptr;
    }
    return stream;
}

void Stream::limit_to(const CoreRange& cores) {
    cores_ = cores;
    queue_->limit_to(cores.count);
}

void Stream::renew_after_fork() {
    // The old queue's mutex and condition variables may be in any state: never touch them again, never free them.
    new std::shared_ptr<StreamQueue>(std::move(queue_));
    queue_ = std::make_shared<StreamQueue>(device_);
    describe_queue();
    queue_->limit_to(cores_.count);
}

void Stream::describe_queue() {
    if (role_ == StreamRole::Legacy) return;
    queue_->set_number(id_);
    if (role_ == StreamRole::Blocking) queue_->count_when_busy(device_.busy_blocking_queues());
}

Tickets Stream::pending_order() {
    if (role_ == StreamRole::Legacy) return device_.work_before_null_stream();
    Tickets waits;
    if (role_ == StreamRole::Blocking) {
        Stream& legacy = device_.null_stream();
        if (!legacy.queue_->idle()) waits.push_back(legacy.last_ticket());
    }
    return waits;
}

hipError_t Stream::submit(Command& lent, Move move) {
    const auto own_command = [&] {
        CommandPtr owned = move(lent);
        owned->own_arguments();
        return owned;
    };
    if (captures_anywhere()) {
        if (capture()) return capture_command(own_command());
        if (hipError_t error = refuse_under_capture()) return error;
    }
    if (hipError_t sticky = device_.sticky_error()) return sticky;
    Tickets waits = pending_order();
    if (waits.empty() && lent.cheap() && queue_->try_begin_inline()) {
        hipError_t status = queue_->run_here(lent);
        queue_->finish_inline();
        if (status != hipSuccess) device_.report(status);
        return hipSuccess;
    }
    queue_->enqueue(own_command(), std::move(waits));
    return hipSuccess;
}

hipError_t Stream::run(Command& lent, Move move) {
    if (captures_anywhere()) {
        if (hipError_t error = refuse_under_capture()) return error;
    }
    if (hipError_t sticky = device_.sticky_error()) return sticky;
    Tickets waits = pending_order();
    std::shared_ptr<StreamQueue> order = queue_;
    for (const Ticket& ticket : waits) ticket.check();
    order->check(UINT64_MAX);  // the command is about to come behind all others
    if (order->try_begin_inline()) {
        for (const Ticket& ticket : waits) ticket.wait();
        hipError_t status = order->run_here(lent);
        order->finish_inline();
        return after_run(status);
    }
    hipError_t status = hipSuccess;
    order->wait(order->enqueue(move(lent), std::move(waits), &status));
    return after_run(status);
}

hipError_t Stream::after_run(hipError_t status) {
    if (status != hipSuccess) {
        device_.report(status);
        // Reported here already: do not report it again at the next wait, unless it sticks.
        if (hipError_t sticky = device_.sticky_error()) return sticky;
        device_.take_error();
        return status;
    }
    return device_.take_error();
}

void Stream::wait_for_all() {
    Ticket own_ticket = last_ticket();
    Tickets waits = role_ == StreamRole::Legacy ? pending_order() : Tickets();
    for (const Ticket& ticket : waits) ticket.wait();
    own_ticket.wait();
}

hipError_t Stream::synchronise() {
    wait_for_all();
    device_.release_surplus();
    return device_.take_error();
}

bool Stream::idle() {
    if (!queue_->idle()) return false;
    return role_ != StreamRole::Legacy || pending_order().empty();
}

}  // namespace cuda_shim
