#include "hip/own_library.h"

#include <dlfcn.h>

#include "abi/hip_functions.h"

namespace cuda_shim {
namespace {

const char* own_path() {
    Dl_info info;
    return dladdr(reinterpret_cast<void*>(&hipInit), &info) ? info.dli_fname : nullptr;
}

}  // namespace

void* own_library() {
    static void* const handle = own_path() ? dlopen(own_path(), RTLD_NOW | RTLD_NOLOAD) : nullptr;
    return handle;
}

std::string own_folder() {
    const char* path = own_path();
    if (!path) return {};
    std::string folder(path);
    return folder.substr(0, folder.rfind('/') + 1);
}

}  // namespace cuda_shim
