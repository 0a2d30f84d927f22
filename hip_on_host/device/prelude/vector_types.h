// CUDA's short vector types with CUDA's sizes and alignments, and dim3.
#pragma once

#ifndef CUDA_SHIM_CUDA  // NVRTC leaves these names to its programs
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long long longlong;
typedef unsigned long long ulonglong;
#endif

// Vectors of 1 and 3 are aligned as their element, of 2 and 4 as their size, but never by more than 16 bytes.
#define CUDA_SHIM_VECTOR(T, name, align2, align4)                                                     \
    struct name##1 { typedef T cuda_shim_element; enum { cuda_shim_lanes = 1 }; T x; };                \
    struct CUDA_SHIM_ALIGNED(align2) name##2 {                                                        \
        typedef T cuda_shim_element; enum { cuda_shim_lanes = 2 }; T x, y; };                          \
    struct name##3 { typedef T cuda_shim_element; enum { cuda_shim_lanes = 3 }; T x, y, z; };          \
    struct CUDA_SHIM_ALIGNED(align4) name##4 {                                                        \
        typedef T cuda_shim_element; enum { cuda_shim_lanes = 4 }; T x, y, z, w; };                    \
    CUDA_SHIM_INLINE constexpr name##1 make_##name##1(T x) { return name##1{x}; }                      \
    CUDA_SHIM_INLINE constexpr name##2 make_##name##2(T x, T y) { return name##2{x, y}; }              \
    CUDA_SHIM_INLINE constexpr name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }      \
    CUDA_SHIM_INLINE constexpr name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }

CUDA_SHIM_VECTOR(signed char, char, 2, 4)
CUDA_SHIM_VECTOR(unsigned char, uchar, 2, 4)
CUDA_SHIM_VECTOR(short, short, 4, 8)
CUDA_SHIM_VECTOR(unsigned short, ushort, 4, 8)
CUDA_SHIM_VECTOR(int, int, 8, 16)
CUDA_SHIM_VECTOR(unsigned int, uint, 8, 16)
CUDA_SHIM_VECTOR(long, long, 16, 16)
CUDA_SHIM_VECTOR(unsigned long, ulong, 16, 16)
CUDA_SHIM_VECTOR(long long, longlong, 16, 16)
CUDA_SHIM_VECTOR(unsigned long long, ulonglong, 16, 16)
CUDA_SHIM_VECTOR(float, float, 8, 16)
CUDA_SHIM_VECTOR(double, double, 16, 16)

// CUDA 13's vectors of four with their alignment in the name.
#if !defined(CUDA_SHIM_CUDA) || CUDA_SHIM_CUDA >= 13000
#define CUDA_SHIM_ALIGNED_VECTOR(T, name, bytes)                                                      \
    struct CUDA_SHIM_ALIGNED(bytes) name##4_##bytes##a {                                              \
        typedef T cuda_shim_element; enum { cuda_shim_lanes = 4 }; T x, y, z, w; };                    \
    CUDA_SHIM_INLINE constexpr name##4_##bytes##a make_##name##4_##bytes##a(T x, T y, T z, T w) {      \
        return name##4_##bytes##a{x, y, z, w}; }
#define CUDA_SHIM_ALIGNED_VECTORS(T, name) \
    CUDA_SHIM_ALIGNED_VECTOR(T, name, 16) CUDA_SHIM_ALIGNED_VECTOR(T, name, 32)
CUDA_SHIM_ALIGNED_VECTORS(long, long)
CUDA_SHIM_ALIGNED_VECTORS(unsigned long, ulong)
CUDA_SHIM_ALIGNED_VECTORS(long long, longlong)
CUDA_SHIM_ALIGNED_VECTORS(unsigned long long, ulonglong)
CUDA_SHIM_ALIGNED_VECTORS(double, double)
#endif

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};
