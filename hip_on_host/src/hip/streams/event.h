// Events: points in a stream's order, with the time at which the stream passed them.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "hip/contexts/owner.h"
#include "hip/streams/command.h"

namespace cuda_shim {

class Capture;
class GraphNode;
class SharedEventState;
class Stream;

// One recording of an event. Waits hold the recording they were made for, so that recording the event again does not
// change them.
class EventRecord {
public:
    void complete();
    void wait();
    bool done() const { return done_.load(std::memory_order_acquire); }
    // When the stream passed the event: nanoseconds of the steady clock.
    int64_t nanoseconds() const { return nanoseconds_; }

private:
    std::atomic<bool> done_{false};
    int64_t nanoseconds_ = 0;
    std::mutex mutex_;
    std::condition_variable finished_;
};

// The duty to complete a recording. The destructor completes it at the latest, even if the command that was to do it
// never runs: threads may wait for it.
class PendingRecord {
public:
    PendingRecord() = default;
    PendingRecord(std::shared_ptr<EventRecord> record, std::shared_ptr<SharedEventState> shared)
        : record_(std::move(record)), shared_(std::move(shared)) {}
    PendingRecord(PendingRecord&&) = default;
    PendingRecord& operator=(PendingRecord&& other) noexcept {
        complete();
        record_ = std::move(other.record_);
        shared_ = std::move(other.shared_);
        return *this;
    }
    ~PendingRecord() { complete(); }

    explicit operator bool() const { return record_ != nullptr; }
    const std::shared_ptr<EventRecord>& record() const { return record_; }
    void complete();

private:
    std::shared_ptr<EventRecord> record_;
    std::shared_ptr<SharedEventState> shared_;
};

class Event {
public:
    Event(int device, unsigned flags);
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    // The event behind a handle; null when the handle is no event.
    static Event* resolve(hipEvent_t handle);
    hipEvent_t handle() { return reinterpret_cast<hipEvent_t>(this); }

    ObjectOwner owner;

    unsigned flags() const { return flags_; }
    int device() const { return device_; }
    bool timed() const { return !(flags_ & hipEventDisableTiming); }

    // The latest recording, or null before the first.
    std::shared_ptr<EventRecord> latest() const;
    // Makes a fresh recording the latest one.
    PendingRecord begin_record();

    // hipEventRecord and hipStreamWaitEvent. Under capture they tie streams together; with `external` they become
    // nodes of the graph, which record and wait at each launch.
    hipError_t record(Stream& stream, bool external);
    hipError_t make_wait(Stream& stream, bool external);
    // hipSuccess, or hipErrorNotReady while recorded work is not done. hipErrorCapturedEvent under capture, which it
    // breaks; hipErrorInvalidValue once that capture is over or broken, until the event is recorded again.
    hipError_t query() const;
    hipError_t synchronise() const;
    // The same two errors for calls that only look at the record, which leave the capture as it is.
    hipError_t refuse_captured() const;
    // True if the streams have passed the latest record, in every process that shares the event.
    bool reached() const;

    // In the child of a fork: a recording that is not done never will be, so it is forgotten.
    void renew_after_fork();

    // The part of an event that other processes see (hipEventInterprocess); null for others.
    const std::shared_ptr<SharedEventState>& shared_state() const { return shared_state_; }
    void attach_shared_state(std::shared_ptr<SharedEventState> state) { shared_state_ = std::move(state); }

private:
    // Undoes a recording that no stream took: the event is as before.
    void withdraw(const EventRecord* record, std::shared_ptr<EventRecord> before);

    int device_;
    unsigned flags_;
    mutable std::mutex mutex_;
    std::shared_ptr<EventRecord> latest_;
    // The origin of the latest record: no capture, one that goes on, or one that is over or broken by now.
    enum class Recorded { Open, InCapture, InPastCapture };
    Recorded recorded(std::shared_ptr<Capture>& capture) const;
    hipError_t ask_of_capture() const;
    bool is_reached() const;

    bool captured_ = false;  // the latest record was made by a stream in capture
    std::weak_ptr<Capture> captured_in_;
    std::vector<GraphNode*> captured_nodes_;  // a wait depends on them
    std::shared_ptr<SharedEventState> shared_state_;
};

// In a stream: completes a recording made when the call was. In a graph: makes a new one at each launch.
class EventRecordCommand final : public Command {
public:
    EventRecordCommand(hipEvent_t event, PendingRecord record) : event_(event), record_(std::move(record)) {}
    explicit EventRecordCommand(hipEvent_t event) : event_(event) {}
    hipError_t execute(Device&) override;
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeEventRecord; }
    CommandPtr clone() const override { return std::make_unique<EventRecordCommand>(event_); }
    bool cheap() const override { return true; }
    hipEvent_t event() const { return event_; }

private:
    hipEvent_t event_;
    PendingRecord record_;
};

class EventWaitCommand final : public Command {
public:
    EventWaitCommand(hipEvent_t event, std::shared_ptr<EventRecord> record)
        : event_(event), record_(std::move(record)) {}
    explicit EventWaitCommand(hipEvent_t event) : event_(event) {}
    hipError_t execute(Device&) override;
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeWaitEvent; }
    CommandPtr clone() const override { return std::make_unique<EventWaitCommand>(event_); }
    bool cheap() const override { return record_ && record_->done(); }
    hipEvent_t event() const { return event_; }

private:
    hipEvent_t event_;
    std::shared_ptr<EventRecord> record_;
};

}  // namespace cuda_shim
