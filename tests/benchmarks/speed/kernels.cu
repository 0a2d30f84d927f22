// The kernels that are timed. Words in capitals are put into CUDA or OpenCL by contenders.py.

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

#ifndef __OPENCL_VERSION__
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
