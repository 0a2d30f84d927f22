#include "common/address_space.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace cuda_shim {
namespace {

size_t mapped_bytes() {
    FILE* statm = fopen("/proc/self/statm", "re");
    if (!statm) return 0;
    size_t pages = 0;
    const bool read = fscanf(statm, "%zu", &pages) == 1;
    fclose(statm);
    return read ? pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

rlim_t address_limit() {
    rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

}  // namespace

size_t physical_memory_bytes() {
    return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

bool addresses_are_limited() { return address_limit() != RLIM_INFINITY; }

size_t addresses_left() {
    const rlim_t limit = address_limit();
    if (limit == RLIM_INFINITY) return SIZE_MAX;
    const size_t mapped = mapped_bytes();
    return limit > mapped ? limit - mapped : 0;
}

ReservedAddresses reserve_addresses(size_t bytes, size_t least) {
    for (; bytes >= least; bytes /= 2) {
        void* range = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range != MAP_FAILED) return {reinterpret_cast<uintptr_t>(range), bytes};
    }
    return {};
}

}  // namespace cuda_shim
