#include <cuda_runtime.h>
struct Object {
    cudaTextureObject_t held;
    __device__ operator cudaTextureObject_t() const { return held; }
};
extern "C" __global__ void textures(float* out, cudaTextureObject_t a, unsigned long long b, Object c, unsigned long long s) {
    float pointed;
    tex2D<float>(&pointed, b, 1.0f, 2.0f);
    const float4 many = tex1Dfetch<float4>(b, 3);
    out[0] = tex2D<float>(a, 1.0f, 2.0f) + tex2D<float>(b, 1.0f, 2.0f) + tex3D<float>(c, 1.0f, 2.0f, 3.0f) + pointed + many.w;
    surf2Dwrite(surf2Dread<float>(s, 4, 1), s, 4, 2);
}
