// <stdint.h> and <stddef.h>: integer types by CUDA's names, in the global namespace, in std and in cuda::std.
//
// Some releases of hiprtc declare some of these names, others none. So each name is a macro for a type of our own.
#pragma once
#pragma GCC system_header
#include <cuda_shim/integer_limits.h>

#define int8_t cuda_on_hip_int8_t
#define int16_t cuda_on_hip_int16_t
#define int32_t cuda_on_hip_int32_t
#define int64_t cuda_on_hip_int64_t
#define uint8_t cuda_on_hip_uint8_t
#define uint16_t cuda_on_hip_uint16_t
#define uint32_t cuda_on_hip_uint32_t
#define uint64_t cuda_on_hip_uint64_t
#define int_least8_t cuda_on_hip_int_least8_t
#define int_least16_t cuda_on_hip_int_least16_t
#define int_least32_t cuda_on_hip_int_least32_t
#define int_least64_t cuda_on_hip_int_least64_t
#define uint_least8_t cuda_on_hip_uint_least8_t
#define uint_least16_t cuda_on_hip_uint_least16_t
#define uint_least32_t cuda_on_hip_uint_least32_t
#define uint_least64_t cuda_on_hip_uint_least64_t
#define int_fast8_t cuda_on_hip_int_fast8_t
#define int_fast16_t cuda_on_hip_int_fast16_t
#define int_fast32_t cuda_on_hip_int_fast32_t
#define int_fast64_t cuda_on_hip_int_fast64_t
#define uint_fast8_t cuda_on_hip_uint_fast8_t
#define uint_fast16_t cuda_on_hip_uint_fast16_t
#define uint_fast32_t cuda_on_hip_uint_fast32_t
#define uint_fast64_t cuda_on_hip_uint_fast64_t
#define intmax_t cuda_on_hip_intmax_t
#define uintmax_t cuda_on_hip_uintmax_t
#define intptr_t cuda_on_hip_intptr_t
#define uintptr_t cuda_on_hip_uintptr_t

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int8_t int_least8_t;
typedef int16_t int_least16_t;
typedef int32_t int_least32_t;
typedef int64_t int_least64_t;
typedef uint8_t uint_least8_t;
typedef uint16_t uint_least16_t;
typedef uint32_t uint_least32_t;
typedef uint64_t uint_least64_t;
typedef int8_t int_fast8_t;
typedef int16_t int_fast16_t;
typedef int32_t int_fast32_t;
typedef int64_t int_fast64_t;
typedef uint8_t uint_fast8_t;
typedef uint16_t uint_fast16_t;
typedef uint32_t uint_fast32_t;
typedef uint64_t uint_fast64_t;
typedef int64_t intmax_t;
typedef uint64_t uintmax_t;
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef decltype(sizeof(0)) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;

namespace std {
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::int_least8_t;
using ::int_least16_t;
using ::int_least32_t;
using ::int_least64_t;
using ::uint_least8_t;
using ::uint_least16_t;
using ::uint_least32_t;
using ::uint_least64_t;
using ::int_fast8_t;
using ::int_fast16_t;
using ::int_fast32_t;
using ::int_fast64_t;
using ::uint_fast8_t;
using ::uint_fast16_t;
using ::uint_fast32_t;
using ::uint_fast64_t;
using ::intmax_t;
using ::uintmax_t;
using ::intptr_t;
using ::uintptr_t;
using ::size_t;
using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
}  // namespace std

namespace cuda {
namespace std {
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::int_least8_t;
using ::int_least16_t;
using ::int_least32_t;
using ::int_least64_t;
using ::uint_least8_t;
using ::uint_least16_t;
using ::uint_least32_t;
using ::uint_least64_t;
using ::int_fast8_t;
using ::int_fast16_t;
using ::int_fast32_t;
using ::int_fast64_t;
using ::uint_fast8_t;
using ::uint_fast16_t;
using ::uint_fast32_t;
using ::uint_fast64_t;
using ::intmax_t;
using ::uintmax_t;
using ::intptr_t;
using ::uintptr_t;
using ::size_t;
using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
}  // namespace std
}  // namespace cuda

#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
