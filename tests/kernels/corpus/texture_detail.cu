// Texture objects: the texels that filtering would use, and levels of detail.

extern "C" __global__ void gather(cudaTextureObject_t texture, const float2* at, float4* first, float4* second, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    first[i] = tex2Dgather<float4>(texture, at[i].x, at[i].y);
    second[i] = tex2Dgather<float4>(texture, at[i].x, at[i].y, 1);
}

extern "C" __global__ void levels(cudaTextureObject_t nearest, cudaTextureObject_t between, const float* level, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = tex2DLod<float>(nearest, 0.5f, 0.5f, level[i]);
    out[n + i] = tex2DLod<float>(between, 0.5f, 0.5f, level[i]);
    out[2 * n + i] = tex2D<float>(between, 0.5f, 0.5f);
    // As long as 2 to the level: 8 texels are the whole.
    out[3 * n + i] = tex2DGrad<float>(between, 0.5f, 0.5f, make_float2(exp2f(level[i]) / 8, 0), make_float2(0, 0));
}
