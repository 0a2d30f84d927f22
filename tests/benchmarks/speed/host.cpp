// The same work as plain loops, on as many threads as there are cores: what a C++ programmer would write first.
#include <cmath>
#include <cstddef>
#include <thread>
#include <vector>

template <class F> static void in_parts(size_t n, F body) {
    const size_t parts = std::thread::hardware_concurrency() ? std::thread::hardware_concurrency() : 1;
    std::vector<std::thread> threads;
    for (size_t part = 1; part < parts; ++part)
        threads.emplace_back([=] { body(part, n * part / parts, n * (part + 1) / parts); });
    body(size_t{0}, size_t{0}, n / parts);
    for (std::thread& thread : threads) thread.join();
}

extern "C" {

void saxpy(float a, const float* __restrict x, float* __restrict y, int n) {
    in_parts(n, [=](size_t, size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) y[i] = a * x[i] + y[i];
    });
}

// One partial sum for each thread, into `out`.
void sum(const float* x, float* out, int n) {
    in_parts(n, [=](size_t part, size_t begin, size_t end) {
        float total = 0;
        for (size_t i = begin; i < end; ++i) total += x[i];
        out[part] = total;
    });
}

void exp_sin(const float* __restrict x, float* __restrict y, int n) {
    in_parts(n, [=](size_t, size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) y[i] = std::exp(-x[i]) * std::sin(x[i]);
    });
}

void matmul(const float* __restrict a, const float* __restrict b, float* __restrict c, int n) {
    in_parts(n, [=](size_t, size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            for (int j = 0; j < n; ++j) c[i * n + j] = 0;
            for (int k = 0; k < n; ++k)
                for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
    });
}

void mandelbrot(int* out, int width, int height) {
    in_parts(height, [=](size_t, size_t begin, size_t end) {
        for (size_t y = begin; y < end; ++y)
            for (int x = 0; x < width; ++x) {
                float cx = -2.0f + 3.0f * x / width, cy = -1.0f + 2.0f * y / height, zx = 0, zy = 0;
                int i = 0;
                for (; i < 100 && zx * zx + zy * zy < 4.0f; ++i) {
                    float next = zx * zx - zy * zy + cx;
                    zy = 2 * zx * zy + cy;
                    zx = next;
                }
                out[y * width + x] = i;
            }
    });
}

void bodies(const float* position, float* acceleration, int n) {
    in_parts(n, [=](size_t, size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            float ax = 0, ay = 0, az = 0;
            for (int k = 0; k < n; ++k) {
                float dx = position[4 * k] - position[4 * i], dy = position[4 * k + 1] - position[4 * i + 1];
                float dz = position[4 * k + 2] - position[4 * i + 2];
                float inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
                float force = position[4 * k + 3] * inverse * inverse * inverse;
                ax += force * dx, ay += force * dy, az += force * dz;
            }
            acceleration[4 * i] = ax, acceleration[4 * i + 1] = ay, acceleration[4 * i + 2] = az, acceleration[4 * i + 3] = 0;
        }
    });
}

}  // extern "C"
