// CUDA's vector types, and the operators that programs define for them.

extern "C" __global__ void loads_of_16_bytes(const float4* in, float4* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i];
    v.x += 1.0f;
    v.y *= 2.0f;
    v.z = -v.z;
    v.w = v.x + v.y;
    out[i] = v;
}

extern "C" __global__ void all_kinds(const int* in, int* sizes, double* out) {
    const int t = threadIdx.x, v = in[t];
    const char4 c = make_char4(v, v + 1, v + 2, v + 3);
    const uchar2 uc = make_uchar2(v, 255);
    const short3 s = make_short3(v, -v, 2 * v);
    const ushort4 us = make_ushort4(1, 2, 3, 4);
    const int2 i = make_int2(v, v * v);
    const uint3 u = make_uint3(v, 7, 8);
    const long2 l = make_long2(v, 1);
    const longlong2 ll = make_longlong2(v, 1ll << 40);
    const ulonglong2 ull = make_ulonglong2(v, 3);
    const float1 f1 = make_float1(v);
    const float3 f = make_float3(v, 0.5f, 2);
    const double2 d = make_double2(v, 0.25);
    out[t] = c.w + uc.y + s.y + us.z + i.y + u.z + l.x + (double)ll.y + ull.y + f1.x + f.y + d.y;
    if (t == 0) {
        sizes[0] = sizeof(char3);
        sizes[1] = sizeof(float3);
        sizes[2] = sizeof(float4) + 100 * alignof(float4);
        sizes[3] = sizeof(double2) + 100 * alignof(double2);
        sizes[4] = sizeof(int2) + 100 * alignof(int2);
        sizes[5] = sizeof(short4) + 100 * alignof(short4);
        sizes[6] = sizeof(uchar4) + 100 * alignof(uchar4);
        sizes[7] = sizeof(dim3);
    }
}

inline __device__ float3 operator+(const float3& a, const float3& b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __device__ float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
inline __device__ float3 operator*(float3 a, float s) { return make_float3(a.x * s, a.y * s, a.z * s); }
inline __device__ float3 operator*(float s, float3 a) { return a * s; }
inline __device__ void operator+=(float3& a, float3 b) {
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
}
inline __device__ float3& operator*=(float3& a, const float3& b) {
    a.x *= b.x;
    a.y *= b.y;
    a.z *= b.z;
    return a;
}
inline __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __device__ float3 cross(float3 a, float3 b) {
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// Own operators, as in the helper_math.h of NVIDIA's samples.
extern "C" __global__ void own_operators(const float3* a, const float3* b, float3* out, float* dots) {
    const int i = threadIdx.x;
    float3 sum = a[i] + b[i];
    sum += a[i] * 0.5f;
    sum *= b[i];
    out[i] = cross(sum, a[i] - b[i]) + 2.0f * b[i];
    dots[i] = dot(a[i], b[i]);
}

extern "C" __global__ void by_reinterpreting(const uchar4* pixels, unsigned* packed, float* as_floats) {
    const int i = threadIdx.x;
    const uchar4 p = pixels[i];
    packed[i] = *reinterpret_cast<const unsigned*>(&p);
    const float4 f = {p.x / 255.0f, p.y / 255.0f, p.z / 255.0f, p.w / 255.0f};
    reinterpret_cast<float4*>(as_floats)[i] = f;
}

struct Particle {
    float3 position;
    float mass;
    float2 velocity;
    int id;
};

extern "C" __global__ void structures(const Particle* in, Particle* out, Particle offset, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle p = in[i];
    p.position.x += offset.position.x * p.mass;
    p.velocity.y -= offset.velocity.y;
    p.id = p.id * 2 + offset.id;
    out[i] = p;
}
