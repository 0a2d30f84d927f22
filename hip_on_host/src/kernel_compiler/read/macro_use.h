// Which programs the pass that expands macros (preprocess.h) would leave as they are. It is a process of its own, a
// fifth of the time that a small kernel takes to compile.
#pragma once
#include <string>
#include <vector>

namespace cuda_shim {

// False only for a text that names no macro of that pass: none that the options define or undefine ("-DNAME=VALUE",
// "-UNAME") and none of CUDA's, HIP's and the language's. A text with directives of its own is not asked about.
bool may_use_macros(const std::string& text, const std::vector<std::string>& options);

}  // namespace cuda_shim
