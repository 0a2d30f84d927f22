// Functions that the chosen release of ROCm has not: no dlsym finds them, neither ctypes' nor hip-python's.
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/log.h"
#include "common/settings.h"
#include "hip/own_library.h"
#include "hip/rocm.h"

namespace cuda_shim {
namespace {

// The dynamic linker passes over a symbol whose value is 0.
bool hide(const char* name) {
#ifdef __GLIBC__  // its dladdr1 gives the entry of a symbol
    void* address = dlsym(own_library(), name);
    Dl_info info;
    void* entry = nullptr;
    if (!address || !dladdr1(address, &info, &entry, RTLD_DL_SYMENT) || !entry) return false;
    if (!info.dli_sname || strcmp(info.dli_sname, name) != 0) return false;  // another name of the same code
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t first = reinterpret_cast<uintptr_t>(entry) / page * page;
    const size_t bytes = reinterpret_cast<uintptr_t>(entry) + sizeof(ElfW(Sym)) - first;
    if (mprotect(reinterpret_cast<void*>(first), bytes, PROT_READ | PROT_WRITE) != 0) return false;
    static_cast<ElfW(Sym)*>(entry)->st_value = 0;
    return mprotect(reinterpret_cast<void*>(first), bytes, PROT_READ) == 0;
#else
    (void)name;
    return false;
#endif
}

void hide_or_say(const char* name) {
    if (!hide(name))
        log(LogLevel::Error, "CUDA_SHIM_CPU_ROCM: %s cannot be hidden, though that release of ROCm lacks it", name);
}

// Runs before the library's user can look anything up.
__attribute__((constructor)) void hide_later_functions() {
    if (!as_rocm(RocmDifference::SymbolsByRelease)) return;
    const RocmRelease& release = settings().release;
    const auto lacks = [&](int major, int minor) {
        return major > release.major || (major == release.major && minor > release.minor);
    };
#define CUDA_SHIM_SINCE_ROCM(major, minor, name) \
    if (lacks(major, minor)) hide_or_say(#name);
#define CUDA_SHIM_EXTENSION(name) hide_or_say(#name);
#include "hip/rocm_symbols.inc"
#undef CUDA_SHIM_EXTENSION
#undef CUDA_SHIM_SINCE_ROCM
}

}  // namespace
}  // namespace cuda_shim
