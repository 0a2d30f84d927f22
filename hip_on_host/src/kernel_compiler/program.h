// A program as hiprtcCreateProgram makes it.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "kernel_compiler/compilation.h"

namespace cuda_shim {

class Program {
public:
    explicit Program(ProgramSource source) : source_(std::move(source)) {}

    hiprtcResult add_name_expression(const std::string& expression);
    hiprtcResult compile(const std::vector<std::string>& options);
    // The pointer lives as long as the program.
    hiprtcResult lowered_name(const std::string& expression, const char** name);
    hiprtcResult code(std::string& into);
    // 0 as long as there is none: not an error, as in HIP and CUDA.
    size_t code_size();
    std::string log();

private:
    std::mutex mutex_;
    ProgramSource source_;
    std::vector<std::string> expressions_;
    std::map<std::string, std::string> lowered_;  // from the last compilation that worked
    std::string log_, code_;
    bool compile_called_ = false;
    bool compiled_ = false;
};

}  // namespace cuda_shim
