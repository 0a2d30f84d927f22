// SHA-256, for the names of cache entries: programs differ in one character, and two must never share an entry.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cuda_shim {

// Takes `count` blocks of 64 bytes into a state of eight words.
using Sha256Blocks = void (*)(uint32_t* state, const unsigned char* blocks, size_t count);
void take_blocks_portably(uint32_t* state, const unsigned char* blocks, size_t count);
// The fastest that this processor has.
Sha256Blocks fastest_sha256_blocks();

class Sha256 {
public:
    explicit Sha256(Sha256Blocks take_blocks = fastest_sha256_blocks());
    void add_bytes(const void* data, size_t size);
    // Adds a field with its length in front, so that ("ab", "c") and ("a", "bc") differ.
    void add(std::string_view field);
    std::string hex();  // finishes; use the object no further

private:
    const Sha256Blocks take_blocks_;
    uint32_t state_[8];
    unsigned char buffer_[64];
    uint64_t length_ = 0;
};

}  // namespace cuda_shim
