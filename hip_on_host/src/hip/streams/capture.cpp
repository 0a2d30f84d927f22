// Streams in captures, and the calls that a capture forbids.
#include "hip/streams/capture.h"

#include <algorithm>

#include "hip/api.h"
#include "hip/graphs/graph.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

std::atomic<unsigned long long> next_capture_id{1};

// Captures going on, for the rules about legacy streams and unsafe calls.
struct ActiveCaptures {
    std::mutex mutex;
    std::vector<Capture*> captures;
    std::atomic<int> count{0};
};

ActiveCaptures& active() {
    static auto* const list = new ActiveCaptures;
    return *list;
}

}  // namespace

Capture::Capture(Stream& origin, Graph* existing, hipStreamCaptureMode mode)
    : id_(next_capture_id.fetch_add(1)),
      origin_(&origin),
      device_(origin.device()),
      blocking_(origin.role() == StreamRole::Blocking),
      owned_graph_(existing ? nullptr : new Graph),
      graph_(existing ? existing : owned_graph_.get()),
      mode_(mode) {
    if (owned_graph_) owned_graph_->embedded = true;
    std::lock_guard<std::mutex> lock(active().mutex);
    active().captures.push_back(this);
    active().count.fetch_add(1);
}

Capture::~Capture() {
    std::lock_guard<std::mutex> lock(active().mutex);
    auto& list = active().captures;
    list.erase(std::remove(list.begin(), list.end(), this), list.end());
    active().count.fetch_sub(1);
}

Graph* Capture::release_graph() {
    static_cast<void>(owned_graph_.release());
    graph_->embedded = false;
    return graph_;
}

void Capture::discard_graph() { owned_graph_.reset(); }

void Capture::add_participant(Stream& stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (std::find(participants_.begin(), participants_.end(), &stream) == participants_.end()) {
        participants_.push_back(&stream);
    }
}

void Capture::lose_participant(Stream& stream) {
    if (began_in(stream)) {
        origin_.store(nullptr, std::memory_order_release);
        return invalidate();
    }
    std::vector<GraphNode*> ends = stream.frontier();
    std::lock_guard<std::mutex> lock(mutex_);
    participants_.erase(std::remove(participants_.begin(), participants_.end(), &stream), participants_.end());
    loose_ends_.insert(loose_ends_.end(), ends.begin(), ends.end());
}

void Capture::note_joined(const std::vector<GraphNode*>& nodes) {
    std::vector<GraphNode*> pending = nodes;
    std::lock_guard<std::mutex> lock(mutex_);
    while (!pending.empty()) {
        GraphNode* node = pending.back();
        pending.pop_back();
        if (!joined_.insert(node).second) continue;
        pending.insert(pending.end(), node->dependencies().begin(), node->dependencies().end());
    }
}

bool Capture::joined(GraphNode* node) const {
    std::lock_guard<std::mutex> lock(mutex_);
    return joined_.count(node) != 0;
}

std::vector<GraphNode*> Capture::loose_ends() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return loose_ends_;
}

bool Capture::has_stream_of(const Device& device) const {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::any_of(participants_.begin(), participants_.end(),
                       [&](const Stream* stream) { return &stream->device() == &device; });
}

std::vector<Stream*> Capture::participants() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return participants_;
}

hipStreamCaptureMode& thread_capture_mode() {
    thread_local hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
    return mode;
}

hipError_t refuse_unsafe_call() {
    if (active().count.load(std::memory_order_acquire) == 0) return hipSuccess;
    hipStreamCaptureMode thread_mode = thread_capture_mode();
    if (thread_mode == hipStreamCaptureModeRelaxed) return hipSuccess;
    std::lock_guard<std::mutex> lock(active().mutex);
    bool is_refused = false;
    for (Capture* capture : active().captures) {
        bool is_own_thread = capture->owner() == std::this_thread::get_id();
        bool forbids = is_own_thread
                           ? capture->mode() != hipStreamCaptureModeRelaxed
                           : capture->mode() == hipStreamCaptureModeGlobal && thread_mode == hipStreamCaptureModeGlobal;
        if (!forbids) continue;
        capture->invalidate();
        is_refused = true;
    }
    return is_refused ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

hipError_t refuse_device_wait(const Device& device) {
    if (active().count.load(std::memory_order_acquire) == 0) return hipSuccess;
    std::lock_guard<std::mutex> lock(active().mutex);
    bool is_refused = false;
    for (Capture* capture : active().captures) {
        if (!capture->has_stream_of(device)) continue;
        capture->invalidate();
        is_refused = true;
    }
    return is_refused ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

void invalidate_captures_into(const Graph& graph) {
    if (active().count.load(std::memory_order_acquire) == 0) return;
    std::lock_guard<std::mutex> lock(active().mutex);
    for (Capture* capture : active().captures) {
        if (&capture->graph() == &graph) capture->invalidate();
    }
}

// --- Stream's side

bool Stream::captures_anywhere() { return active().count.load(std::memory_order_acquire) != 0; }

std::shared_ptr<Capture> Stream::capture() const {
    if (!captures_anywhere()) return nullptr;
    std::lock_guard<std::mutex> lock(capture_mutex_);
    return capture_;
}

void Stream::join_capture(std::shared_ptr<Capture> capture, const std::vector<GraphNode*>& frontier) {
    capture->add_participant(*this);
    std::lock_guard<std::mutex> lock(capture_mutex_);
    capture_ = std::move(capture);
    for (GraphNode* node : frontier) {
        if (std::find(frontier_.begin(), frontier_.end(), node) == frontier_.end()) frontier_.push_back(node);
    }
}

void Stream::leave_capture() {
    std::lock_guard<std::mutex> lock(capture_mutex_);
    capture_.reset();
    frontier_.clear();
}

std::vector<GraphNode*> Stream::frontier() const {
    std::lock_guard<std::mutex> lock(capture_mutex_);
    return frontier_;
}

void Stream::set_frontier(std::vector<GraphNode*> nodes) {
    std::lock_guard<std::mutex> lock(capture_mutex_);
    frontier_ = std::move(nodes);
}

hipError_t Stream::capture_command(CommandPtr command) {
    std::lock_guard<std::mutex> lock(capture_mutex_);
    if (!capture_) return hipErrorIllegalState;
    if (capture_->invalidated()) return hipErrorStreamCaptureInvalidated;
    std::lock_guard<std::mutex> graph_lock(capture_->graph_mutex);
    GraphNode& node = capture_->graph().add(std::move(command), frontier_);
    if (node.type() == hipGraphNodeTypeKernel) node.attributes.copy_from(attributes);
    frontier_ = {&node};
    return hipSuccess;
}

hipError_t Stream::refuse_under_capture() {
    if (!captures_anywhere()) return hipSuccess;
    if (std::shared_ptr<Capture> own = capture()) {
        own->invalidate();
        return hipErrorStreamCaptureUnsupported;
    }
    return refuse_null_stream([](Capture& capture) { capture.invalidate(); });
}

hipError_t Stream::refuse_wait() {
    if (!captures_anywhere()) return hipSuccess;
    if (hipError_t error = refuse_under_capture()) return error;
    return refuse_unsafe_call();
}

hipError_t Stream::refuse_capture_query() {
    return refuse_null_stream([](Capture&) {});
}

// The null stream would wait for the capturing streams, whose work is not running, in every capture mode.
template <class Then>
hipError_t Stream::refuse_null_stream(Then&& then) {
    if (role_ != StreamRole::Legacy || !captures_anywhere()) return hipSuccess;
    std::lock_guard<std::mutex> lock(active().mutex);
    bool is_refused = false;
    for (Capture* capture : active().captures) {
        if (!capture->holds_up(device_)) continue;
        then(*capture);
        is_refused = true;
    }
    return is_refused ? hipErrorStreamCaptureImplicit : hipSuccess;
}

}  // namespace cuda_shim
