// Stream capture: streams that record graph nodes instead of running commands.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

#include "hip/streams/command.h"

namespace cuda_shim {

class Device;
class Graph;
class GraphNode;
class Stream;

// One capture sequence, from hipStreamBeginCapture to hipStreamEndCapture. Several streams may take part.
class Capture {
public:
    // Into a graph of its own, or into one that belongs to the program (hipStreamBeginCaptureToGraph).
    Capture(Stream& origin, Graph* existing, hipStreamCaptureMode mode);
    ~Capture();
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    unsigned long long id() const { return id_; }
    hipStreamCaptureMode mode() const { return mode_; }
    std::thread::id owner() const { return owner_; }
    bool began_in(const Stream& stream) const { return origin_.load(std::memory_order_acquire) == &stream; }
    // True if the null stream of a device would wait for the stream that the capture began in.
    bool holds_up(const Device& device) const { return blocking_ && &device_ == &device; }
    Graph& graph() const { return *graph_; }
    // Hands the finished graph to the program; the capture must be over.
    Graph* release_graph();
    void discard_graph();

    bool invalidated() const { return invalidated_.load(std::memory_order_acquire); }
    void invalidate() { invalidated_.store(true, std::memory_order_release); }

    // Several streams of one capture may be used from several threads.
    std::mutex graph_mutex;

    void add_participant(Stream& stream);
    std::vector<Stream*> participants() const;
    bool has_stream_of(const Device& device) const;
    // Called when a stream is destroyed: its captured nodes stay, and must be joined all the same. Without its origin
    // the capture cannot be ended, and is invalid.
    void lose_participant(Stream& stream);
    // The last nodes of the streams that were destroyed.
    std::vector<GraphNode*> loose_ends() const;

    // Notes nodes that the stream which the capture began in has waited for, and all before them: their streams are
    // joined, even if the program changes the dependencies later.
    void note_joined(const std::vector<GraphNode*>& nodes);
    bool joined(GraphNode* node) const;

private:
    unsigned long long id_;
    std::atomic<const Stream*> origin_;  // null once it is destroyed
    const Device& device_;
    const bool blocking_;
    std::unique_ptr<Graph> owned_graph_;
    Graph* graph_;
    hipStreamCaptureMode mode_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::atomic<bool> invalidated_{false};
    mutable std::mutex mutex_;
    std::vector<Stream*> participants_;
    std::vector<GraphNode*> loose_ends_;
    std::unordered_set<const GraphNode*> joined_;
};

// The mode in which the calling thread's unsafe calls are judged (hipThreadExchangeStreamCaptureMode).
hipStreamCaptureMode& thread_capture_mode();

// Calls that would act outside of any stream (allocation, module loading, synchronisation) are refused while a
// capture that forbids them for the calling thread is going on; the capture is then invalid.
hipError_t refuse_unsafe_call();

// Waiting for a device is refused while any of its streams is in capture, for every mode and thread: its captured work
// is not running. The capture is then invalid.
hipError_t refuse_device_wait(const Device& device);
// A graph that loses nodes, or ends, while work is captured into it: the capture cannot go on.
void invalidate_captures_into(const Graph& graph);

}  // namespace cuda_shim
