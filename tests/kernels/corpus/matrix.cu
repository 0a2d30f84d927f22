// Dense and sparse matrices.

extern "C" __global__ void multiply_naive(const float* a, const float* b, float* c, int m, int n, int k) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0.f;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

#define TILE 16

extern "C" __global__ void multiply_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int tile = 0; tile < n / TILE; ++tile) {
        as[ty][tx] = a[row * n + tile * TILE + tx];
        bs[ty][tx] = b[(tile * TILE + ty) * n + column];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i) sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// Each thread has four results in registers.
extern "C" __global__ void __launch_bounds__(64) multiply_in_registers(const double* __restrict__ a, const double* __restrict__ b,
                                                                     double* __restrict__ c, int n) {
    __shared__ double as[8][16], bs[8][16];
    double sums[2][2] = {};
    const int tx = threadIdx.x, ty = threadIdx.y;
    for (int base = 0; base < n; base += 8) {
        for (int i = ty * 8 + tx; i < 128; i += 64) {
            as[i % 8][i / 8] = a[(blockIdx.y * 16 + i / 8) * n + base + i % 8];
            bs[i / 16][i % 16] = b[(base + i / 16) * n + blockIdx.x * 16 + i % 16];
        }
        __syncthreads();
        for (int i = 0; i < 8; ++i) {
            const double left[2] = {as[i][ty], as[i][ty + 8]}, right[2] = {bs[i][tx], bs[i][tx + 8]};
#pragma unroll
            for (int r = 0; r < 2; ++r)
#pragma unroll
                for (int s = 0; s < 2; ++s) sums[r][s] += left[r] * right[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < 2; ++r)
        for (int s = 0; s < 2; ++s) c[(blockIdx.y * 16 + ty + 8 * r) * n + blockIdx.x * 16 + tx + 8 * s] = sums[r][s];
}

extern "C" __global__ void transpose(float* out, const float* in, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// One warp, one row.
extern "C" __global__ void sparse_csr(const int* rows, const int* columns, const float* values, const float* x, float* y, int count) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    if (row >= count) return;
    float sum = 0;
    for (int i = rows[row] + lane; i < rows[row + 1]; i += warpSize) sum += values[i] * __ldg(x + columns[i]);
    for (int offset = warpSize / 2; offset; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (lane == 0) y[row] = sum;
}
