// Code of samples from before Volta, in which the lanes of a warp go through statements in step without a barrier:
//
//   volatile float* s = shared;
//   s[t] += s[t + 16];
//   s[t] += s[t + 8];
//
// CUDA leaves the result undefined, and GPUs give what was meant. Here a lane would go through all statements before
// the next one begins. So each such statement gets the warp's barriers: before and behind its reads, and behind its
// write.
#pragma once
#include <string>

namespace cuda_shim {

std::string with_warp_steps(const std::string& text);

}  // namespace cuda_shim
