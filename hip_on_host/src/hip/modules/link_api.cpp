// hipLink*: the linker is hiprtc's, which comes with this library and is in the same folder.
#include <dlfcn.h>

#include "common/log.h"
#include "hip/api.h"
#include "hip/modules/loader.h"
#include "hip/own_library.h"
#include "kernel_compiler/hiprtc_types.h"

namespace cuda_shim {
namespace {

struct HiprtcLinker {
    using State = hipLinkState_t;
    hiprtcResult (*create)(unsigned, hipJitOption*, void**, State*) = nullptr;
    hiprtcResult (*add_data)(State, int, void*, size_t, const char*, unsigned, hipJitOption*, void**) = nullptr;
    hiprtcResult (*add_file)(State, int, const char*, unsigned, hipJitOption*, void**) = nullptr;
    hiprtcResult (*complete)(State, void**, size_t*) = nullptr;
    hiprtcResult (*destroy)(State) = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

// Null where there is no hiprtc; the log says so.
const HiprtcLinker* load_linker() {
    std::string path = own_folder() + "libhiprtc.so";
    void* library = open_library(path, RTLD_NOW | RTLD_LOCAL);
    static HiprtcLinker linker;
    bool complete =
        library && find(library, "hiprtcLinkCreate", linker.create) &&
        find(library, "hiprtcLinkAddData", linker.add_data) && find(library, "hiprtcLinkAddFile", linker.add_file) &&
        find(library, "hiprtcLinkComplete", linker.complete) && find(library, "hiprtcLinkDestroy", linker.destroy);
    if (!complete) log(LogLevel::Error, "the linker cannot be loaded from %s", path.c_str());
    return complete ? &linker : nullptr;
}

// The status that HIP returns for its linker's result: an error in an input or in their sum is a wrong configuration.
hipError_t status_of(hiprtcResult result) {
    switch (result) {
        case HIPRTC_SUCCESS:
            return hipSuccess;
        case HIPRTC_ERROR_OUT_OF_MEMORY:
            return hipErrorOutOfMemory;
        case HIPRTC_ERROR_INVALID_INPUT:
            return hipErrorInvalidValue;
        default:
            return hipErrorInvalidConfiguration;
    }
}

template <class Use>
hipError_t with_linker(Use&& use) {
    static const HiprtcLinker* const linker = load_linker();
    return linker ? status_of(use(*linker)) : hipErrorSharedObjectInitFailed;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipLinkCreate(unsigned int option_count, hipJitOption* options, void** values, hipLinkState_t* state) {
    return api(__func__, [&] {
        return with_linker(
            [&](const HiprtcLinker& linker) { return linker.create(option_count, options, values, state); });
    });
}

hipError_t hipLinkAddData(hipLinkState_t state, hipJitInputType type, void* data, size_t size, const char* name,
                          unsigned int option_count, hipJitOption* options, void** values) {
    return api(__func__, [&] {
        return with_linker([&](const HiprtcLinker& linker) {
            return linker.add_data(state, type, data, size, name, option_count, options, values);
        });
    });
}

hipError_t hipLinkAddFile(hipLinkState_t state, hipJitInputType type, const char* path, unsigned int option_count,
                          hipJitOption* options, void** values) {
    return api(__func__, [&] {
        return with_linker([&](const HiprtcLinker& linker) {
            return linker.add_file(state, type, path, option_count, options, values);
        });
    });
}

hipError_t hipLinkComplete(hipLinkState_t state, void** code, size_t* size) {
    return api(__func__, [&] {
        return with_linker([&](const HiprtcLinker& linker) { return linker.complete(state, code, size); });
    });
}

hipError_t hipLinkDestroy(hipLinkState_t state) {
    return api(__func__,
               [&] { return with_linker([&](const HiprtcLinker& linker) { return linker.destroy(state); }); });
}
