#include <curand_kernel.h>
template <class State> __device__ void draw(State* state, unsigned long long t, double*& to) {
    curand_init(1234 + t * 77777777777, t * 1000003, t * t * 12345, state);
    for (int i = 0; i < 3; ++i) *to++ = curand(state);
    skipahead(5 + t, state);
    *to++ = curand(state);
    *to++ = curand_uniform(state);
    *to++ = curand_uniform_double(state);
    for (int i = 0; i < 2; ++i) *to++ = curand_normal(state);
    for (int i = 0; i < 2; ++i) *to++ = curand_normal_double(state);
    *to++ = curand_log_normal(state, 0.5f, 0.25f);
    *to++ = curand_log_normal_double(state, 0.5, 0.25);
    const float2 pair = curand_normal2(state);
    *to++ = pair.y;
    skipahead_sequence(3 + (t << 40), state);
    *to++ = curand(state);
}
extern "C" __global__ void kernel(const int*, double* out) {
    const unsigned long long t = threadIdx.x;
    double* to = out + t * 52;
    curandStateXORWOW_t first;
    curandStatePhilox4_32_10_t second;
    curandStateMRG32k3a_t third;
    draw(&first, t, to);
    draw(&second, t, to);
    draw(&third, t, to);
    skipahead_subsequence(7 + t, &third);
    *to++ = curand(&third);
    const uint4 bits = curand4(&second);
    const float4 numbers = curand_uniform4(&second), others = curand_normal4(&second);
    *to++ = bits.z, *to++ = numbers.x, *to++ = numbers.w, *to++ = others.y, *to++ = others.z;
    curandState_t plain;
    curand_init(t, 0, 0, &plain);
    *to++ = curand_uniform(&plain);
    *to++ = sizeof(curandState) + 100 * sizeof(curandStatePhilox4_32_10_t) + 10000 * sizeof(curandStateMRG32k3a);
}
