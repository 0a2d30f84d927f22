extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n / 16; ++t) {
        ta[threadIdx.y][threadIdx.x] = a[row * n + t * 16 + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(t * 16 + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
extern "C" __global__ void reduction(const float* x, float* sums, int n) {
    __shared__ float part[256];
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += x[i];
    part[threadIdx.x] = own;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
extern "C" __global__ void mandelbrot(int* out, int width, int height, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float cx = -2.0f + 3.0f * px / width, cy = -1.5f + 3.0f * py / height, x = 0, y = 0;
    int i = 0;
    while (x * x + y * y < 4.0f && i < limit) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++i;
    }
    out[py * width + px] = i;
}
extern "C" __global__ void black_scholes(const float* s, const float* k, float* call, float* put, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float r = 0.02f, v = 0.3f, t = 1.5f, root = sqrtf(t);
    float d1 = (logf(s[i] / k[i]) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
    float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f), e = expf(-r * t);
    call[i] = s[i] * n1 - k[i] * e * n2;
    put[i] = k[i] * e * (1 - n2) - s[i] * (1 - n1);
}
extern "C" __global__ void nbody(const float4* at, float4* force, int n) {
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = at[i];
    float fx = 0, fy = 0, fz = 0;
    for (int t = 0; t < n; t += 128) {
        tile[threadIdx.x] = at[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; ++k) {
            float dx = tile[k].x - own.x, dy = tile[k].y - own.y, dz = tile[k].z - own.z;
            float d = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), w = tile[k].w * d * d * d;
            fx += dx * w; fy += dy * w; fz += dz * w;
        }
        __syncthreads();
    }
    force[i] = make_float4(fx, fy, fz, 0);
}
