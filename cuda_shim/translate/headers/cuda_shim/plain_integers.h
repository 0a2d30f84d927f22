// <stdint.h> and <stddef.h>: hiprtc declares the integer types; here are the macros and what else they have.
#pragma once
#pragma GCC system_header
#include <cuda_shim/integer_limits.h>

typedef decltype(sizeof(0)) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
