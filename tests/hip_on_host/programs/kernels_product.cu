#define TILE 16
extern "C" __global__ void product(const float* a, const float* b, float* c, int rows, int columns, int depth) {
    __shared__ float left[TILE][TILE], right[TILE][TILE + 1];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < (depth + TILE - 1) / TILE; ++tile) {
        const int k = tile * TILE;
        left[threadIdx.y][threadIdx.x] = row < rows && k + threadIdx.x < depth ? a[row * depth + k + threadIdx.x] : 0;
        right[threadIdx.y][threadIdx.x] = column < columns && k + threadIdx.y < depth ? b[(k + threadIdx.y) * columns + column] : 0;
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < TILE; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}
