// Finding the functions of this library by name.
#include <dlfcn.h>
#include <string.h>

#include <string>

#include "hip/api.h"
#include "hip/own_library.h"

namespace cuda_shim {
namespace {

constexpr unsigned long long kPerThreadStream = 2;  // HIP_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM

// Names whose structs changed once: the plain name stands for the current form.
std::string symbol_of(const char* name) {
    if (strcmp(name, "hipGetDeviceProperties") == 0 || strcmp(name, "hipChooseDevice") == 0) {
        return std::string(name) + "R0600";
    }
    return name;
}

void* find(const char* name, unsigned long long flags, bool per_thread) {
    if (strncmp(name, "hip", 3) != 0 || !own_library()) return nullptr;
    std::string symbol = symbol_of(name);
    if (per_thread || (flags & kPerThreadStream)) {
        if (void* address = dlsym(own_library(), (symbol + "_spt").c_str())) return address;
    }
    return dlsym(own_library(), symbol.c_str());
}

hipError_t proc_address(const char* name, void** function, int version, uint64_t flags,
                        hipDriverProcAddressQueryResult* result, bool per_thread) {
    if (!name || !*name || !function || version <= 0) return hipErrorInvalidValue;
    *function = find(name, flags, per_thread);
    if (result) *result = *function ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? hipSuccess : hipErrorInvalidValue;
}

hipError_t entry_point(const char* name, void** function, unsigned long long flags,
                       hipDriverEntryPointQueryResult* result, bool per_thread) {
    if (!name || !*name || !function || flags > kPerThreadStream) return hipErrorInvalidValue;
    *function = find(name, flags, per_thread);
    if (result) *result = *function ? hipDriverEntryPointSuccess : hipDriverEntryPointSymbolNotFound;
    return *function ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipGetProcAddress(const char* name, void** function, int version, uint64_t flags,
                             hipDriverProcAddressQueryResult* result) {
    return api(__func__, [&] { return proc_address(name, function, version, flags, result, false); });
}

hipError_t hipGetProcAddress_spt(const char* name, void** function, int version, uint64_t flags,
                                 hipDriverProcAddressQueryResult* result) {
    return api(__func__, [&] { return proc_address(name, function, version, flags, result, true); });
}

hipError_t hipGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                  hipDriverEntryPointQueryResult* result) {
    return api(__func__, [&] { return entry_point(name, function, flags, result, false); });
}

hipError_t hipGetDriverEntryPoint_spt(const char* name, void** function, unsigned long long flags,
                                      hipDriverEntryPointQueryResult* result) {
    return api(__func__, [&] { return entry_point(name, function, flags, result, true); });
}

// For profilers, which know HIP's calls by number.
const char* hipApiName(uint32_t id) {
    switch (id) {
#define CUDA_SHIM_HIP_CALL(number, name) \
    case number:                         \
        return #name;
#include "hip/call_ids.inc"
#undef CUDA_SHIM_HIP_CALL
        default:
            return "unknown";
    }
}
