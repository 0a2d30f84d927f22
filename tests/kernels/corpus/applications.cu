// Small pieces of real programs.

extern "C" __global__ void nbody(const float4* bodies, float3* forces, int n) {
    __shared__ float4 tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 own = bodies[i];
    float3 force = make_float3(0, 0, 0);
    for (int base = 0; base < n; base += 64) {
        tile[threadIdx.x] = bodies[base + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 64; ++k) {
            const float dx = tile[k].x - own.x, dy = tile[k].y - own.y, dz = tile[k].z - own.z;
            const float squared = dx * dx + dy * dy + dz * dz + 0.01f;
            const float inverse = rsqrtf(squared);
            const float strength = tile[k].w * inverse * inverse * inverse;
            force.x += dx * strength;
            force.y += dy * strength;
            force.z += dz * strength;
        }
        __syncthreads();
    }
    forces[i] = force;
}

#define RADIUS 3
__constant__ float weights[2 * RADIUS + 1];

extern "C" __global__ void stencil_1d(const float* in, float* out, int n) {
    __shared__ float s[128 + 2 * RADIUS];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + RADIUS;
    s[place] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        s[place - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
        s[place + blockDim.x] = i + blockDim.x < n ? in[i + blockDim.x] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) sum += weights[k + RADIUS] * s[place + k];
    if (i < n) out[i] = sum;
}

extern "C" __global__ void heat_3d(const double* in, double* out, int size) {
    const int x = threadIdx.x + 1, y = threadIdx.y + 1, z = blockIdx.x + 1, plane = size * size;
    const int at = z * plane + y * size + x;
    if (x < size - 1 && y < size - 1 && z < size - 1)
        out[at] = in[at] + 0.1 * (in[at - 1] + in[at + 1] + in[at - size] + in[at + size] + in[at - plane] + in[at + plane] - 6 * in[at]);
}

extern "C" __global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx || dy) alive += in[((y + dy + height) % height) * width + (x + dx + width) % width];
    out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
}

__device__ unsigned xorshift(unsigned& state) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

extern "C" __global__ void monte_carlo(unsigned long long* inside, int throws) {
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    unsigned hits = 0;
    for (int i = 0; i < throws; ++i) {
        const float x = (xorshift(state) >> 8) * (1.0f / 16777216.0f), y = (xorshift(state) >> 8) * (1.0f / 16777216.0f);
        hits += x * x + y * y < 1.0f;
    }
    atomicAdd(inside, (unsigned long long)hits);
}

__device__ inline float cumulative(float d) {
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    const float c = 0.39894228040143267794f * expf(-0.5f * d * d) *
                    (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}

extern "C" __global__ void black_scholes(float2* out, const float* price, const float* strike, const float* years, float rate, float volatility) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float root = sqrtf(years[i]);
    const float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    const float d2 = d1 - volatility * root, discount = expf(-rate * years[i]);
    const float call = price[i] * cumulative(d1) - strike[i] * discount * cumulative(d2);
    out[i] = make_float2(call, strike[i] * discount * (1 - cumulative(d2)) - price[i] * (1 - cumulative(d1)));
}

// A row of a softmax for each block, with the largest element taken out first.
extern "C" __global__ void softmax(const float* in, float* out, int columns) {
    __shared__ float shared[32];
    const float* row = in + blockIdx.x * columns;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    float most = -3.402823466e+38f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) most = fmaxf(most, row[c]);
    for (int o = 16; o; o >>= 1) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, o));
    if (!lane) shared[warp] = most;
    __syncthreads();
    most = shared[0];
    for (int w = 1; w < warps; ++w) most = fmaxf(most, shared[w]);
    __syncthreads();
    float sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += __expf(row[c] - most);
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (!lane) shared[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < warps; ++w) sum += shared[w];
    for (int c = threadIdx.x; c < columns; c += blockDim.x) out[blockIdx.x * columns + c] = __expf(row[c] - most) / sum;
}

template <int Block> __global__ void layer_norm(const float* in, const float* gain, const float* shift, float* out, int n) {
    __shared__ float sums[2][Block];
    const float* row = in + blockIdx.x * n;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < n; i += Block) {
        sum += row[i];
        squares += row[i] * row[i];
    }
    sums[0][threadIdx.x] = sum;
    sums[1][threadIdx.x] = squares;
    __syncthreads();
#pragma unroll
    for (int s = Block / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) {
            sums[0][threadIdx.x] += sums[0][threadIdx.x + s];
            sums[1][threadIdx.x] += sums[1][threadIdx.x + s];
        }
        __syncthreads();
    }
    const float mean = sums[0][0] / n, inverse = rsqrtf(sums[1][0] / n - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < n; i += Block) out[blockIdx.x * n + i] = (row[i] - mean) * inverse * gain[i] + shift[i];
}

extern "C" __global__ void convolution_2d(const float* in, const float* kernel, float* out, int channels, int height, int width) {
    const int x = threadIdx.x, y = threadIdx.y, to = blockIdx.x;
    float sum = 0;
    for (int c = 0; c < channels; ++c)
        for (int ky = -1; ky <= 1; ++ky)
            for (int kx = -1; kx <= 1; ++kx) {
                const int yy = y + ky, xx = x + kx;
                if (yy < 0 || yy >= height || xx < 0 || xx >= width) continue;
                sum += in[(c * height + yy) * width + xx] * kernel[((to * channels + c) * 3 + ky + 1) * 3 + kx + 1];
            }
    out[(to * height + y) * width + x] = fmaxf(sum, 0.0f);
}

extern "C" __global__ void floyd_warshall(int* distances, int n) {
    for (int k = 0; k < n; ++k) {
        for (int at = threadIdx.x; at < n * n; at += blockDim.x) {
            const int i = at / n, j = at % n, through = distances[i * n + k] + distances[k * n + j];
            if (through < distances[at]) distances[at] = through;
        }
        __syncthreads();
    }
}

extern "C" __global__ void crc32(const unsigned char* data, const int* offsets, unsigned* out) {
    unsigned crc = 0xffffffffu;
    for (int i = offsets[threadIdx.x]; i < offsets[threadIdx.x + 1]; ++i) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
    }
    out[threadIdx.x] = ~crc;
}

extern "C" __global__ void kmeans_assign(const float2* points, const float2* centres, int* nearest, float* sums, int* counts, int n, int k) {
    extern __shared__ float2 s[];
    for (int c = threadIdx.x; c < k; c += blockDim.x) s[c] = centres[c];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 p = points[i];
    int best = 0;
    float distance = 1e30f;
    for (int c = 0; c < k; ++c) {
        const float dx = p.x - s[c].x, dy = p.y - s[c].y, d = dx * dx + dy * dy;
        if (d < distance) {
            distance = d;
            best = c;
        }
    }
    nearest[i] = best;
    atomicAdd(&sums[2 * best], p.x);
    atomicAdd(&sums[2 * best + 1], p.y);
    atomicAdd(&counts[best], 1);
}

// Rows of a table wait for each other at the barrier of each antidiagonal.
extern "C" __global__ void edit_distance(const char* a, const char* b, int* out, int n) {
    extern __shared__ int rows[];
    int *before = rows, *last = rows + n + 1, *now = rows + 2 * (n + 1);
    const int i = threadIdx.x;  // one thread per place in a, and one more
    for (int d = 0; d <= 2 * n; ++d) {
        const int j = d - i;
        if (j >= 0 && j <= n && i <= n) {
            int value;
            if (i == 0) value = j;
            else if (j == 0) value = i;
            else value = min(min(last[i - 1], last[i]) + 1, before[i - 1] + (a[i - 1] != b[j - 1]));
            now[i] = value;
        }
        __syncthreads();
        int* const kept = before;
        before = last;
        last = now;
        now = kept;
        __syncthreads();
    }
    if (i == n) *out = last[n];
}
