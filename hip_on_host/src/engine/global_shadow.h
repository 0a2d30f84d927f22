// What was done to each byte of global memory, in checked mode: whether anybody ever wrote it, and which threads of the
// launch under way touched it last.
//
// Kept for pages of memory, from when they are first asked about. Memory that is not known to be unwritten counts as
// written: variables of modules, managed and host memory, which the host may write by itself.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cuda_shim {

// Somebody's access to memory that all threads of a launch see.
struct GlobalTouch {
    uint32_t epoch = 0;   // which launch, and how many barriers of its grid had passed; 0: never
    uint32_t block = 0;   // linear index
    uint32_t time = 0;    // of the block's ThreadOrder
    uint32_t sync = 0;    // of the launch's LaunchSync
    uint32_t place = 0;   // return address, from the module's start
    uint32_t value = 0;   // that was read, or written
    uint16_t thread = 0;  // of its block, linear
    bool atomic = false;
};

// What an access turned out to be.
struct GlobalAnswer {
    bool unwritten = false;  // it reads, and nobody ever wrote any of its bytes
    bool conflict = false;   // with `earlier`, which nothing orders before it
    bool wrote = false;      // `earlier` was a write
    GlobalTouch earlier;
};

struct GlobalAccess {
    uintptr_t address;
    uint64_t bytes;
    bool reads;
    bool writes;
    GlobalTouch mine;
};

// Is an earlier access of this launch unordered with the one that is made now? (Where both leave the same value, nobody
// is asked: all threads that set one flag do no harm.)
class GlobalOrder {
public:
    virtual bool conflicts(const GlobalTouch& earlier, const GlobalTouch& mine) const = 0;

protected:
    ~GlobalOrder() = default;
};

// To be called when memory holds what was read, or is written.
GlobalAnswer check_global_access(const GlobalAccess& access, const GlobalOrder& order);

// Memory was given out anew: nobody has written it.
void forget_writes(const void* memory, size_t bytes);
// The host, a copy, or a kernel that is not checked wrote it.
void note_write(const void* memory, size_t bytes);
// A kernel ran that does not report what it writes: nothing counts as unwritten from now on.
void trust_all_memory();

// A new number for a launch's epochs, which lie this far apart.
constexpr uint32_t kEpochsOfLaunch = 1u << 10;
uint32_t first_epoch();

}  // namespace cuda_shim
