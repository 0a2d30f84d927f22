// CUDA's integer functions that HIP lacks, or computes in signed numbers that overflow: dot products of small
// integers, sums of distances, minima and maxima by type.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

template <class Lane, class Word, class Sum> CUDA_ON_HIP_DEVICE Sum cuda_on_hip_dot4(Word a, Word b, Sum sum) {
#pragma unroll
    for (int shift = 0; shift < 32; shift += 8) sum += (Sum)(Lane)(a >> shift) * (Sum)(Lane)(b >> shift);
    return sum;
}
CUDA_ON_HIP_DEVICE int cuda_on_hip_dp4a(int a, int b, int c) { return cuda_on_hip_dot4<signed char>(a, b, c); }
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_dp4a(unsigned a, unsigned b, unsigned c) {
    return cuda_on_hip_dot4<unsigned char>(a, b, c);
}
CUDA_ON_HIP_DEVICE int cuda_on_hip_dp4a(char4 a, char4 b, int c) {
    return cuda_on_hip_dp4a(cuda_on_hip_bits<int>(a), cuda_on_hip_bits<int>(b), c);
}
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_dp4a(uchar4 a, uchar4 b, unsigned c) {
    return cuda_on_hip_dp4a(cuda_on_hip_bits<unsigned>(a), cuda_on_hip_bits<unsigned>(b), c);
}
// Two 16-bit lanes of `a` times the lower or upper two bytes of `b`.
CUDA_ON_HIP_DEVICE int cuda_on_hip_dp2a_lo(int a, int b, int c) {
    return c + (short)a * (signed char)b + (short)(a >> 16) * (signed char)(b >> 8);
}
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_dp2a_lo(unsigned a, unsigned b, unsigned c) {
    return c + (a & 0xffffu) * (b & 0xffu) + (a >> 16) * ((b >> 8) & 0xffu);
}
CUDA_ON_HIP_DEVICE int cuda_on_hip_dp2a_hi(int a, int b, int c) { return cuda_on_hip_dp2a_lo(a, b >> 16, c); }
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_dp2a_hi(unsigned a, unsigned b, unsigned c) {
    return cuda_on_hip_dp2a_lo(a, b >> 16, c);
}

// The distance of two numbers is unsigned: a signed difference may overflow.
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_sad(int a, int b, unsigned c) {
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }

CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_umin(unsigned a, unsigned b) { return a < b ? a : b; }
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_umax(unsigned a, unsigned b) { return a > b ? a : b; }
CUDA_ON_HIP_DEVICE long long cuda_on_hip_llmin(long long a, long long b) { return a < b ? a : b; }
CUDA_ON_HIP_DEVICE long long cuda_on_hip_llmax(long long a, long long b) { return a > b ? a : b; }
CUDA_ON_HIP_DEVICE unsigned long long cuda_on_hip_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
CUDA_ON_HIP_DEVICE unsigned long long cuda_on_hip_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
