extern "C" __global__ void one(cudaTextureObject_t image, const float2* at, float4* out) {
    const float2 p = at[blockIdx.x * blockDim.x + threadIdx.x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = make_float4(tex2D<float>(image, p.x, p.y), 0.0f, 0.0f, 0.0f);
}
extern "C" __global__ void two(cudaTextureObject_t image, const float2* at, float4* out) {
    const float2 p = at[blockIdx.x * blockDim.x + threadIdx.x], v = tex2D<float2>(image, p.x, p.y);
    out[blockIdx.x * blockDim.x + threadIdx.x] = make_float4(v.x, v.y, 0.0f, 0.0f);
}
extern "C" __global__ void four(cudaTextureObject_t image, const float2* at, float4* out) {
    const float2 p = at[blockIdx.x * blockDim.x + threadIdx.x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = tex2D<float4>(image, p.x, p.y);
}
