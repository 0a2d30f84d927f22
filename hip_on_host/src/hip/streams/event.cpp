#include "hip/streams/event.h"

#include <time.h>

#include <new>

#include "hip/api.h"
#include "hip/handle_table.h"
#include "hip/rocm.h"
#include "hip/streams/capture.h"
#include "hip/streams/interrupt.h"
#include "hip/streams/ipc_event.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

int64_t steady_nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

}  // namespace

void EventRecord::complete() {
    std::lock_guard<std::mutex> lock(mutex_);
    nanoseconds_ = steady_nanoseconds();
    done_.store(true, std::memory_order_release);
    finished_.notify_all();
}

void EventRecord::wait() {
    if (done()) return;
    std::unique_lock<std::mutex> lock(mutex_);
    wait_interruptibly(finished_, lock, [this] { return done(); });
}

void PendingRecord::complete() {
    if (!record_) return;
    record_->complete();
    if (shared_) shared_->complete();
    record_.reset();
}

Event::Event(int device, unsigned flags) : device_(device), flags_(flags) { live_handles<Event>().add(this); }

Event::~Event() { live_handles<Event>().remove(this); }

Event* Event::resolve(hipEvent_t handle) {
    Event* event = reinterpret_cast<Event*>(handle);
    return live_handles<Event>().contains(event) ? event : nullptr;
}

std::shared_ptr<EventRecord> Event::latest() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return latest_;
}

PendingRecord Event::begin_record() {
    auto record = std::make_shared<EventRecord>();
    if (shared_state_) shared_state_->begin();
    PendingRecord pending(record, shared_state_);
    std::lock_guard<std::mutex> lock(mutex_);
    latest_ = std::move(record);
    captured_ = false;
    captured_in_.reset();
    captured_nodes_.clear();
    return pending;
}

void Event::withdraw(const EventRecord* record, std::shared_ptr<EventRecord> before) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (latest_.get() == record) latest_ = std::move(before);
}

Event::Recorded Event::recorded(std::shared_ptr<Capture>& capture) const {
    if (!captured_) return Recorded::Open;
    capture = captured_in_.lock();
    if (capture && !capture->invalidated()) return Recorded::InCapture;
    if (!as_rocm(RocmDifference::PastCapturesForgotten)) return Recorded::InPastCapture;
    capture.reset();
    return Recorded::Open;
}

hipError_t Event::refuse_captured() const {
    std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<Capture> capture;
    switch (recorded(capture)) {
        case Recorded::InCapture:
            return hipErrorCapturedEvent;
        case Recorded::InPastCapture:
            return hipErrorInvalidValue;
        default:
            return hipSuccess;
    }
}

// The event's work does not run before the graph is launched: asking for it breaks the capture.
hipError_t Event::ask_of_capture() const {
    std::shared_ptr<Capture> capture;
    switch (recorded(capture)) {
        case Recorded::InCapture:
            capture->invalidate();
            return hipErrorCapturedEvent;
        case Recorded::InPastCapture:
            return hipErrorInvalidValue;
        default:
            return refuse_unsafe_call();
    }
}

hipError_t Event::record(Stream& stream, bool external) {
    if (stream.device().ordinal() != device_) return hipErrorInvalidHandle;
    if (external && !stream.capture() && !as_rocm(RocmDifference::ExternalOutsideCaptures)) return hipErrorIllegalState;
    if (std::shared_ptr<Capture> capture = stream.capture()) {
        if (capture->invalidated()) return hipErrorStreamCaptureInvalidated;
        if (external) return stream.capture_command(std::make_unique<EventRecordCommand>(handle()));
        // No node: the event only marks the point in the capture that a waiting stream joins at.
        std::lock_guard<std::mutex> lock(mutex_);
        captured_ = true;
        captured_in_ = capture;
        captured_nodes_ = stream.frontier();
        return hipSuccess;
    }
    std::shared_ptr<EventRecord> before = latest();
    PendingRecord pending = begin_record();
    const EventRecord* record = pending.record().get();
    hipError_t status = stream.submit(EventRecordCommand(handle(), std::move(pending)));
    if (status != hipSuccess) withdraw(record, std::move(before));
    return status;
}

hipError_t Event::make_wait(Stream& stream, bool external) {
    if (external) {
        if (!stream.capture()) {
            return as_rocm(RocmDifference::ExternalOutsideCaptures) ? hipErrorInvalidHandle : hipErrorIllegalState;
        }
        return stream.capture_command(std::make_unique<EventWaitCommand>(handle()));
    }
    std::shared_ptr<Capture> source;
    std::vector<GraphNode*> nodes;
    std::shared_ptr<EventRecord> record;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (recorded(source) == Recorded::InPastCapture) return hipErrorInvalidValue;
        nodes = captured_nodes_;
        record = latest_;
    }
    std::shared_ptr<Capture> target = stream.capture();
    if (source) {
        if (target && target != source) {
            target->invalidate();
            source->invalidate();
            return hipErrorStreamCaptureMerge;
        }
        if (!target && stream.role() == StreamRole::Legacy) {
            source->invalidate();
            return hipErrorStreamCaptureImplicit;
        }
        if (source->began_in(stream)) source->note_joined(nodes);
        stream.join_capture(std::move(source), nodes);
        return hipSuccess;
    }
    if (target) {
        // Waiting inside a capture for work outside of it.
        target->invalidate();
        return hipErrorStreamCaptureIsolation;
    }
    if (shared_state_ && !shared_state_->done()) {
        return stream.submit(SharedEventWaitCommand(shared_state_, shared_state_->recorded()));
    }
    if (!record || record->done()) return stream.device().sticky_error();
    return stream.submit(EventWaitCommand(handle(), std::move(record)));
}

hipError_t Event::query() const {
    std::lock_guard<std::mutex> lock(mutex_);
    CUDA_SHIM_TRY(ask_of_capture());
    return is_reached() ? hipSuccess : hipErrorNotReady;
}

bool Event::reached() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return is_reached();
}

bool Event::is_reached() const {
    if (shared_state_ && !shared_state_->done()) return false;
    return !latest_ || latest_->done();
}

hipError_t Event::synchronise() const {
    std::shared_ptr<EventRecord> record;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        CUDA_SHIM_TRY(ask_of_capture());
        record = latest_;
    }
    if (record) record->wait();
    if (shared_state_) shared_state_->wait(shared_state_->recorded());
    return hipSuccess;
}

void Event::renew_after_fork() {
    new (&mutex_) std::mutex;
    if (latest_ && !latest_->done()) latest_.reset();
}

hipError_t EventRecordCommand::execute(Device&) {
    if (record_) {
        record_.complete();
        return hipSuccess;
    }
    // From a graph: the event may have been destroyed since the graph was built.
    Event* event = Event::resolve(event_);
    if (!event) return hipErrorInvalidHandle;
    event->begin_record().complete();
    return hipSuccess;
}

hipError_t EventWaitCommand::execute(Device&) {
    std::shared_ptr<EventRecord> record = record_;
    if (!record) {
        Event* event = Event::resolve(event_);
        if (!event) return hipErrorInvalidHandle;
        record = event->latest();
    }
    if (record) record->wait();
    return hipSuccess;
}

}  // namespace cuda_shim
