// The state of a stream's capture so far, in the forms of CUDA 11, 12 and 13. The nodes are HIP's own array, valid
// until the stream's next call, as CUDA promises; all edges are ordinary ones, so there is no array of edge data.
namespace {

[[maybe_unused]] inline int capture_information(void* stream, void* status, void* id, void* graph, void* nodes,
                                                void* edges, void* count) {
    if (!status) return ask_python;
    int state = 0;
    int answer = call_hip(HIP(hipStreamGetCaptureInfo_v2), stream, &state, id, graph, nodes, count);
    if (answer != 0) return answer;
    *static_cast<int*>(status) = FROM_HIP(CUstreamCaptureStatus)(state);
    if (edges) *static_cast<void**>(edges) = nullptr;
    return 0;
}

[[maybe_unused]] inline int capture_information(void* stream, void* status, void* id, void* graph, void* nodes,
                                                void* count) {
    return capture_information(stream, status, id, graph, nodes, nullptr, count);
}

[[maybe_unused]] inline int capture_information(void* stream, void* status, void* id) {
    return capture_information(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

}  // namespace
