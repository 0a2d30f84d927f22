// Updates of executable graphs. C programs get the reason of a failure, which Python's form of the call does not
// return.
namespace {

struct UpdateResult {
    int result;
    void* error_node;
    void* error_from_node;
};

[[maybe_unused]] inline int update_graph(void* executable, void* graph, void* error_node, void* result) {
    if (!error_node || !result) return ask_python;
    int reason = 0;
    int answer = call_hip(HIP(hipGraphExecUpdate), executable, graph, error_node, static_cast<void*>(&reason));
    *static_cast<int*>(result) = FROM_HIP(CUgraphExecUpdateResult)(reason);
    return answer;
}

[[maybe_unused]] inline int update_graph(void* executable, void* graph, void* information) {
    UpdateResult update = {};
    if (!information) return ask_python;
    int answer =
        update_graph(executable, graph, static_cast<void*>(&update.error_node), static_cast<void*>(&update.result));
    memcpy(information, &update, sizeof update);
    return answer;
}

}  // namespace
