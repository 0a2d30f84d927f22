texture<float, 1> line;
texture<float, 2, cudaReadModeElementType> image;
texture<uchar2, 1, cudaReadModeNormalizedFloat> shares;
extern "C" __global__ void fetch(float* out) { out[threadIdx.x] = tex1Dfetch(line, (int)threadIdx.x - 1); }
extern "C" __global__ void look(float* out, float x, float y) { out[threadIdx.x] = tex2D(image, x + threadIdx.x, y); }
extern "C" __global__ void level(float* out, float l) { out[threadIdx.x] = tex2DLod(image, threadIdx.x + 0.5f, 0.5f, l); }
extern "C" __global__ void gather(float* out) { ((float4*)out)[threadIdx.x] = tex2Dgather(image, 1.0f + threadIdx.x, 1.0f); }
extern "C" __global__ void part(float* out) {
    const float2 v = tex1Dfetch(shares, threadIdx.x);
    out[2 * threadIdx.x] = v.x;
    out[2 * threadIdx.x + 1] = v.y;
}
