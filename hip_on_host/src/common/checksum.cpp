#include "common/checksum.h"

#include <string.h>

namespace cuda_shim {
namespace {

constexpr uint64_t kOdd = 0x9E3779B97F4A7C15u;

// One step, a bijection of the state: after a changed word, the unchanged rest cannot restore the state.
uint64_t mix(uint64_t state, uint64_t word) {
    state = (state ^ word) * kOdd;
    return state ^ (state >> 29);
}

}  // namespace

uint64_t checksum(const void* data, size_t bytes, uint64_t seed) {
    constexpr size_t kLanes = 4;
    const char* from = static_cast<const char*>(data);
    // Several sums side by side: the processor works on them at once.
    uint64_t lanes[kLanes] = {seed + 1, seed + 2, seed + 3, seed + 4};
    size_t at = 0;
    for (; at + sizeof lanes <= bytes; at += sizeof lanes) {
        uint64_t words[kLanes];
        memcpy(words, from + at, sizeof words);
        for (size_t i = 0; i < kLanes; ++i) lanes[i] = mix(lanes[i], words[i]);
    }
    char rest[sizeof lanes] = {};
    if (at < bytes) memcpy(rest, from + at, bytes - at);
    uint64_t words[kLanes];
    memcpy(words, rest, sizeof words);
    uint64_t sum = mix(kOdd, bytes);
    for (size_t i = 0; i < kLanes; ++i) sum = mix(sum, mix(lanes[i], words[i]));
    return sum ? sum : 1;
}

}  // namespace cuda_shim
