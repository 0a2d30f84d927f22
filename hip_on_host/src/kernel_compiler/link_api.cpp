// hiprtcLink*: modules out of several programs (linker.h).
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <string>

#include "abi/hip_types.h"
#include "common/elf_image.h"
#include "common/files.h"
#include "common/log.h"
#include "common/readable.h"
#include "kernel_compiler/api_support.h"
#include "kernel_compiler/build/linker.h"
#include "kernel_compiler/build/module_image.h"

namespace cuda_shim {
namespace {

// The program's buffer for the errors of a link: an option each for the buffer and its bytes.
struct ErrorLog {
    char* text = nullptr;
    size_t bytes = 0;
};

struct LinkState {
    ErrorLog error_log;
    std::vector<LinkInput> inputs;
    std::string code;
    bool completed = false;
};

std::mutex& link_mutex() {
    static std::mutex* const mutex = new std::mutex();
    return *mutex;
}
std::set<LinkState*>& link_states() {
    static std::set<LinkState*>* const states = new std::set<LinkState*>();
    return *states;
}
LinkState* find(hiprtcLinkState handle) {
    LinkState* state = reinterpret_cast<LinkState*>(handle);
    return link_states().count(state) ? state : nullptr;
}

// The module's seal, and that of the object behind it, if there is one.
bool has_valid_seals(const std::string& contents) {
    const std::string_view object = linkable_object(contents);
    const size_t module = elf_image_size(contents.data(), contents.size());
    return check_seal(contents.data(), module) != ImageSeal::Broken &&
           (object.empty() || check_seal(object.data(), object.size()) != ImageSeal::Broken);
}

hiprtcResult add_image(LinkState& state, const void* image, size_t size, const char* name) {
    const char* label = name && *name ? name : "an input without a name";
    const ImageKind kind = size < 20 ? ImageKind::Unknown : recognise_image(image);
    if (kind != ImageKind::HostModule) {
        log(LogLevel::Error,
            "hiprtcLinkAddData (cuLinkAddData): %s is %s; add a code object of nvrtcGetCUBIN or hiprtcGetCode", label,
            describe_image_kind(kind));
        return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    }
    std::string contents(size, '\0');
    if (!copy_readable(contents.data(), image, size)) return HIPRTC_ERROR_INVALID_INPUT;
    const size_t bytes = module_bytes(contents);
    if (bytes == 0 || bytes > size || !has_valid_seals(contents)) {
        log(LogLevel::Error, "hiprtcLinkAddData (cuLinkAddData): %s is damaged or cut short", label);
        return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    }
    contents.resize(bytes);
    state.inputs.push_back({label, std::move(contents)});
    return HIPRTC_SUCCESS;
}

ErrorLog error_log_of(unsigned count, const int* options, void* const* values) {
    ErrorLog error_log;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == hipJitOptionErrorLogBuffer) error_log.text = static_cast<char*>(values[i]);
        if (options[i] == hipJitOptionErrorLogBufferSizeBytes) error_log.bytes = reinterpret_cast<uintptr_t>(values[i]);
    }
    return error_log;
}

void write_error(const ErrorLog& error_log, const std::string& problem) {
    if (!error_log.text || error_log.bytes == 0) return;
    const size_t length = std::min(problem.size(), error_log.bytes - 1);
    memcpy(error_log.text, problem.data(), length);
    error_log.text[length] = '\0';
}

hiprtcResult complete(LinkState& state) {
    LinkedModule linked = link_modules(state.inputs);
    if (linked.result != HIPRTC_SUCCESS) {
        log(LogLevel::Error, "hiprtcLinkComplete: %s", linked.problem.c_str());
        write_error(state.error_log, linked.problem);
        return linked.result;
    }
    state.code = std::move(linked.code);
    state.completed = true;
    return HIPRTC_SUCCESS;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

CUDA_SHIM_EXPORT hiprtcResult hiprtcLinkCreate(unsigned int option_count, int* options, void** values,
                                               hiprtcLinkState* state) {
    return guarded("hiprtcLinkCreate", [&] {
        if (!state || (option_count > 0 && (!options || !values))) return HIPRTC_ERROR_INVALID_INPUT;
        std::lock_guard<std::mutex> guard(link_mutex());
        LinkState* exists = new LinkState();
        exists->error_log = error_log_of(option_count, options, values);
        link_states().insert(exists);
        *state = reinterpret_cast<hiprtcLinkState>(exists);
        return HIPRTC_SUCCESS;
    });
}

CUDA_SHIM_EXPORT hiprtcResult hiprtcLinkAddData(hiprtcLinkState handle, int /*input_type*/, void* image, size_t size,
                                                const char* name, unsigned int /*option_count*/, int* /*options*/,
                                                void** /*values*/) {
    return guarded("hiprtcLinkAddData", [&] {
        std::lock_guard<std::mutex> guard(link_mutex());
        LinkState* state = find(handle);
        if (!state || !image || size == 0 || state->completed) return HIPRTC_ERROR_INVALID_INPUT;
        return add_image(*state, image, size, name);
    });
}

CUDA_SHIM_EXPORT hiprtcResult hiprtcLinkAddFile(hiprtcLinkState handle, int /*input_type*/, const char* path,
                                                unsigned int /*option_count*/, int* /*options*/, void** /*values*/) {
    return guarded("hiprtcLinkAddFile", [&] {
        std::lock_guard<std::mutex> guard(link_mutex());
        LinkState* state = find(handle);
        if (!state || !path || state->completed) return HIPRTC_ERROR_INVALID_INPUT;
        std::string contents;
        if (!read_file(path, contents)) {
            log(LogLevel::Error, "hiprtcLinkAddFile (cuLinkAddFile): cannot read %s: %s", path, strerror(errno));
            return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
        }
        return add_image(*state, contents.data(), contents.size(), path);
    });
}

CUDA_SHIM_EXPORT hiprtcResult hiprtcLinkComplete(hiprtcLinkState handle, void** code, size_t* size) {
    return guarded("hiprtcLinkComplete", [&] {
        std::lock_guard<std::mutex> guard(link_mutex());
        LinkState* state = find(handle);
        if (!state || !code) return HIPRTC_ERROR_INVALID_INPUT;
        if (!state->completed) {
            if (hiprtcResult failure = complete(*state)) return failure;
        }
        *code = state->code.data();
        if (size) *size = state->code.size();
        return HIPRTC_SUCCESS;
    });
}

CUDA_SHIM_EXPORT hiprtcResult hiprtcLinkDestroy(hiprtcLinkState handle) {
    return guarded("hiprtcLinkDestroy", [&] {
        std::lock_guard<std::mutex> guard(link_mutex());
        LinkState* state = find(handle);
        if (!state) return HIPRTC_ERROR_INVALID_INPUT;
        link_states().erase(state);
        delete state;
        return HIPRTC_SUCCESS;
    });
}
