// The kernels that are timed. Words in capitals are put into CUDA or OpenCL by contenders.py.
#ifndef __OPENCL_VERSION__
#ifndef WITHOUT_HEADERS
#include <cuda_fp16.h>
#endif
typedef unsigned int uint;
#define SAMPLED(picture, u, v) tex2D<float>(picture, u, v)
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
#define SAMPLED(picture, u, v) read_imagef(picture, linear, (float2)(u, v)).x
#endif

KERNEL void empty() {}

KERNEL void saxpy(float a, GLOBAL const float* x, GLOBAL float* y, int n) {
    int i = GLOBAL_X;
    if (i < n) y[i] = a * x[i] + y[i];
}

KERNEL void strided_saxpy(float a, GLOBAL const float* x, GLOBAL float* y, int n) {
    for (int i = GLOBAL_X; i < n; i += THREADS_X) y[i] = a * x[i] + y[i];
}

KERNEL void polynomial(GLOBAL float* x, int n) {
    int i = GLOBAL_X;
    if (i < n) {
        float v = x[i];
        for (int k = 0; k < 64; k++) v = v * 0.999f + 0.001f;
        x[i] = v;
    }
}

KERNEL void exp_sin(GLOBAL const float* x, GLOBAL float* y, int n) {
    int i = GLOBAL_X;
    if (i < n) y[i] = EXP(-x[i]) * SIN(x[i]);
}

KERNEL void exp_sin_of_doubles(GLOBAL const double* x, GLOBAL double* y, int n) {
    int i = GLOBAL_X;
    if (i < n) y[i] = EXP_OF_DOUBLE(-x[i]) * SIN_OF_DOUBLE(x[i]);
}

KERNEL void mandelbrot(GLOBAL int* out, int width, int height) {
    int x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= width || y >= height) return;
    float cx = -2.0f + 3.0f * x / width, cy = -1.0f + 2.0f * y / height, zx = 0, zy = 0;
    int i = 0;
    while (i < 100 && zx * zx + zy * zy < 4.0f) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        i++;
    }
    out[y * width + x] = i;
}

DEVICE int rounds_to_escape(float cx, float cy) {
    float zx = 0, zy = 0;
    for (int i = 0; i < 100; i++) {
        if (zx * zx + zy * zy >= 4.0f) return i;
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
    }
    return 100;
}

KERNEL void mandelbrot_by_call(GLOBAL int* out, int width, int height) {
    int x = GLOBAL_X, y = GLOBAL_Y;
    if (x >= width || y >= height) return;
    out[y * width + x] = rounds_to_escape(-2.0f + 3.0f * x / width, -1.0f + 2.0f * y / height);
}

KERNEL void naive_matmul(GLOBAL const float* a, GLOBAL const float* b, GLOBAL float* c, int n) {
    int row = GLOBAL_Y, column = GLOBAL_X;
    if (row < n && column < n) {
        float sum = 0;
        for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
        c[row * n + column] = sum;
    }
}

KERNEL BLOCK(16, 16) void tiled_matmul(GLOBAL const float* a, GLOBAL const float* b, GLOBAL float* c, int n) {
    SHARED float tile_a[16][16], tile_b[16][16];
    int tx = LOCAL_X, ty = LOCAL_Y, row = GLOBAL_Y, column = GLOBAL_X;
    float sum = 0;
    for (int tile = 0; tile < n / 16; tile++) {
        tile_a[ty][tx] = a[row * n + tile * 16 + tx];
        tile_b[ty][tx] = b[(tile * 16 + ty) * n + column];
        BARRIER;
        for (int k = 0; k < 16; k++) sum += tile_a[ty][k] * tile_b[k][tx];
        BARRIER;
    }
    c[row * n + column] = sum;
}

KERNEL BLOCK(256, 1) void tree_sum(GLOBAL const float* x, GLOBAL float* out, int n) {
    SHARED float s[256];
    int t = LOCAL_X, i = GROUP_X * 512 + t;
    float v = 0;
    if (i < n) v = x[i];
    if (i + 256 < n) v += x[i + 256];
    s[t] = v;
    BARRIER;
    for (int half_way = 128; half_way > 0; half_way >>= 1) {
        if (t < half_way) s[t] += s[t + half_way];
        BARRIER;
    }
    if (t == 0) out[GROUP_X] = s[0];
}

KERNEL BLOCK(256, 1) void strided_sum(GLOBAL const float* x, GLOBAL float* out, int n) {
    SHARED float s[256];
    int t = LOCAL_X;
    float v = 0;
    for (int i = GLOBAL_X; i < n; i += THREADS_X) v += x[i];
    s[t] = v;
    BARRIER;
    for (int half_way = 128; half_way > 0; half_way >>= 1) {
        if (t < half_way) s[t] += s[t + half_way];
        BARRIER;
    }
    if (t == 0) out[GROUP_X] = s[0];
}

KERNEL BLOCK(128, 1) void bodies(GLOBAL const float4* position, GLOBAL float4* acceleration, int n) {
    SHARED float4 tile[128];
    int t = LOCAL_X, i = GLOBAL_X;
    float4 me = position[i];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += 128) {
        tile[t] = position[first + t];
        BARRIER;
        for (int k = 0; k < 128; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float inverse = RSQRT(dx * dx + dy * dy + dz * dz + 0.01f);
            float force = tile[k].w * inverse * inverse * inverse;
            ax += force * dx;
            ay += force * dy;
            az += force * dz;
        }
        BARRIER;
    }
    acceleration[i] = FLOAT4(ax, ay, az, 0);
}

// 25 points: four on each side along each axis. Borders stay as they are.
KERNEL void stencil(GLOBAL const float* in, GLOBAL float* out, int n) {
    int x = GLOBAL_X, y = GLOBAL_Y;
    if (x < 4 || y < 4 || x >= n - 4 || y >= n - 4) return;
    for (int z = 4; z < n - 4; z++) {
        int at = (z * n + y) * n + x;
        float sum = 0.25f * in[at];
        for (int d = 1; d <= 4; d++)
            sum += 0.03f / d * (in[at - d] + in[at + d] + in[at - d * n] + in[at + d * n] + in[at - d * n * n] +
                                in[at + d * n * n]);
        out[at] = sum;
    }
}

KERNEL BLOCK(256, 1) void histogram(GLOBAL const uint* keys, GLOBAL uint* counts, int n) {
    SHARED uint bins[256];
    int t = LOCAL_X;
    bins[t] = 0;
    BARRIER;
    for (int i = GLOBAL_X; i < n; i += THREADS_X) SHARED_ADD(&bins[keys[i] & 255], 1u);
    BARRIER;
    GLOBAL_ADD(&counts[t], bins[t]);
}

// The sums of each block's elements up to every one of them.
KERNEL BLOCK(256, 1) void scan(GLOBAL const float* x, GLOBAL float* out, int n) {
    SHARED float s[256];
    int t = LOCAL_X, i = GLOBAL_X;
    s[t] = i < n ? x[i] : 0;
    BARRIER;
    for (int d = 1; d < 256; d <<= 1) {
        float before = t >= d ? s[t - d] : 0;
        BARRIER;
        s[t] += before;
        BARRIER;
    }
    if (i < n) out[i] = s[t];
}

KERNEL BLOCK(16, 16) void transpose(GLOBAL const float* in, GLOBAL float* out, int n) {
    SHARED float tile[16][17];
    int tx = LOCAL_X, ty = LOCAL_Y, row = GROUP_Y * 16, column = GROUP_X * 16;
    tile[ty][tx] = in[(row + ty) * n + column + tx];
    BARRIER;
    out[(column + ty) * n + row + tx] = tile[tx][ty];
}

#ifndef WITHOUT_HEADERS
// A picture turned by half a radian, each point between four others.
KERNEL BLOCK(16, 16) void turned(TEXTURE picture, GLOBAL float* out, int n) {
    int i = GLOBAL_X, j = GLOBAL_Y;
    float x = i - 0.5f * n, y = j - 0.5f * n;
    out[j * n + i] = SAMPLED(picture, 0.8775826f * x - 0.4794255f * y + 0.5f * n + 0.5f,
                             0.4794255f * x + 0.8775826f * y + 0.5f * n + 0.5f);
}
#endif

// One pass of a radix sort over 4 bits: each block puts its 256 keys into order by them, stable.
KERNEL BLOCK(256, 1) void radix_pass(GLOBAL const uint* keys, GLOBAL uint* out, int shift) {
    SHARED uint s[256], sums[256];
    int t = LOCAL_X, i = GLOBAL_X;
    uint key = keys[i];
    for (int bit = 0; bit < 4; bit++) {
        uint one = key >> (shift + bit) & 1;
        sums[t] = one;
        BARRIER;
        for (int d = 1; d < 256; d <<= 1) {
            uint before = t >= d ? sums[t - d] : 0;
            BARRIER;
            sums[t] += before;
            BARRIER;
        }
        uint ones = sums[255], place = one ? 256 - ones + sums[t] - 1 : t - sums[t];
        BARRIER;
        s[place] = key;
        BARRIER;
        key = s[t];
        BARRIER;
    }
    out[i] = key;
}

KERNEL void black_scholes(GLOBAL const float* prices, GLOBAL float* calls, int n) {
    int i = GLOBAL_X;
    if (i >= n) return;
    float price = 10 + 90 * prices[i], strike = 50, years = 1.5f, rate = 0.02f, volatility = 0.3f;
    float spread = volatility * SQRT(years);
    float d1 = (LOG(price / strike) + (rate + 0.5f * volatility * volatility) * years) / spread, d2 = d1 - spread;
    float n1 = 0.5f * ERFC(-0.70710678f * d1), n2 = 0.5f * ERFC(-0.70710678f * d2);
    calls[i] = price * n1 - strike * EXP(-rate * years) * n2;
}

KERNEL BLOCK(128, 1) void double_bodies(GLOBAL const double* position, GLOBAL double* acceleration, int n) {
    SHARED double tile[512];
    int t = LOCAL_X, i = GLOBAL_X;
    double x = position[4 * i], y = position[4 * i + 1], z = position[4 * i + 2], ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += 128) {
        for (int k = 0; k < 4; k++) tile[4 * t + k] = position[4 * (first + t) + k];
        BARRIER;
        for (int k = 0; k < 128; k++) {
            double dx = tile[4 * k] - x, dy = tile[4 * k + 1] - y, dz = tile[4 * k + 2] - z;
            double inverse = 1 / SQRT_OF_DOUBLE(dx * dx + dy * dy + dz * dz + 0.01);
            double force = tile[4 * k + 3] * inverse * inverse * inverse;
            ax += force * dx;
            ay += force * dy;
            az += force * dz;
        }
        BARRIER;
    }
    acceleration[4 * i] = ax;
    acceleration[4 * i + 1] = ay;
    acceleration[4 * i + 2] = az;
    acceleration[4 * i + 3] = 0;
}

#ifndef __OPENCL_VERSION__
#ifndef WITHOUT_HEADERS
KERNEL void half_saxpy(float a, const __half* x, __half* y, int n) {
    int i = GLOBAL_X;
    if (i < n) y[i] = __hfma(__float2half(a), x[i], y[i]);
}
#endif

KERNEL void shuffled_sum(GLOBAL const float* x, GLOBAL float* out, int n) {
    SHARED float s[32];
    int t = LOCAL_X, i = GROUP_X * 512 + t;
    float v = 0;
    if (i < n) v = x[i];
    if (i + 256 < n) v += x[i + 256];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if ((t & 31) == 0) s[t >> 5] = v;
    BARRIER;
    if (t < 32) {
        v = t < 8 ? s[t] : 0;
        for (int d = 4; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
        if (t == 0) out[GROUP_X] = v;
    }
}
#endif
