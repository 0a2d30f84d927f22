// Settings as messages are to name them.
#pragma once
#include <string>

namespace cuda_shim {

// The flag of `run` where the user gave the setting as one, else its variable: --cpu-cxx, CUDA_SHIM_CPU_CXX.
std::string name_of_setting(const char* variable);

}  // namespace cuda_shim
