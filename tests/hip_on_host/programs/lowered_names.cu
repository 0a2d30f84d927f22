template<class T> struct Box { T v; };
struct L2st {};
namespace ns {
template<class T, int N> __global__ void sized(T* p) {}
enum class E { a, b };
__constant__ float constants[3];
static __global__ void hidden(int* p) {}
namespace inner { static __global__ void deep(int*, int*) {} }
inline namespace v1 { __global__ void versioned(int* p) {} }
}
static __global__ void st(int* p) {}
static inline __global__ void st2(L2st* p, L2st q) {}
static __device__ int variable = 3;
static __global__ void shares(int* p) {
    __shared__ int s[100];
    s[threadIdx.x] = *p;
    __syncthreads();
    *p = s[99 - threadIdx.x];
}
template<class T> static __global__ void typed(T* p) {}
template<auto V> __global__ void of_value(int* p) {}
template<decltype(auto) V> __global__ void of_deduced(int* p) {}
__global__ void overloaded(int* p) {}
__global__ void overloaded(float* p) {}
extern "C" __global__ void plain(int* p) {}
__device__ int inc(int x) { return x + 1; }
template<int (*fn)(int)> __global__ void calls(int* a) { *a = fn(1); }
template<class... A> __global__ void pack(A... a) {}
template<template<class> class C> __global__ void nested(int* p) {}
template<bool b, char c, long long l, unsigned u> __global__ void literals(int* p) {}
#if __cplusplus >= 202002L
__global__ void abbreviated(auto x, auto* y) {}
template<class T> __global__ void mixed(T* x, auto y) {}
__global__ void variadic(int* p, auto... rest) {}
#endif
