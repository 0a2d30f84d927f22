// hipStreamBeginCapture … hipStreamEndCapture, and queries about captures.
#include <algorithm>
#include <memory>

#include "engine/per_thread.h"
#include "hip/api.h"
#include "hip/graphs/graph.h"
#include "hip/graphs/graph_nodes.h"
#include "hip/handle_table.h"
#include "hip/streams/capture.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

bool valid_mode(hipStreamCaptureMode mode) {
    return mode >= hipStreamCaptureModeGlobal && mode <= hipStreamCaptureModeRelaxed;
}

hipError_t begin(Stream& stream, Graph* existing, std::vector<GraphNode*> frontier, hipStreamCaptureMode mode) {
    if (!valid_mode(mode)) return hipErrorInvalidValue;
    if (stream.role() == StreamRole::Legacy) return hipErrorStreamCaptureUnsupported;
    if (stream.capture()) return hipErrorIllegalState;
    auto capture = std::make_shared<Capture>(stream, existing, mode);
    stream.join_capture(std::move(capture), frontier);
    return hipSuccess;
}

hipError_t begin_to_graph(Stream& stream, hipGraph_t graph_handle, const hipGraphNode_t* dependencies, size_t count,
                          hipStreamCaptureMode mode) {
    Graph* graph = Graph::resolve(graph_handle);
    if (!graph) return hipErrorInvalidValue;
    std::vector<GraphNode*> frontier;
    CUDA_SHIM_TRY(resolve_nodes(dependencies, count, frontier));
    CUDA_SHIM_TRY(graph->check_dependencies(frontier));
    return begin(stream, graph, std::move(frontier), mode);
}

// Every node that work of another stream ended with must lead to where the origin stream is now, or have led there
// once.
bool all_joined(const Capture& capture, Stream& origin) {
    std::vector<GraphNode*> reached = origin.frontier();
    for (size_t i = 0; i < reached.size(); ++i) {
        for (GraphNode* before : reached[i]->dependencies()) {
            if (std::find(reached.begin(), reached.end(), before) == reached.end()) reached.push_back(before);
        }
    }
    std::vector<GraphNode*> ends = capture.loose_ends();
    for (Stream* stream : capture.participants()) {
        if (stream == &origin || !live_handles<Stream>().contains(stream)) continue;
        for (GraphNode* node : stream->frontier()) ends.push_back(node);
    }
    return std::all_of(ends.begin(), ends.end(), [&](GraphNode* node) {
        return capture.joined(node) || std::find(reached.begin(), reached.end(), node) != reached.end();
    });
}

void finish(Capture& capture) {
    for (Stream* stream : capture.participants()) {
        if (live_handles<Stream>().contains(stream)) stream->leave_capture();
    }
}

hipError_t end(Stream& stream, hipGraph_t* out) {
    if (!out) return hipErrorInvalidValue;
    std::shared_ptr<Capture> capture = stream.capture();
    if (!capture) return hipErrorIllegalState;
    if (!capture->began_in(stream)) return hipErrorStreamCaptureUnmatched;
    if (capture->mode() != hipStreamCaptureModeRelaxed && capture->owner() != std::this_thread::get_id()) {
        return hipErrorStreamCaptureWrongThread;
    }
    *out = nullptr;
    bool joined = capture->invalidated() || all_joined(*capture, stream);
    finish(*capture);
    if (capture->invalidated()) return hipErrorStreamCaptureInvalidated;
    if (!joined) return hipErrorStreamCaptureUnjoined;
    *out = capture->release_graph()->handle();
    return hipSuccess;
}

hipStreamCaptureStatus status_of(const std::shared_ptr<Capture>& capture) {
    if (!capture) return hipStreamCaptureStatusNone;
    return capture->invalidated() ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive;
}

hipError_t is_capturing(hipStream_t handle, hipStreamCaptureStatus* status) {
    if (!status) return hipErrorInvalidValue;
    return with_stream(handle, [&](Stream& stream) {
        *status = status_of(stream.capture());
        if (*status != hipStreamCaptureStatusNone) return hipSuccess;
        // Asking the null stream while a blocking stream captures is an error of its own, and leaves the capture as it
        // is.
        return stream.refuse_capture_query();
    });
}

hipError_t info(hipStream_t handle, hipStreamCaptureStatus* status, unsigned long long* id, hipGraph_t* graph,
                const hipGraphNode_t** dependencies, size_t* count) {
    if (!status) return hipErrorInvalidValue;
    return with_stream(handle, [&](Stream& stream) -> hipError_t {
        std::shared_ptr<Capture> capture = stream.capture();
        *status = status_of(capture);
        if (!capture) return stream.refuse_capture_query();
        if (*status != hipStreamCaptureStatusActive) return hipSuccess;
        if (id) *id = capture->id();
        if (graph) *graph = capture->graph().handle();
        // "Valid until the next call that works on the capture": kept by the thread that asked.
        struct Answer {
            std::vector<hipGraphNode_t> nodes;
        };
        std::vector<hipGraphNode_t>& answered = thread_object<Answer>().nodes;
        answered.clear();
        for (GraphNode* node : stream.frontier()) answered.push_back(node->handle());
        if (dependencies) *dependencies = answered.data();
        if (count) *count = answered.size();
        return hipSuccess;
    });
}

hipError_t update_dependencies(Stream& stream, const hipGraphNode_t* list, size_t count, unsigned flags) {
    if (flags != hipStreamAddCaptureDependencies && flags != hipStreamSetCaptureDependencies)
        return hipErrorInvalidValue;
    std::shared_ptr<Capture> capture = stream.capture();
    if (!capture) return hipErrorIllegalState;
    if (capture->invalidated()) return hipErrorStreamCaptureInvalidated;
    std::vector<GraphNode*> nodes;
    CUDA_SHIM_TRY(resolve_nodes(list, count, nodes));
    CUDA_SHIM_TRY(capture->graph().check_dependencies(nodes));
    if (flags == hipStreamAddCaptureDependencies) {
        for (GraphNode* node : stream.frontier()) {
            if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
        }
    }
    stream.set_frontier(std::move(nodes));
    return hipSuccess;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
    return api(__func__,
               [&] { return with_stream(stream, [&](Stream& target) { return begin(target, nullptr, {}, mode); }); });
}

hipError_t hipStreamBeginCapture_spt(hipStream_t stream, hipStreamCaptureMode mode) {
    return api(__func__, [&] {
        return with_stream(per_thread(stream), [&](Stream& target) { return begin(target, nullptr, {}, mode); });
    });
}

hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                        const hipGraphEdgeData* edge_data, size_t count, hipStreamCaptureMode mode) {
    return api(__func__, [&] {
        if (edge_data) return hipErrorInvalidValue;  // HIP knows only plain edges
        return with_stream(stream,
                           [&](Stream& target) { return begin_to_graph(target, graph, dependencies, count, mode); });
    });
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
    return api(__func__, [&] { return with_stream(stream, [&](Stream& target) { return end(target, graph); }); });
}

hipError_t hipStreamEndCapture_spt(hipStream_t stream, hipGraph_t* graph) {
    return api(__func__,
               [&] { return with_stream(per_thread(stream), [&](Stream& target) { return end(target, graph); }); });
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
    return api(__func__, [&] { return is_capturing(stream, status); });
}

hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus* status) {
    return api(__func__, [&] { return is_capturing(per_thread(stream), status); });
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id) {
    return api(__func__, [&] { return info(stream, status, id, nullptr, nullptr, nullptr); });
}

hipError_t hipStreamGetCaptureInfo_spt(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id) {
    return api(__func__, [&] { return info(per_thread(stream), status, id, nullptr, nullptr, nullptr); });
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id,
                                      hipGraph_t* graph, const hipGraphNode_t** dependencies, size_t* count) {
    return api(__func__, [&] { return info(stream, status, id, graph, dependencies, count); });
}

hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id,
                                          hipGraph_t* graph, const hipGraphNode_t** dependencies, size_t* count) {
    return api(__func__, [&] { return info(per_thread(stream), status, id, graph, dependencies, count); });
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t* dependencies, size_t count,
                                              unsigned int flags) {
    return api(__func__, [&] {
        return with_stream(stream,
                           [&](Stream& target) { return update_dependencies(target, dependencies, count, flags); });
    });
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
    return api(__func__, [&] {
        if (!mode || !valid_mode(*mode)) return hipErrorInvalidValue;
        std::swap(*mode, thread_capture_mode());
        return hipSuccess;
    });
}
