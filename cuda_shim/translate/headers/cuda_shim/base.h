// The first header of every translated program for an AMD GPU: the macros that CUDA sources test, and bit casts.
//
// HIP's built-in header has been read before it. Names here begin with cuda_on_hip_, and the names of CUDA that HIP
// lacks are macros for them, so that they do not clash with a later HIP that defines such a name.
#pragma once
#pragma GCC system_header

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_RTC__ 1
// Sources choose by it between the device's functions and replacements of their own, which would clash with HIP's.
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#endif
#ifndef CUDART_VERSION
#define CUDART_VERSION 12090
#endif
#ifndef CUDA_VERSION
#define CUDA_VERSION CUDART_VERSION
#endif
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ ((CUDART_VERSION % 1000) / 10)
#endif

#define CUDA_ON_HIP_DEVICE static __device__ __inline__ __attribute__((always_inline))

// The bits of `value` as another type of the same size.
template <class To, class From> CUDA_ON_HIP_DEVICE To cuda_on_hip_bits(const From& value) {
    static_assert(sizeof(To) == sizeof(From), "bits are taken between types of one size");
    To result;
    __builtin_memcpy(&result, &value, sizeof(To));
    return result;
}

template <bool Condition, class A, class B> struct cuda_on_hip_choose {
    using type = A;
};
template <class A, class B> struct cuda_on_hip_choose<false, A, B> {
    using type = B;
};
