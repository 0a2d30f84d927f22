// The place of a running kernel: an instruction and the calls that led to it. Collected where nothing may be allocated,
// on stacks that are left right after.
#pragma once
#include <cstdint>

namespace cuda_shim {

struct CallChain {
    static constexpr unsigned kMaxCalls = 48;

    // Addresses behind the instructions, innermost first.
    uintptr_t places[kMaxCalls];
    unsigned count = 0;
    int thread = -1;  // linear index within its block; -1: the running thread

    // Follows frame pointers upwards from `frame`, that of the function which contains `place`, as long as they are
    // below `limit`, the top of the stack. A limit of 0 follows none.
    void collect(uintptr_t place, uintptr_t frame, uintptr_t limit) {
        places[0] = place;
        count = 1;
        // A frame begins with the caller's frame pointer, followed by the return address.
        while (count < kMaxCalls && frame % sizeof(void*) == 0 && frame != 0 && frame + 2 * sizeof(void*) <= limit) {
            const auto* saved = reinterpret_cast<const uintptr_t*>(frame);
            places[count++] = saved[1];
            if (saved[0] <= frame) break;
            frame = saved[0];
        }
    }
};

}  // namespace cuda_shim
