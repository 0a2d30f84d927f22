extern "C" __global__ void softmax(const float* x, float* y, int columns) {
    __shared__ float s[128];
    const float* row = x + blockIdx.x * columns;
    float largest = -3.4e38f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) largest = fmaxf(largest, row[i]);
    s[threadIdx.x] = largest;
    for (int k = 64; k > 0; k /= 2) { __syncthreads(); if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]); }
    __syncthreads();
    largest = s[0];
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - largest);
    s[threadIdx.x] = sum;
    for (int k = 64; k > 0; k /= 2) { __syncthreads(); if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; }
    __syncthreads();
    sum = s[0];
    for (int i = threadIdx.x; i < columns; i += blockDim.x) y[blockIdx.x * columns + i] = expf(row[i] - largest) / sum;
}
