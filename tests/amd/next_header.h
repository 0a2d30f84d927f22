
// Names as AMD's next built-in headers of hiprtc bring them: bfloat16, eight-bit floats, and reductions and scans of groups.
//
// Declarations alone, written for this test from the names in HIP's documentation; it is enough that they are there.

struct __hip_bfloat16_raw { unsigned short x; };
struct __hip_bfloat162_raw { unsigned short x, y; };
struct __hip_bfloat16 {
    unsigned short __x;
    __device__ operator float() const;
};
struct __hip_bfloat162 {
    __hip_bfloat16 x, y;
};
typedef __hip_bfloat16 hip_bfloat16_t;

#define NEXT_CONVERSIONS(type, name)                              \
    __device__ __hip_bfloat16 __##name##2bfloat16(type);          \
    __device__ __hip_bfloat16 __##name##2bfloat16_rn(type);       \
    __device__ __hip_bfloat16 __##name##2bfloat16_rz(type);       \
    __device__ __hip_bfloat16 __##name##2bfloat16_ru(type);       \
    __device__ __hip_bfloat16 __##name##2bfloat16_rd(type);       \
    __device__ type __bfloat162##name(__hip_bfloat16);            \
    __device__ type __bfloat162##name##_rn(__hip_bfloat16);       \
    __device__ type __bfloat162##name##_rz(__hip_bfloat16);
NEXT_CONVERSIONS(float, float)
NEXT_CONVERSIONS(double, double)
NEXT_CONVERSIONS(int, int)
NEXT_CONVERSIONS(unsigned, uint)
NEXT_CONVERSIONS(short, short)
NEXT_CONVERSIONS(unsigned short, ushort)
NEXT_CONVERSIONS(long long, ll)
NEXT_CONVERSIONS(unsigned long long, ull)
#undef NEXT_CONVERSIONS
__device__ __hip_bfloat16 __ushort_as_bfloat16(unsigned short);
__device__ __hip_bfloat16 __short_as_bfloat16(short);
__device__ unsigned short __bfloat16_as_ushort(__hip_bfloat16);
__device__ short __bfloat16_as_short(__hip_bfloat16);
__device__ signed char __bfloat162char_rz(__hip_bfloat16);
__device__ unsigned char __bfloat162uchar_rz(__hip_bfloat16);
__device__ __hip_bfloat162 __float2bfloat162_rn(float);
__device__ __hip_bfloat162 __floats2bfloat162_rn(float, float);
__device__ __hip_bfloat162 __float22bfloat162_rn(float2);
__device__ float2 __bfloat1622float2(__hip_bfloat162);
__device__ __hip_bfloat162 __halves2bfloat162(__hip_bfloat16, __hip_bfloat16);
__device__ __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16);
__device__ __hip_bfloat162 make_bfloat162(__hip_bfloat16, __hip_bfloat16);
__device__ __hip_bfloat16 __low2bfloat16(__hip_bfloat162);
__device__ __hip_bfloat16 __high2bfloat16(__hip_bfloat162);
__device__ __hip_bfloat162 __low2bfloat162(__hip_bfloat162);
__device__ __hip_bfloat162 __high2bfloat162(__hip_bfloat162);
__device__ __hip_bfloat162 __lows2bfloat162(__hip_bfloat162, __hip_bfloat162);
__device__ __hip_bfloat162 __highs2bfloat162(__hip_bfloat162, __hip_bfloat162);
__device__ float __low2float(__hip_bfloat162);
__device__ float __high2float(__hip_bfloat162);

#define NEXT_BINARY(name)                                               \
    __device__ __hip_bfloat16 name(__hip_bfloat16, __hip_bfloat16);     \
    __device__ __hip_bfloat162 name##2(__hip_bfloat162, __hip_bfloat162);
NEXT_BINARY(__hadd)
NEXT_BINARY(__hsub)
NEXT_BINARY(__hmul)
NEXT_BINARY(__hdiv)
NEXT_BINARY(__hmax)
NEXT_BINARY(__hmin)
NEXT_BINARY(__hadd_rn)
NEXT_BINARY(__hadd_sat)
#undef NEXT_BINARY
__device__ __half __hmax(__half, __half);
__device__ __half2 __hmax2(__half2, __half2);
__device__ __hip_bfloat16 __hfma(__hip_bfloat16, __hip_bfloat16, __hip_bfloat16);
__device__ __hip_bfloat16 __habs(__hip_bfloat16);
__device__ __hip_bfloat16 __hneg(__hip_bfloat16);
__device__ bool __hisnan(__hip_bfloat16);
__device__ __hip_bfloat16 hexp(__hip_bfloat16);
__device__ __hip_bfloat16 hlog(__hip_bfloat16);
__device__ __hip_bfloat16 hsqrt(__hip_bfloat16);
__device__ __half htanh(__half);
__device__ __hip_bfloat162 h2exp(__hip_bfloat162);
__device__ bool operator==(const __hip_bfloat16&, const __hip_bfloat16&);
__device__ __hip_bfloat16 operator+(const __hip_bfloat16&, const __hip_bfloat16&);
__device__ __hip_bfloat16 unsafeAtomicAdd(__hip_bfloat16*, __hip_bfloat16);
__device__ __hip_bfloat162 unsafeAtomicAdd(__hip_bfloat162*, __hip_bfloat162);
__device__ __hip_bfloat16 atomicAdd(__hip_bfloat16*, __hip_bfloat16);
#define HIPRT_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80u)

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t;
typedef unsigned int __hip_fp8x4_storage_t;
enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 };
enum __hip_fp8_interpretation_t { __HIP_E4M3 = 0, __HIP_E5M2 = 1, __HIP_E4M3_FNUZ = 2, __HIP_E5M2_FNUZ = 3 };
struct __hip_fp8_e4m3 {
    __hip_fp8_storage_t __x;
    __device__ explicit operator float() const;
};
struct __hip_fp8_e5m2 {
    __hip_fp8_storage_t __x;
};
__device__ __hip_fp8_storage_t __hip_cvt_float_to_fp8(float, __hip_saturation_t, __hip_fp8_interpretation_t);
typedef unsigned char __amd_fp8_storage_t;
typedef __bf16 __amd_bf16_storage_t;

// Functions that a later HIP may learn from CUDA.
__device__ int __viaddmax_s32(int, int, int);
__device__ float __tanhf(float);
__device__ double fdivide(double, double);
typedef unsigned char uint8_t;
typedef signed char int8_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef unsigned long uintptr_t;

namespace std {
template <class T> struct remove_reference {
    typedef T type;
};
template <class T> struct remove_reference<T&> {
    typedef T type;
};
template <class T> __device__ constexpr typename remove_reference<T>::type&& move(T&& value) noexcept {
    return static_cast<typename remove_reference<T>::type&&>(value);
}
template <class T> __device__ constexpr T&& forward(typename remove_reference<T>::type& value) noexcept {
    return static_cast<T&&>(value);
}
template <class T> __device__ constexpr T&& forward(typename remove_reference<T>::type&& value) noexcept {
    return static_cast<T&&>(value);
}
using nullptr_t = decltype(nullptr);
using ::int64_t;
using ::size_t;
using ::uint64_t;
using ::uint8_t;
template <class A, class B> struct pair {
    A first;
    B second;
};
}  // namespace std

namespace cooperative_groups {
template <class T> struct plus {
    __device__ T operator()(T a, T b) const;
};
template <class T> struct less {
    __device__ T operator()(T a, T b) const;
};
template <class T> struct greater {
    __device__ T operator()(T a, T b) const;
};
template <class T> struct bit_and {
    __device__ T operator()(T a, T b) const;
};
template <class T> struct bit_or {
    __device__ T operator()(T a, T b) const;
};
template <class T> struct bit_xor {
    __device__ T operator()(T a, T b) const;
};
template <class Group, class T, class Combine> __device__ T reduce(const Group&, T, Combine);
template <class Group, class T, class Combine> __device__ T inclusive_scan(const Group&, T, Combine);
template <class Group, class T, class Combine> __device__ T exclusive_scan(const Group&, T, Combine);
template <class Group, class T> __device__ void memcpy_async(const Group&, T*, const T*, size_t);
template <class Group> __device__ void wait(const Group&);
template <class Group> __device__ void sync(const Group&);
}  // namespace cooperative_groups
