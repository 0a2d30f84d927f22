// Streams: handles, ordering between them, and submission of commands.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "hip/contexts/device.h"
#include "hip/contexts/green_context.h"
#include "hip/contexts/owner.h"
#include "hip/launch/launch_attributes.h"
#include "hip/streams/command.h"
#include "hip/streams/stream_queue.h"

namespace cuda_shim {

class Capture;
class GraphNode;

enum class StreamRole {
    Legacy,       // the null stream: waits for, and is waited for by, the blocking streams of its device
    Blocking,     // hipStreamDefault and hipStreamPerThread
    NonBlocking,  // hipStreamNonBlocking: no implicit order with the null stream
};

class Stream {
public:
    Stream(Device& device, StreamRole role, unsigned flags, int priority);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    hipStream_t handle() { return reinterpret_cast<hipStream_t>(this); }
    Device& device() const { return device_; }
    StreamRole role() const { return role_; }
    unsigned flags() const { return flags_; }
    int priority() const { return priority_; }
    unsigned long long id() const { return id_; }

    // Gives the command to the stream: recorded as a graph node when the stream is in capture, run here and now when
    // the stream is idle and the command cheap, else run later, in order, on the stream's worker. Returns the error
    // that prevented the submission; errors of running are reported by later waits, as on a GPU.
    template <class C>
    hipError_t submit(C command) {
        return submit(command, moved<C>);
    }

    // Runs the command in the stream's order and returns when it is done, with its own error. Not allowed
    // while the stream is in capture.
    template <class C>
    hipError_t run(C command) {
        return run(command, moved<C>);
    }

    // Waits for everything submitted so far, and reports errors of earlier work.
    hipError_t synchronise();
    bool idle();
    // Waits for all work of this stream, and for the work that the null stream's rule adds.
    void wait_for_all();
    // The point that a command submitted now would run after; used by events.
    Ticket last_ticket() { return queue()->last(); }

    const std::shared_ptr<StreamQueue>& queue() const { return queue_; }
    // After fork, while the child has one thread: the worker is gone, so the child starts with an empty queue.
    void renew_after_fork();

    // Limits commands to these cores. Called before the first submission.
    void limit_to(const CoreRange& cores);
    // The cores of a stream of a part of the device; a count of 0 stands for the whole.
    const CoreRange& cores() const { return cores_; }

    LaunchAttributes attributes;
    ObjectOwner owner;

    // --- capture, in capture.cpp. The capture that this stream takes part in, or null.
    std::shared_ptr<Capture> capture() const;
    void join_capture(std::shared_ptr<Capture> capture, const std::vector<GraphNode*>& frontier);
    void leave_capture();
    std::vector<GraphNode*> frontier() const;
    void set_frontier(std::vector<GraphNode*> nodes);
    // Adds a node after the stream's frontier; the stream must be in capture.
    hipError_t capture_command(CommandPtr command);
    // Refuses when running this stream now would break a capture (status of HIP's rules); invalidates it.
    hipError_t refuse_under_capture();
    // The same for waiting for this stream, or asking whether it is done: of the null stream that is an unsafe call.
    hipError_t refuse_wait();
    // The same for the null stream when it is only asked whether it captures: the capture goes on.
    hipError_t refuse_capture_query();

private:
    template <class Use>
    friend hipError_t with_stream(hipStream_t handle, Use&& use);
    // Null, and `error` set, for a handle that is no stream.
    static Stream* resolve(hipStream_t handle, hipError_t& error);

    // A command is lent, and moved to the heap only when it has to outlive the call. Only how depends on its type.
    using Move = CommandPtr (*)(Command& lent);
    template <class C>
    static CommandPtr moved(Command& lent) {
        return std::make_unique<C>(std::move(static_cast<C&>(lent)));
    }
    hipError_t submit(Command& lent, Move move);
    hipError_t run(Command& lent, Move move);

    void describe_queue();
    static bool captures_anywhere();
    template <class Then>
    hipError_t refuse_null_stream(Then&& then);
    hipError_t after_run(hipError_t status);
    // Work that the null stream's rule makes the next command wait for, beyond this stream's own order.
    Tickets pending_order();

    Device& device_;
    StreamRole role_;
    unsigned flags_;
    int priority_;
    unsigned long long id_;
    CoreRange cores_;
    std::shared_ptr<StreamQueue> queue_;
    mutable std::mutex capture_mutex_;
    std::shared_ptr<Capture> capture_;
    std::vector<GraphNode*> frontier_;
};

// Returns the result of `use` for the stream behind a handle, or the error where there is none: null and
// hipStreamLegacy are the current device's null stream, hipStreamPerThread the calling thread's.
template <class Use>
hipError_t with_stream(hipStream_t handle, Use&& use) {
    hipError_t error;
    Stream* stream = Stream::resolve(handle, error);
    return stream ? use(*stream) : error;
}

}  // namespace cuda_shim
