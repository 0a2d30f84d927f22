// SHA-256, for the names of cache entries: programs differ in one character, and two must never share an entry.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace cuda_shim {

class Sha256 {
public:
    Sha256();
    void add_bytes(const void* data, size_t size);
    // Adds a field with its length in front, so that ("ab", "c") and ("a", "bc") differ.
    void add(std::string_view field);
    std::string hex();  // finishes; use the object no further

private:
    void process_block(const unsigned char* block);

    uint32_t state_[8];
    unsigned char buffer_[64];
    uint64_t length_ = 0;
};

}  // namespace cuda_shim
