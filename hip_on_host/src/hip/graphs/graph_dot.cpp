#include "hip/graphs/graph_dot.h"

#include <stdio.h>

#include <memory>
#include <string>

#include "hip/launch/kernel_command.h"
#include "hip/memory/copy.h"
#include "hip/memory/fill.h"
#include "hip/streams/event.h"
#include "hip/streams/host_commands.h"

namespace cuda_shim {
namespace {

const char* type_name(hipGraphNodeType type) {
    switch (static_cast<int>(type)) {
        case kConditionalNode:
            return "CONDITIONAL";
        case hipGraphNodeTypeKernel:
            return "KERNEL";
        case hipGraphNodeTypeMemcpy:
            return "MEMCPY";
        case hipGraphNodeTypeMemset:
            return "MEMSET";
        case hipGraphNodeTypeHost:
            return "HOST";
        case hipGraphNodeTypeGraph:
            return "GRAPH";
        case hipGraphNodeTypeEmpty:
            return "EMPTY";
        case hipGraphNodeTypeWaitEvent:
            return "EVENT_WAIT";
        case hipGraphNodeTypeEventRecord:
            return "EVENT_RECORD";
        case hipGraphNodeTypeMemAlloc:
            return "MEM_ALLOC";
        case hipGraphNodeTypeMemFree:
            return "MEM_FREE";
        case hipGraphNodeTypeBatchMemOp:
            return "BATCH_MEM_OP";
        default:
            return "UNKNOWN";
    }
}

template <class... Values>
std::string text(const char* format, Values... values) {
    char line[256];
    snprintf(line, sizeof line, format, values...);
    return line;
}

std::string kernel_lines(const Command& command, bool parameters) {
    std::string lines = std::string("\\n") + kernel_command_name(command);
    if (!parameters) return lines;
    hipKernelNodeParams p = {};
    describe_kernel_command(command, p);
    return lines + text("\\ngrid %u x %u x %u\\nblock %u x %u x %u\\nshared %u bytes", p.gridDim.x, p.gridDim.y,
                        p.gridDim.z, p.blockDim.x, p.blockDim.y, p.blockDim.z, p.sharedMemBytes);
}

std::string details(const GraphNode& node, unsigned flags) {
    bool verbose = flags & hipGraphDebugDotFlagsVerbose;
    const Command& command = node.command();
    switch (node.type()) {
        case hipGraphNodeTypeKernel:
            return kernel_lines(command, verbose || (flags & hipGraphDebugDotFlagsKernelNodeParams));
        case hipGraphNodeTypeMemcpy: {
            if (!(verbose || (flags & hipGraphDebugDotFlagsMemcpyNodeParams))) return "";
            const CopyRegion& region = static_cast<const CopyCommand&>(command).plan().region;
            return text("\\n%p to %p\\n%zu x %zu x %zu bytes", static_cast<const void*>(region.src),
                        static_cast<const void*>(region.dst), region.width, region.height, region.depth);
        }
        case hipGraphNodeTypeMemset: {
            if (!(verbose || (flags & hipGraphDebugDotFlagsMemsetNodeParams))) return "";
            const FillRegion& region = static_cast<const FillCommand&>(command).region();
            return text("\\n%p\\nvalue 0x%x of %u bytes\\n%zu x %zu", static_cast<const void*>(region.dst),
                        region.value, region.element_bytes, region.width, region.height);
        }
        case hipGraphNodeTypeEventRecord:
            if (!(verbose || (flags & hipGraphDebugDotFlagsEventNodeParams))) return "";
            return text("\\n%p", static_cast<void*>(static_cast<const EventRecordCommand&>(command).event()));
        case hipGraphNodeTypeWaitEvent: {
            auto* wait = dynamic_cast<const EventWaitCommand*>(&command);
            if (!wait || !(verbose || (flags & hipGraphDebugDotFlagsEventNodeParams))) return "";
            return text("\\n%p", static_cast<void*>(wait->event()));
        }
        default:
            return "";
    }
}

void write_graph(FILE* file, const Graph& graph, unsigned flags) {
    fprintf(file, "subgraph cluster_%llu {\nlabel=\"graph_%llu\" graph[style=\"dashed\"];\n", graph.id(), graph.id());
    for (const auto& node : graph.nodes()) {
        std::string handle = flags & (hipGraphDebugDotFlagsHandles | hipGraphDebugDotFlagsVerbose)
                                 ? text("\\n%p", static_cast<void*>(node.get()))
                                 : "";
        fprintf(file, "\"node_%llu\"[style=\"solid\" shape=\"rectangle\" label=\"%llu: %s%s%s\"];\n", node->id(),
                node->id(), type_name(node->type()), details(*node, flags).c_str(), handle.c_str());
    }
    for (const Edge& edge : graph.edges()) {
        fprintf(file, "\"node_%llu\" -> \"node_%llu\";\n", edge.first->id(), edge.second->id());
    }
    fprintf(file, "}\n");
    for (const auto& node : graph.nodes()) {
        auto* child = dynamic_cast<const ChildGraphCommand*>(&node->command());
        if (child) write_graph(file, child->graph(), flags);
    }
}

}  // namespace

bool write_dot(const Graph& graph, const char* path, unsigned flags) {
    std::unique_ptr<FILE, int (*)(FILE*)> file(fopen(path, "we"), fclose);
    if (!file) return false;
    fprintf(file.get(), "digraph dot {\n");
    write_graph(file.get(), graph, flags);
    fprintf(file.get(), "}\n");
    return ferror(file.get()) == 0 && fclose(file.release()) == 0;
}

}  // namespace cuda_shim
