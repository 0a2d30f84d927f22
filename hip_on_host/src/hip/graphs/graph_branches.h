// Running the branches of a graph side by side.
#pragma once
#include <cstddef>
#include <functional>

#include "hip/graphs/graph_program.h"

namespace cuda_shim {

// True if other threads can make the run faster; cheap steps are done before another thread is awake.
bool may_run_branches(const GraphProgram& program);

// Calls run(step) for every step, after its dependencies, on this thread and as many others as there are cores for.
// False, without any call, where there is no memory for that.
bool run_branches(const GraphProgram& program, const std::function<void(size_t)>& run);

}  // namespace cuda_shim
