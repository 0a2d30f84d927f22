// Checked mode's record of each byte of global memory: whether it was ever written, and which threads of the running
// launch touched it last.
//
// Kept for pages of memory, from when they are first asked about. Memory that is not known to be unwritten counts as
// written: variables of modules, managed and host memory, which the host may write by itself.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cuda_shim {

// A thread's access to memory that all threads of a launch see.
struct GlobalTouch {
    uint32_t epoch = 0;   // the launch, and the number of barriers its grid had passed; 0: never
    uint32_t block = 0;   // linear index
    uint32_t time = 0;    // by the block's ThreadOrder
    uint32_t sync = 0;    // by the launch's LaunchSync
    uint32_t place = 0;   // return address, from the module's start
    uint32_t value = 0;   // read or written
    uint16_t thread = 0;  // linear index within its block
    bool atomic = false;
};

// The verdict on an access.
struct GlobalAnswer {
    bool unwritten = false;  // it reads, and none of its bytes was ever written
    bool conflict = false;   // with `earlier`, which nothing orders before it
    bool wrote = false;      // `earlier` was a write
    GlobalTouch earlier;
};

struct GlobalAccess {
    uintptr_t address;
    uint64_t bytes;
    bool reads;
    bool writes;
    GlobalTouch current;
};

// Decides whether an earlier access of this launch is unordered with the current one. (It is not asked where both leave
// the same value: threads that all set one flag do no harm.)
class GlobalOrder {
public:
    virtual bool conflicts(const GlobalTouch& earlier, const GlobalTouch& current) const = 0;

protected:
    ~GlobalOrder() = default;
};

// To be called when memory holds the value that was read or written.
GlobalAnswer check_global_access(const GlobalAccess& access, const GlobalOrder& order);

// The memory was allocated again: none of it is written.
void forget_writes(const void* memory, size_t bytes);
// The host, a copy, or a kernel that is not checked wrote it.
void note_write(const void* memory, size_t bytes);
// A kernel ran that does not report its writes: nothing counts as unwritten from now on.
void trust_all_memory();

// A new number for a launch's epochs, which are this far apart.
constexpr uint32_t kEpochsOfLaunch = 1u << 10;
uint32_t first_epoch();

}  // namespace cuda_shim
