typedef unsigned char uint8_t; typedef signed long long int int64_t; typedef unsigned long long int uint64_t;
struct alignas(2) __half {
    __half() = default;
    unsigned short __x;
};
__device__ __half __float2half(const float value) { __half made; made.__x = (unsigned short)(int)value; return made; }
__device__ float __half2float(const __half value) { return value.__x; }
struct __align__(2) __nv_bfloat16 {
    unsigned short __x;
};
__device__ __nv_bfloat16 __float2bfloat16(const float value) { __nv_bfloat16 made; made.__x = 1; return made; }
__device__ float __bfloat162float(const __nv_bfloat16 value) { return value.__x; }
typedef __half half;
typedef __nv_bfloat16 bfloat;
extern "C" __global__ void kernel(half* x, bfloat* y, uint64_t n) {
    x[n] = __float2half(__half2float(x[0]) * 2);
    y[n] = __float2bfloat16(__bfloat162float(y[0]));
}
