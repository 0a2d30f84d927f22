// hiprtc's functions on programs.
#include <string.h>

#include <mutex>
#include <set>

#include "common/readable.h"
#include "kernel_compiler/api_support.h"
#include "kernel_compiler/program.h"

namespace cuda_shim {
namespace {

// Handles that are alive, so that a stale or invented one is an error and no crash.
class ProgramTable {
public:
    hiprtcProgram add(Program* program) {
        std::lock_guard<std::mutex> guard(mutex_);
        programs_.insert(program);
        return reinterpret_cast<hiprtcProgram>(program);
    }
    Program* find(hiprtcProgram handle) {
        std::lock_guard<std::mutex> guard(mutex_);
        Program* program = reinterpret_cast<Program*>(handle);
        return programs_.count(program) ? program : nullptr;
    }
    bool remove(hiprtcProgram handle) {
        std::lock_guard<std::mutex> guard(mutex_);
        Program* program = reinterpret_cast<Program*>(handle);
        if (programs_.erase(program) == 0) return false;
        delete program;
        return true;
    }

private:
    std::mutex mutex_;
    std::set<Program*> programs_;
};

ProgramTable& programs() {
    static ProgramTable* const table = new ProgramTable();
    return *table;
}

std::vector<std::string> string_list(int count, const char* const* strings) {
    std::vector<std::string> list;
    list.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) list.emplace_back(strings[i] ? strings[i] : "");
    return list;
}

hiprtcResult copy_code(const char* function, hiprtcProgram handle, char* to) {
    return guarded(function, [&] {
        Program* program = programs().find(handle);
        if (!program || !to) return program ? HIPRTC_ERROR_INVALID_INPUT : HIPRTC_ERROR_INVALID_PROGRAM;
        std::string code;
        const hiprtcResult result = program->code(code);
        if (result == HIPRTC_SUCCESS) code.copy(to, code.size());
        return result;
    });
}

hiprtcResult tell_code_size(const char* function, hiprtcProgram handle, size_t* size) {
    return guarded(function, [&] {
        Program* program = programs().find(handle);
        if (!program || !size) return program ? HIPRTC_ERROR_INVALID_INPUT : HIPRTC_ERROR_INVALID_PROGRAM;
        *size = program->code_size();
        return HIPRTC_SUCCESS;
    });
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

CUDA_SHIM_EXPORT hiprtcResult hiprtcVersion(int* major, int* minor) {
    if (!major || !minor) return HIPRTC_ERROR_INVALID_INPUT;
    *major = 9;
    *minor = 0;
    return HIPRTC_SUCCESS;
}

CUDA_SHIM_EXPORT const char* hiprtcGetErrorString(hiprtcResult result) {
    switch (result) {
        case HIPRTC_SUCCESS:
            return "HIPRTC_SUCCESS";
        case HIPRTC_ERROR_OUT_OF_MEMORY:
            return "HIPRTC_ERROR_OUT_OF_MEMORY";
        case HIPRTC_ERROR_PROGRAM_CREATION_FAILURE:
            return "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE";
        case HIPRTC_ERROR_INVALID_INPUT:
            return "HIPRTC_ERROR_INVALID_INPUT";
        case HIPRTC_ERROR_INVALID_PROGRAM:
            return "HIPRTC_ERROR_INVALID_PROGRAM";
        case HIPRTC_ERROR_INVALID_OPTION:
            return "HIPRTC_ERROR_INVALID_OPTION";
        case HIPRTC_ERROR_COMPILATION:
            return "HIPRTC_ERROR_COMPILATION";
        case HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE:
            return "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE";
        case HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION:
            return "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION";
        case HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION:
            return "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION";
        case HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID:
            return "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID";
        case HIPRTC_ERROR_INTERNAL_ERROR:
            return "HIPRTC_ERROR_INTERNAL_ERROR";
        case HIPRTC_ERROR_LINKING:
            return "HIPRTC_ERROR_LINKING";
    }
    return "HIPRTC_ERROR_UNKNOWN";
}

CUDA_SHIM_EXPORT hiprtcResult hiprtcCreateProgram(hiprtcProgram* program, const char* source, const char* name,
                                                  int header_count, const char* const* headers,
                                                  const char* const* include_names) {
    return guarded("hiprtcCreateProgram", [&] {
        if (!program || !source || header_count < 0 || (header_count > 0 && (!headers || !include_names)))
            return HIPRTC_ERROR_INVALID_INPUT;
        ProgramSource parts;
        parts.text = source;
        parts.name = name && *name ? name : "default_program";
        for (int i = 0; i < header_count; ++i) {
            if (!headers[i] || !include_names[i]) return HIPRTC_ERROR_INVALID_INPUT;
            parts.headers.emplace_back(include_names[i], headers[i]);
        }
        *program = programs().add(new Program(std::move(parts)));
        return HIPRTC_SUCCESS;
    });
}

CUDA_SHIM_EXPORT hiprtcResult hiprtcDestroyProgram(hiprtcProgram* program) {
    return guarded("hiprtcDestroyProgram", [&] {
        if (!program) return HIPRTC_ERROR_INVALID_INPUT;
        hiprtcProgram handle = nullptr;  // programs pass numbers that are no address of a handle
        if (!copy_readable(&handle, program, sizeof handle) || !programs().remove(handle))
            return HIPRTC_ERROR_INVALID_PROGRAM;
        *program = nullptr;
        return HIPRTC_SUCCESS;
    });
}

CUDA_SHIM_EXPORT hiprtcResult hiprtcAddNameExpression(hiprtcProgram handle, const char* expression) {
    return guarded("hiprtcAddNameExpression", [&] {
        if (!expression) return HIPRTC_ERROR_INVALID_INPUT;
        Program* program = programs().find(handle);
        return program ? program->add_name_expression(expression) : HIPRTC_ERROR_INVALID_PROGRAM;
    });
}

CUDA_SHIM_EXPORT hiprtcResult hiprtcCompileProgram(hiprtcProgram handle, int option_count, const char* const* options) {
    return guarded("hiprtcCompileProgram", [&] {
        Program* program = programs().find(handle);
        if (!program) return HIPRTC_ERROR_INVALID_PROGRAM;
        if (option_count < 0 || (option_count > 0 && !options)) return HIPRTC_ERROR_INVALID_INPUT;
        return program->compile(string_list(option_count, options));
    });
}

CUDA_SHIM_EXPORT hiprtcResult hiprtcGetLoweredName(hiprtcProgram handle, const char* expression, const char** lowered) {
    return guarded("hiprtcGetLoweredName", [&] {
        if (!expression || !lowered) return HIPRTC_ERROR_INVALID_INPUT;
        Program* program = programs().find(handle);
        return program ? program->lowered_name(expression, lowered) : HIPRTC_ERROR_INVALID_PROGRAM;
    });
}

CUDA_SHIM_EXPORT hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram handle, size_t* size) {
    return guarded("hiprtcGetProgramLogSize", [&] {
        Program* program = programs().find(handle);
        if (!program) return HIPRTC_ERROR_INVALID_PROGRAM;
        if (!size) return HIPRTC_ERROR_INVALID_INPUT;
        *size = program->log().size() + 1;
        return HIPRTC_SUCCESS;
    });
}

CUDA_SHIM_EXPORT hiprtcResult hiprtcGetProgramLog(hiprtcProgram handle, char* to) {
    return guarded("hiprtcGetProgramLog", [&] {
        Program* program = programs().find(handle);
        if (!program) return HIPRTC_ERROR_INVALID_PROGRAM;
        if (!to) return HIPRTC_ERROR_INVALID_INPUT;
        const std::string log = program->log();
        memcpy(to, log.c_str(), log.size() + 1);
        return HIPRTC_SUCCESS;
    });
}

CUDA_SHIM_EXPORT hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t* size) {
    return tell_code_size("hiprtcGetCodeSize", program, size);
}
CUDA_SHIM_EXPORT hiprtcResult hiprtcGetCode(hiprtcProgram program, char* to) {
    return copy_code("hiprtcGetCode", program, to);
}
// There is one kind of code here: the module itself takes the place of the bitcode that AMD's library would link again.
CUDA_SHIM_EXPORT hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram program, size_t* size) {
    return tell_code_size("hiprtcGetBitcodeSize", program, size);
}
CUDA_SHIM_EXPORT hiprtcResult hiprtcGetBitcode(hiprtcProgram program, char* to) {
    return copy_code("hiprtcGetBitcode", program, to);
}
