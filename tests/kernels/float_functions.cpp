// Every float function that the prelude writes out, beside the C library's in double precision: the greatest error of a
// result in units in the last place, and the number of results that are wrong otherwise (an infinite one, a zero's
// sign, a NaN).
//
//     float_functions STEP     takes every STEP-th float, and of two arguments as many pairs
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "qualifiers.h"
#include "types_traits.h"
#include "float_coefficients.h"
#include "float_exponentials.h"
#include "float_angles.h"

namespace {

struct Found {
    double ulps = 0;
    uint64_t wrong = 0;
    float worst[2] = {};

    void compare(float value, double wanted, float x, float y) {
        const float rounded = static_cast<float>(wanted);
        if (std::isnan(rounded) || std::isnan(value)) return add(std::isnan(rounded) == std::isnan(value) ? 0 : -1, x, y);
        if (rounded == 0 && value == 0) return add(std::signbit(rounded) == std::signbit(value) ? 0 : -1, x, y);
        if (std::isinf(rounded) != std::isinf(value)) {
            // At the edge of a float's range both are right.
            const double edge = 0x1p128 - 0x1p103;
            return add(std::fabs(std::fabs(wanted) - edge) < 0x1p100 ? 0.5 : -1, x, y);
        }
        if (std::isinf(rounded)) return add(value == rounded ? 0 : -1, x, y);
        int exponent = 0;
        std::frexp(wanted, &exponent);
        const double unit = std::ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
        add(std::fabs(value - wanted) / unit, x, y);
    }
    void add(double error, float x, float y) {
        if (error < 0) ++wrong;
        if (error < 0 || error > ulps) worst[0] = x, worst[1] = y;
        if (error > ulps) ulps = error;
    }
};

float of_bits(uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

void said(const char* name, const Found& found) {
    std::printf("%s %.4f %llu %a %a\n", name, found.ulps, static_cast<unsigned long long>(found.wrong), found.worst[0],
                found.worst[1]);
}

template <class Ours, class Theirs> void one(const char* name, uint64_t step, Ours ours, Theirs theirs) {
    Found found;
    constexpr int kSide = 64;
    float x[kSide], y[kSide];
    for (uint64_t first = 0; first < uint64_t{1} << 32; first += kSide * step) {
        for (int i = 0; i < kSide; ++i) x[i] = of_bits(static_cast<uint32_t>(first + i * step));
        for (int i = 0; i < kSide; ++i) y[i] = ours(x[i]);
        for (int i = 0; i < kSide; ++i) found.compare(y[i], theirs(static_cast<double>(x[i])), x[i], 0);
    }
    said(name, found);
}

// Pairs of random floats, every other one of ordinary size, and of special values.
template <class Ours, class Theirs> void two(const char* name, uint64_t step, Ours ours, Theirs theirs) {
    Found found;
    const float special[] = {0.0f,  -0.0f, 1.0f,  -1.0f, INFINITY, -INFINITY, NAN,     2.0f,        -2.0f,   3.0f,
                             -3.0f, 0.5f,  -0.5f, 1.5f,  -1.5f,    1e-40f,    -1e-40f, 16777217.0f, 3.4e38f, -3.4e38f};
    for (float x : special)
        for (float y : special) found.compare(ours(x, y), theirs(static_cast<double>(x), static_cast<double>(y)), x, y);
    uint64_t state = 88172645463325252u;
    for (uint64_t i = 0; i < uint64_t{1} << 32; i += step) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        float x = of_bits(static_cast<uint32_t>(state)), y = of_bits(static_cast<uint32_t>(state >> 32));
        if (i / step % 2) {
            x = std::ldexp(1.0f + static_cast<float>(state % 8388608) / 8388608, static_cast<int>(state >> 40 & 7) - 4);
            y = std::ldexp(static_cast<float>(static_cast<int32_t>(state >> 32)), -26);
        }
        found.compare(ours(x, y), theirs(static_cast<double>(x), static_cast<double>(y)), x, y);
    }
    said(name, found);
}

}  // namespace

#define COMPARED(name) \
    one(#name, step, [](float x) { return ::name##f(x); }, [](double x) { return std::name(x); });
#define COMPARED_2(name) \
    two(#name, step, [](float x, float y) { return ::name##f(x, y); }, [](double x, double y) { return std::name(x, y); });

int main(int, char** words) {
    const uint64_t step = std::strtoull(words[1], nullptr, 10);
    COMPARED(exp)
    COMPARED(exp2)
    COMPARED(expm1)
    COMPARED(log)
    COMPARED(log2)
    COMPARED(log10)
    COMPARED(log1p)
    COMPARED(sinh)
    COMPARED(cosh)
    COMPARED(tanh)
    COMPARED(asinh)
    COMPARED(acosh)
    COMPARED(atanh)
    COMPARED(sin)
    COMPARED(cos)
    COMPARED(tan)
    COMPARED(asin)
    COMPARED(acos)
    COMPARED(atan)
    COMPARED(erf)
    COMPARED(erfc)
    COMPARED_2(pow)
    COMPARED_2(atan2)
}
