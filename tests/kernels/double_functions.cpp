// Every double function that the prelude writes out, beside the C library's of long doubles: the greatest error of a
// result in units in the last place, and the number of results that are wrong otherwise (an infinite one, a zero's
// sign, a NaN).
//
//     double_functions COUNT     arguments of each function: random ones of all sizes, ordinary ones, and special ones
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "qualifiers.h"
#include "types_traits.h"
#include "float_coefficients.h"
#include "float_exponentials.h"
#include "float_angles.h"
#include "double_coefficients.h"
#include "double_exponentials.h"
#include "double_angles.h"

namespace {

struct Errors {
    double ulps = 0;
    uint64_t wrong = 0;
    double worst[2] = {};

    void compare(double value, long double exact, double x, double y) {
        const double rounded = static_cast<double>(exact);
        if (std::isnan(rounded) || std::isnan(value)) return add(std::isnan(rounded) == std::isnan(value) ? 0 : -1, x, y);
        if (rounded == 0 && value == 0) return add(std::signbit(rounded) == std::signbit(value) ? 0 : -1, x, y);
        if (std::isinf(rounded) != std::isinf(value)) {
            // At the edge of a double's range both are right.
            const long double edge = 0x1p1024L - 0x1p970L;
            return add(std::fabs(std::fabs(exact) - edge) < 0x1p971L ? 0.5 : -1, x, y);
        }
        if (std::isinf(rounded)) return add(value == rounded ? 0 : -1, x, y);
        int exponent = 0;
        std::frexp(exact, &exponent);
        const long double unit = std::ldexp(1.0L, exponent - 53 < -1074 ? -1074 : exponent - 53);
        add(static_cast<double>(std::fabs(value - exact) / unit), x, y);
    }
    void add(double error, double x, double y) {
        if (error < 0) ++wrong;
        if (error < 0 || error > ulps) worst[0] = x, worst[1] = y;
        if (error > ulps) ulps = error;
    }
    void print(const char* name) const {
        std::printf("%s %.4f %llu %a %a\n", name, ulps, static_cast<unsigned long long>(wrong), worst[0], worst[1]);
    }
};

uint64_t next_random() {
    static uint64_t state = 88172645463325252ull;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 2685821657736338717ull;
}
double between(double low, double high) { return low + (high - low) * static_cast<double>(next_random() >> 11) * 0x1p-53; }

double of_any_size() {
    const uint64_t bits = next_random();
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

const double kSpecial[] = {0.0, 1.0, 0.5, 2.0, 3.0, 0.25, 10.0, 1e-5, 5e-324, 0x1p-1022, 0x1.fffffffffffffp+1023, HUGE_VAL, NAN,
                           0x1.fffffffffffffp-1, 0x1.0000000000001p+0, 0x1p52, 0x1p53, 0x1.0000000000001p53, 709.78, 745.13, 1024.0,
                           1074.0, 1075.0, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p-1, 0x1.6ac7f03p+932, 1e22, 0x1p1000};

template <class Ours, class Theirs>
void one(const char* name, long count, double low, double high, Ours ours, Theirs theirs) {
    std::vector<double> arguments;
    for (double x : kSpecial) arguments.push_back(x), arguments.push_back(-x);
    for (long at = 0; at < count; ++at) arguments.push_back(at % 4 == 0 ? of_any_size() : between(low, high));
    std::vector<double> results(arguments.size());
    for (size_t at = 0; at < arguments.size(); ++at) results[at] = ours(arguments[at]);  // in vectors
    Errors errors;
    for (size_t at = 0; at < arguments.size(); ++at)
        errors.compare(results[at], theirs(static_cast<long double>(arguments[at])), arguments[at], 0);
    errors.print(name);
}

template <class Ours, class Theirs> void two(const char* name, long count, Ours ours, Theirs theirs) {
    Errors errors;
    for (double x : kSpecial)
        for (double y : kSpecial)
            for (int signs = 0; signs < 4; ++signs) {
                const double a = signs & 1 ? -x : x, b = signs & 2 ? -y : y;
                errors.compare(ours(a, b), theirs(static_cast<long double>(a), static_cast<long double>(b)), a, b);
            }
    for (long at = 0; at < count; ++at) {
        double x = between(0, 4), y = between(-40, 40);
        if (at % 4 == 1) x = std::exp(between(-700, 700)), y = between(-1.1, 1.1);
        if (at % 4 == 2) x = 1 + between(-1e-3, 1e-3), y = between(-7e5, 7e5);
        if (at % 4 == 3) x = of_any_size(), y = at % 8 == 3 ? of_any_size() : std::rint(between(-9, 9));
        errors.compare(ours(x, y), theirs(static_cast<long double>(x), static_cast<long double>(y)), x, y);
    }
    errors.print(name);
}

}  // namespace

int main(int, char** arguments) {
    const long count = std::atol(arguments[1]);
#define ONE(name, low, high) \
    one(#name, count, low, high, [](double x) { return name(x); }, [](long double x) { return name##l(x); });
    ONE(exp, -750, 715)
    ONE(exp2, -1080, 1030)
    one("exp10", count, -325, 310, [](double x) { return cuda_shim_double_exp10(x); }, [](long double x) { return exp10l(x); });
    ONE(log, 0.5, 2)
    ONE(log2, 0.5, 2)
    ONE(log10, 0.5, 2)
#ifdef CUDA_SHIM_CLANG
    ONE(sin, -10, 10)
    ONE(cos, -10, 10)
#endif
    two("pow", count, [](double x, double y) { return cuda_shim_double_pow(x, y); }, [](long double x, long double y) { return powl(x, y); });
}
