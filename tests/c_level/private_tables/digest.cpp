// Prints the keyed digest of the bytes on stdin, under the key of 16 bytes that they begin with, and the plain digest.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "md2.h"

namespace {

void print(const uint8_t (&digest)[Md2::size]) {
    for (uint8_t byte : digest) std::printf("%02x", byte);
    std::printf("\n");
}

}  // namespace

int main() {
    uint8_t key[Md2::size];
    if (std::fread(key, 1, sizeof key, stdin) != sizeof key) return 1;
    uint8_t text[4096];
    const size_t length = std::fread(text, 1, sizeof text, stdin);
    uint8_t digest[Md2::size];
    KeyedMd2 keyed(key);
    keyed.add(text, length);
    keyed.finish(digest);
    print(digest);
    Md2 plain;
    plain.add(text, length);
    plain.finish(digest);
    print(digest);
    return 0;
}
