// SHA-256 by the processor's instructions and without them; the digests are those of Python's hashlib.
#include "common/sha256.h"

#include <string>

#include "check.h"

using cuda_shim::Sha256;
using cuda_shim::Sha256Blocks;

namespace {

struct Digest {
    size_t bytes;
    const char* hex;
};
constexpr Digest kDigests[] = {
    {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {1, "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a"},
    {3, "954df99aa31cb7aa6539fdd94146420e8814e17555fd7ea27de5003bfc22fcd9"},
    {55, "e85c858e66e19ba1fb234b332454cbb84fa743c7c03a984fd12452744b47ca3e"},
    {56, "9217f8f421719f796b57c559e0efcfb2f4b7add355ca9366f8ae4889c429c9ad"},
    {57, "f0538b3c3259ec8c94c146bc8c1facf2740916621e994cb924c026a1076c6188"},
    {63, "144c7ef6716ab705265b3e4cd895b6735e9fb3cadc90ecced352a6d3059bb87e"},
    {64, "2c13ec6e07db01afaf288c5301ec44cc69ce9d0994b96433c7bd3c804bd0236e"},
    {65, "4e24f0408c6b0b804abae773fb5fda11368750dd538d22998e57e9f32c53b831"},
    {119, "fe300c77825f7679bf4542afd1a868c0a2d4c0391335a9c08ba903a2b04d82ca"},
    {120, "ea6e5906a955498c08fa92b1ba05020dff711746517fadf9f96101f67d540908"},
    {127, "a1ded080955254e2f4b167cb262ec686025350c7195a1654f5d8499b17814ffc"},
    {128, "f40761f04f57375a6c95d95fb96796ca70053f12d9ff69c4c04f2e2ad0199cf5"},
    {129, "4c40f8582bc14d844758c10ccec4ce5f81412e0069665c270e2b80a0aafe741b"},
    {1000, "eaa1a473ad639f3b77a15eb107b37f2412395fe0928008f0e65fc68e9bf1de76"},
    {100000, "f70512b27e70919e87367f882a3748e7bf44f5587103fd85e146aa7c8e3a9d08"},
};

std::string message(size_t bytes) {
    std::string text;
    for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(i * i * 7 + i * 31 + bytes);
    return text;
}

std::string digest(Sha256Blocks take_blocks, const std::string& text, size_t piece) {
    Sha256 hash(take_blocks);
    for (size_t begin = 0; begin < text.size(); begin += piece)
        hash.add_bytes(text.data() + begin, text.size() - begin < piece ? text.size() - begin : piece);
    return hash.hex();
}

void check_digests(Sha256Blocks take_blocks) {
    for (const Digest& expected : kDigests) {
        const std::string text = message(expected.bytes);
        for (size_t piece : {size_t{1}, size_t{7}, size_t{64}, size_t{100}, text.size() + 1})
            CHECK(digest(take_blocks, text, piece) == expected.hex);
    }
}

}  // namespace

CASE(digests_without_the_instructions) { check_digests(cuda_shim::take_blocks_portably); }

CASE(digests_by_the_fastest_way) { check_digests(cuda_shim::fastest_sha256_blocks()); }
