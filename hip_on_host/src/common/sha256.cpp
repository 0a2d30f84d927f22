#include "common/sha256.h"

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace cuda_shim {
namespace {

constexpr uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t rotate(uint32_t x, int by) { return (x >> by) | (x << (32 - by)); }

uint32_t big_endian_word(const unsigned char* bytes) {
    return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

void take_block(uint32_t* state, const unsigned char* block) {
    uint32_t w[64];
    for (size_t i = 0; i < 16; ++i) w[i] = big_endian_word(block + 4 * i);
    for (size_t i = 16; i < 64; ++i) {
        const uint32_t low = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >> 3);
        const uint32_t high = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + low + w[i - 7] + high;
    }
    uint32_t s[8];
    memcpy(s, state, sizeof s);
    for (size_t i = 0; i < 64; ++i) {
        const uint32_t sum1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        const uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const uint32_t first = s[7] + sum1 + choose + kRoundConstants[i] + w[i];
        const uint32_t sum0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += first;
        s[0] = first + sum0 + majority;
    }
    for (int i = 0; i < 8; ++i) state[i] += s[i];
}

#if defined(__x86_64__)
#define CUDA_SHIM_SHA_EXTENSION __attribute__((target("sha,sse4.1")))

bool has_sha_extension() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_SHA)) return false;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1) && (c & bit_SSSE3);
}

CUDA_SHIM_SHA_EXTENSION __m128i load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

// The instructions keep the words a, b, e, f in one register and c, d, g, h in the other, and do four rounds for each
// vector of four message words.
CUDA_SHIM_SHA_EXTENSION void take_blocks_by_extension(uint32_t* state, const unsigned char* blocks, size_t count) {
    const __m128i reversed = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i dcba = load(state), hgfe = load(state + 4);
    const __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1), efgh = _mm_shuffle_epi32(hgfe, 0x1B);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
    for (; count > 0; --count, blocks += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i words[4];
        for (int i = 0; i < 4; ++i) words[i] = _mm_shuffle_epi8(load(blocks + 16 * i), reversed);
        for (int four = 0; four < 16; ++four) {
            const __m128i current = words[four % 4];
            const __m128i added = _mm_add_epi32(current, load(kRoundConstants + 4 * four));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0E));
            if (four >= 12) continue;
            const __m128i next = words[(four + 1) % 4], third = words[(four + 2) % 4], fourth = words[(four + 3) % 4];
            const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(current, next), _mm_alignr_epi8(fourth, third, 4));
            words[four % 4] = _mm_sha256msg2_epu32(sum, fourth);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    auto* const words = reinterpret_cast<__m128i*>(state);
    _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}
#endif

}  // namespace

void take_blocks_portably(uint32_t* state, const unsigned char* blocks, size_t count) {
    for (size_t i = 0; i < count; ++i) take_block(state, blocks + 64 * i);
}

Sha256Blocks fastest_sha256_blocks() {
#if defined(__x86_64__)
    static const bool extension = has_sha_extension();
    if (extension) return take_blocks_by_extension;
#endif
    return take_blocks_portably;
}

Sha256::Sha256(Sha256Blocks take_blocks)
    : take_blocks_(take_blocks),
      state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::add_bytes(const void* data, size_t size) {
    const unsigned char* bytes = static_cast<const unsigned char*>(data);
    while (size > 0) {
        const size_t used = length_ % 64;
        if (used == 0 && size >= 64) {
            const size_t whole = size / 64;
            take_blocks_(state_, bytes, whole);
            length_ += whole * 64;
            bytes += whole * 64;
            size -= whole * 64;
            continue;
        }
        const size_t taken = size < 64 - used ? size : 64 - used;
        memcpy(buffer_ + used, bytes, taken);
        length_ += taken;
        bytes += taken;
        size -= taken;
        if (length_ % 64 == 0) take_blocks_(state_, buffer_, 1);
    }
}

void Sha256::add(std::string_view field) {
    const uint64_t size = field.size();
    add_bytes(&size, sizeof size);
    add_bytes(field.data(), field.size());
}

std::string Sha256::hex() {
    const uint64_t bits = length_ * 8;
    const unsigned char padding_start = 0x80, zero = 0;
    add_bytes(&padding_start, 1);
    while (length_ % 64 != 56) add_bytes(&zero, 1);
    unsigned char big_endian[8];
    for (int i = 0; i < 8; ++i) big_endian[i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
    add_bytes(big_endian, 8);
    std::string text;
    for (uint32_t word : state_)
        for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[(word >> shift) & 15];
    return text;
}

}  // namespace cuda_shim
