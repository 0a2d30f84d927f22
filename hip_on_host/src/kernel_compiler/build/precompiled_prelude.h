// The prelude as Clang has read it already: most of the cost of reading and compiling a small program is reading that.
#pragma once
#include <string>
#include <vector>

#include "kernel_compiler/build/compiler.h"

namespace cuda_shim {

// The way that a command includes the prelude: precompiled, or as it is written.
class IncludedPrelude {
public:
    // As it is written.
    IncludedPrelude() = default;
    // Precompiled for commands with these words, made when it is not there yet; as it is written where that cannot be.
    // `scratch`: where it is made, and kept where there is no cache.
    IncludedPrelude(const Compiler& clang, const std::vector<std::string>& command, const std::string& scratch);

    // The words that include it.
    std::vector<std::string> words() const;
    // Did a command fail for the precompiled file? Then that is removed, and the prelude included as it is written.
    bool was_refused(const std::string& errors);

private:
    std::string precompiled_;  // empty: as it is written
};

}  // namespace cuda_shim
