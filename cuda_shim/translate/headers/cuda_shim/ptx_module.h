// Functions that translated PTX modules call besides instructions: CUDA's own for printing, allocating and assertions.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_memory.h>
#if defined(__AMDGCN__)
#include <cuda_shim/statements.h>
#endif

namespace cuda_shim_ptx {

CUDA_SHIM_PTX unsigned long long allocate(unsigned long long bytes) { return (unsigned long long)malloc(bytes); }
CUDA_SHIM_PTX void release(unsigned long long at) { free((void*)at); }

static __device__ __attribute__((unused)) bool is_conversion(char c) {
    for (const char* known = "diouxXeEfFgGaAcsp"; *known; ++known)
        if (*known == c) return true;
    return false;
}
// One conversion of a format: its characters, those behind it up to the next one included.
struct piece {
    char text[256];
    int stars;
    char kind;
    bool wide;
};
static __device__ __attribute__((noinline, unused)) const char* next_piece(const char* format, piece& found) {
    int length = 0, conversions = 0;
    found.stars = 0;
    found.kind = 0;
    found.wide = false;
    while (*format && length < 240) {
        if (*format == '%' && format[1] == '%') {
            found.text[length++] = *format++;
            found.text[length++] = *format++;
            continue;
        }
        if (*format == '%') {
            if (conversions++) break;
            found.text[length++] = *format++;
            while (*format && length < 240) {
                const char c = *format++;
                found.text[length++] = c;
                if (c == '*') ++found.stars;
                if (c == 'l' || c == 'j' || c == 'z' || c == 't') found.wide = true;
                if ((c >= 'a' && c <= 'z' && c != 'l' && c != 'h' && c != 'j' && c != 'z' && c != 't') || (c >= 'A' && c <= 'Z' && c != 'L')) {
                    found.kind = is_conversion(c) ? c : 0;  // any other takes no argument
                    break;
                }
            }
            continue;
        }
        found.text[length++] = *format++;
    }
    found.text[length] = 0;
    return format;
}
// vprintf: the arguments are consecutive in memory, like C's variable arguments, each aligned to its size.
static __device__ __attribute__((noinline, unused)) unsigned print(unsigned long long format, unsigned long long arguments) {
    const char* rest = (const char*)format;
    unsigned long long at = arguments;
    unsigned count = 0;
    while (*rest) {
        piece found;
        rest = next_piece(rest, found);
        int stars[2] = {0, 0};
        for (int i = 0; i < found.stars && i < 2; ++i, at += 4) stars[i] = *(const int*)at;
        const char kind = found.kind;
        const bool real = kind == 'e' || kind == 'f' || kind == 'g' || kind == 'a' || kind == 'E' || kind == 'F' || kind == 'G' || kind == 'A';
        const bool eight = real || found.wide || kind == 's' || kind == 'p';
        if (kind) at = eight ? (at + 7) & ~7ull : at;
#define CUDA_SHIM_PTX_PRINT(value)                                       \
    (found.stars == 0   ? printf(found.text, value)                      \
     : found.stars == 1 ? printf(found.text, stars[0], value)            \
                        : printf(found.text, stars[0], stars[1], value))
        if (!kind) printf(found.text, 0);
        else if (real) CUDA_SHIM_PTX_PRINT(*(const double*)at);
        else if (kind == 's') CUDA_SHIM_PTX_PRINT(*(const char* const*)at);
        else if (eight) CUDA_SHIM_PTX_PRINT(*(const long long*)at);
        else CUDA_SHIM_PTX_PRINT(*(const int*)at);
#undef CUDA_SHIM_PTX_PRINT
        if (kind) at += eight ? 8 : 4, count += found.stars + 1;
    }
    return count;
}

static __device__ __attribute__((noinline, unused)) void assertion_failed(
    unsigned long long message, unsigned long long file, unsigned line, unsigned long long function, unsigned long long) {
#if defined(__AMDGCN__)
    cuda_on_hip_assert_fail((const char*)message, (const char*)file, (int)line, (const char*)function);
#else
    cuda_shim_assert_failed((const char*)message, (const char*)file, (int)line, (const char*)function, blockIdx, threadIdx);
#endif
}

}  // namespace cuda_shim_ptx
