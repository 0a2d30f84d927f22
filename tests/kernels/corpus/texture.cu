// Texture objects: fetches by element and by coordinate, in both forms.

extern "C" __global__ void elements(cudaTextureObject_t floats, cudaTextureObject_t bytes, cudaTextureObject_t parts, float* from_floats,
                                    uchar4* from_bytes, float4* from_parts, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    from_floats[i] = tex1Dfetch<float>(floats, i + first);
    tex1Dfetch(&from_bytes[i], bytes, i);
    from_parts[i] = tex1Dfetch<float4>(parts, i);
}

extern "C" __global__ void address_modes(cudaTextureObject_t wrap, cudaTextureObject_t clamp, cudaTextureObject_t mirror,
                                         cudaTextureObject_t border, const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = tex1D<float>(wrap, x[i]);
    out[n + i] = tex1D<float>(clamp, x[i]);
    tex1D(&out[2 * n + i], mirror, x[i]);
    tex1D(&out[3 * n + i], border, x[i]);
}

extern "C" __global__ void plane(cudaTextureObject_t texture, const float2* at, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = tex2D<float>(texture, at[i].x, at[i].y);
}

extern "C" __global__ void volume(cudaTextureObject_t texture, const float4* at, float2* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex3D<float2>(texture, at[i].x, at[i].y, at[i].z);
}

// Channels as they are, as part of 1, narrower than asked for, and missing.
extern "C" __global__ void channels(cudaTextureObject_t integers, cudaTextureObject_t parts, cudaTextureObject_t words, cudaTextureObject_t halves,
                                    short4* as_integers, float4* as_parts, int4* as_words, float2* as_halves, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    as_integers[i] = tex2D<short4>(integers, i, 0);
    as_parts[i] = tex2D<float4>(parts, i, 0);
    as_words[i] = tex2D<int4>(words, i, 0);
    as_halves[i] = tex2D<float2>(halves, i, 0);
}

extern "C" __global__ void layers(cudaTextureObject_t rows, cudaTextureObject_t planes, const float2* at, const int* layer, float* from_rows,
                                  float* from_planes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tex1DLayered(&from_rows[i], rows, at[i].x, layer[i]);
    from_planes[i] = tex2DLayered<float>(planes, at[i].x, at[i].y, layer[i]);
}

extern "C" __global__ void cube(cudaTextureObject_t faces, const float4* direction, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = texCubemap<float>(faces, direction[i].x, direction[i].y, direction[i].z);
}

// A function that fetches, and shared memory behind a barrier.
__device__ float difference(cudaTextureObject_t texture, float x, float y) {
    return tex2D<float>(texture, x + 1, y) - tex2D<float>(texture, x - 1, y);
}
extern "C" __global__ void edges(cudaTextureObject_t texture, float* rows, float* image, int width, int height) {
    __shared__ float largest[32];
    int x = threadIdx.x, y = blockIdx.x;
    float here = difference(texture, x + 0.5f, y + 0.5f);
    if (x < width) image[y * width + x] = here;
    largest[threadIdx.x] = x < width ? fabsf(here) : 0;
    __syncthreads();
    for (int step = 16; step > 0; step /= 2) {
        if (threadIdx.x < step) largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + step]);
        __syncthreads();
    }
    if (threadIdx.x == 0) rows[y] = largest[0];
}
