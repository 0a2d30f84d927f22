extern "C" __global__ void sums(const float4* in, float4* out, int* rounds, int n) {
    __shared__ float4 tile[64];
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), block = blockDim.x * blockDim.y * blockDim.z;
    float4 me = in[blockIdx.x * block + t];
    float a = 0, b = 0, c = 0;
    int seen = 0;
    for (int first = 0; first < n; first += 64) {
        for (int i = t; i < 64; i += block) tile[i] = in[first + i];
        __syncthreads();
        for (int k = 0; k < 64; k++) {
            a += tile[k].x - me.x;
            b += tile[k].y * me.y;
            c += tile[k].z + me.w * k;
        }
        for (int k = 0; k < n; k++) {
            a += 1;
            b += 2;
            c += k;
            seen++;
        }
        __syncthreads();
    }
    out[blockIdx.x * block + t] = make_float4(a, b, c, me.w);
    if (t == 0) rounds[blockIdx.x] = seen;
}
