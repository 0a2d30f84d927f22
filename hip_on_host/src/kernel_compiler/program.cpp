#include "kernel_compiler/program.h"

#include <algorithm>

namespace cuda_shim {

hiprtcResult Program::add_name_expression(const std::string& expression) {
    std::lock_guard<std::mutex> guard(mutex_);
    if (compile_called_) return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    if (expression.find_first_not_of(" \t&") == std::string::npos) return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    if (std::find(expressions_.begin(), expressions_.end(), expression) == expressions_.end())
        expressions_.push_back(expression);
    return HIPRTC_SUCCESS;
}

hiprtcResult Program::compile(const std::vector<std::string>& options) {
    std::lock_guard<std::mutex> guard(mutex_);
    compile_called_ = true;
    CompiledProgram compiled = compile_program(source_, expressions_, options);
    log_ = std::move(compiled.log);
    compiled_ = compiled.result == HIPRTC_SUCCESS;
    code_ = std::move(compiled.code);
    for (size_t i = 0; compiled_ && i < expressions_.size(); ++i) lowered_[expressions_[i]] = compiled.lowered[i];
    return compiled.result;
}

hiprtcResult Program::lowered_name(const std::string& expression, const char** name) {
    std::lock_guard<std::mutex> guard(mutex_);
    if (!compiled_ && lowered_.empty()) return HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    const auto entry = lowered_.find(expression);
    if (entry == lowered_.end()) return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *name = entry->second.c_str();
    return HIPRTC_SUCCESS;
}

hiprtcResult Program::code(std::string& into) {
    std::lock_guard<std::mutex> guard(mutex_);
    if (!compiled_) return HIPRTC_ERROR_INVALID_PROGRAM;
    into = code_;
    return HIPRTC_SUCCESS;
}

size_t Program::code_size() {
    std::lock_guard<std::mutex> guard(mutex_);
    return compiled_ ? code_.size() : 0;
}

std::string Program::log() {
    std::lock_guard<std::mutex> guard(mutex_);
    return log_;
}

}  // namespace cuda_shim
