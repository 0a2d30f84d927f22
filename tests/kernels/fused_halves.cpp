// The prelude's fused operation of halves beside the same in integers: the number of results that differ.
//
//     fused_halves COUNT     random operands, of which a part lies close to a tie
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "qualifiers.h"
#include "types_traits.h"
#include "half_arithmetic.h"

namespace {

constexpr unsigned kInfinity = 0x7c00;

bool is_nan(unsigned h) { return (h & 0x7fff) > kInfinity; }
bool is_infinite(unsigned h) { return (h & 0x7fff) == kInfinity; }

// A finite half in units of 2^-24.
int64_t units(unsigned h) {
    const int exponent = h >> 10 & 31;
    const int64_t fraction = h & 0x3ff, size = exponent ? (fraction | 0x400) << (exponent - 1) : fraction;
    return h & 0x8000 ? -size : size;
}

// A number in units of 2^-48, rounded to the nearest half, ties to even. A zero has the sign given.
unsigned rounded(__int128 number, bool negative_zero) {
    if (number == 0) return negative_zero ? 0x8000 : 0;
    const unsigned sign = number < 0 ? 0x8000 : 0;
    const unsigned __int128 size = number < 0 ? -static_cast<unsigned __int128>(number) : number;
    int lost = 24;  // bits below the last one of a half
    while (size >> lost >= 0x800) ++lost;
    unsigned __int128 kept = size >> lost;
    const unsigned __int128 rest = size - (kept << lost), tie = static_cast<unsigned __int128>(1) << (lost - 1);
    if (rest > tie || (rest == tie && (kept & 1))) ++kept;
    // A carry into the exponent comes out right, since the fields are adjacent.
    const unsigned __int128 bits = (static_cast<unsigned __int128>(lost - 24) << 10) + kept;
    return sign | (bits >= kInfinity ? kInfinity : static_cast<unsigned>(bits));
}

unsigned expected(unsigned a, unsigned b, unsigned c) {
    const unsigned sign = (a ^ b) & 0x8000, not_a_number = 0x7e00;
    if (is_nan(a) || is_nan(b) || is_nan(c)) return not_a_number;
    if (is_infinite(a) || is_infinite(b)) {
        if (units(is_infinite(a) ? b : a) == 0 && !is_infinite(is_infinite(a) ? b : a)) return not_a_number;
        return is_infinite(c) && (c & 0x8000) != sign ? not_a_number : sign | kInfinity;
    }
    if (is_infinite(c)) return c;
    const bool negative_zero = sign && (c & 0x8000);
    return rounded(static_cast<__int128>(units(a)) * units(b) + (static_cast<__int128>(units(c)) << 24), negative_zero);
}

uint64_t next_random(uint64_t& state) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

// Operands whose sum is within some units of a tie: a product that is half a unit of the third, more or less.
void near_tie(uint64_t random, unsigned& a, unsigned& b, unsigned& c) {
    const unsigned exponent = 12 + random % 18;
    c = (exponent << 10) | (random >> 8 & 0x83ff);
    b = (15u << 10) | (random >> 24 & 3);
    a = ((exponent - 11) << 10) | (random >> 32 & 0x8003);
}

}  // namespace

int main(int, char** arguments) {
    const long count = std::atol(arguments[1]);
    uint64_t state = 88172645463325252ull;
    long wrong = 0;
    for (long at = 0; at < count; ++at) {
        const uint64_t random = next_random(state);
        unsigned a = random & 0xffff, b = random >> 16 & 0xffff, c = random >> 32 & 0xffff;
        if (at % 4 == 0) near_tie(random, a, b, c);
        const unsigned result = cuda_shim_fused_half(static_cast<unsigned short>(a), static_cast<unsigned short>(b),
                                                     static_cast<unsigned short>(c));
        const unsigned exact = expected(a, b, c);
        if (is_nan(exact) ? is_nan(result) : result == exact) continue;
        if (wrong++ < 5) std::printf("%04x * %04x + %04x: %04x and not %04x\n", a, b, c, result, exact);
    }
    std::printf("%ld\n", wrong);
}
