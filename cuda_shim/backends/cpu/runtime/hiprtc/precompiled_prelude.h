// The prelude as Clang has read it already: most of what reading a small program costs is reading that.
#pragma once
#include <string>
#include <vector>

namespace cuda_shim {

// The file that stands for the prelude in a command with these words, made when there is none yet; empty where it
// cannot be made. `identity`: what else it depends on. `scratch`: where it is made, and kept where there is no cache.
std::string precompiled_prelude(const std::vector<std::string>& command, const std::string& identity,
                                const std::string& prelude, const std::string& scratch);

}  // namespace cuda_shim
