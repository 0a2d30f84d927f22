// Pictures of graphs for Graphviz.
#pragma once
#include "hip/graphs/graph.h"

namespace cuda_shim {

// Writes a .dot file; `flags` are hipGraphDebugDotFlags. False when the file cannot be written.
bool write_dot(const Graph& graph, const char* path, unsigned flags);

}  // namespace cuda_shim
