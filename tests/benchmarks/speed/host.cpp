// The same work as plain loops, on as many threads as there are cores: the first version of a C++ programmer.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

static size_t thread_count = std::max(1u, std::thread::hardware_concurrency());

template <class F> static void in_parts(size_t n, F body) {
    const size_t parts = thread_count;
    std::vector<std::thread> threads;
    for (size_t part = 1; part < parts; ++part)
        threads.emplace_back([=] { body(part, n * part / parts, n * (part + 1) / parts); });
    body(size_t{0}, size_t{0}, n / parts);
    for (std::thread& thread : threads) thread.join();
}

extern "C" {

void use_threads(size_t count) { thread_count = count; }

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

void exp_sin_of_doubles(const double* __restrict x, double* __restrict y, int n) {
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

void stencil(const float* __restrict in, float* __restrict out, int n) {
    in_parts(n - 8, [=](size_t, size_t begin, size_t end) {
        for (size_t z = begin + 4; z < end + 4; ++z)
            for (int y = 4; y < n - 4; ++y)
                for (int x = 4; x < n - 4; ++x) {
                    const size_t at = (z * n + y) * n + x, row = n, plane = row * n;
                    float sum = 0.25f * in[at];
                    for (int d = 1; d <= 4; ++d)
                        sum += 0.03f / d * (in[at - d] + in[at + d] + in[at - d * row] + in[at + d * row] +
                                            in[at - d * plane] + in[at + d * plane]);
                    out[at] = sum;
                }
    });
}

void histogram(const unsigned* keys, unsigned* counts, int n) {
    std::mutex mutex;
    in_parts(n, [=, &mutex](size_t, size_t begin, size_t end) {
        unsigned bins[256] = {};
        for (size_t i = begin; i < end; ++i) ++bins[keys[i] & 255];
        std::lock_guard<std::mutex> lock(mutex);
        for (int bin = 0; bin < 256; ++bin) counts[bin] += bins[bin];
    });
}

// Prefix sums within every 256 elements.
void scan(const float* __restrict x, float* __restrict out, int n) {
    in_parts(n / 256, [=](size_t, size_t begin, size_t end) {
        for (size_t first = 256 * begin; first < 256 * end; first += 256) {
            float sum = 0;
            for (size_t i = first; i < first + 256; ++i) out[i] = sum += x[i];
        }
    });
}

void transpose(const float* __restrict in, float* __restrict out, int n) {
    in_parts(n / 16, [=](size_t, size_t begin, size_t end) {
        for (size_t row = 16 * begin; row < 16 * end; row += 16)
            for (int column = 0; column < n; column += 16)
                for (int i = 0; i < 16; ++i)
                    for (int j = 0; j < 16; ++j) out[(column + i) * n + row + j] = in[(row + j) * n + column + i];
    });
}

// A picture turned by half a radian; outside of it are the points of its edge.
void turned(const float* __restrict in, float* __restrict out, int n) {
    in_parts(n, [=](size_t, size_t begin, size_t end) {
        for (size_t j = begin; j < end; ++j)
            for (int i = 0; i < n; ++i) {
                const float x = i - 0.5f * n, y = j - 0.5f * n, most = n - 1;
                float u = 0.8775826f * x - 0.4794255f * y + 0.5f * n, v = 0.4794255f * x + 0.8775826f * y + 0.5f * n;
                u = std::fmin(std::fmax(u, 0.0f), most);
                v = std::fmin(std::fmax(v, 0.0f), most);
                const int left = (int)u, top = (int)v, right = left + (left < n - 1), below = top + (top < n - 1);
                const float du = u - left, dv = v - top;
                const float above = in[top * n + left] * (1 - du) + in[top * n + right] * du;
                out[j * n + i] = above * (1 - dv) + (in[below * n + left] * (1 - du) + in[below * n + right] * du) * dv;
            }
    });
}

// Every 256 keys by 4 bits of them: counted, then put into their places.
void radix_pass(const unsigned* __restrict keys, unsigned* __restrict out, int shift) {
    in_parts(1 << 14, [=](size_t, size_t begin, size_t end) {
        for (size_t first = 256 * begin; first < 256 * end; first += 256) {
            unsigned places[17] = {};
            for (size_t i = first; i < first + 256; ++i) ++places[(keys[i] >> shift & 15) + 1];
            for (int digit = 1; digit < 16; ++digit) places[digit] += places[digit - 1];
            for (size_t i = first; i < first + 256; ++i) out[first + places[keys[i] >> shift & 15]++] = keys[i];
        }
    });
}

void black_scholes(const float* __restrict prices, float* __restrict calls, int n) {
    in_parts(n, [=](size_t, size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            const float price = 10 + 90 * prices[i], strike = 50, years = 1.5f, rate = 0.02f, volatility = 0.3f;
            const float spread = volatility * std::sqrt(years);
            const float d1 = (std::log(price / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
            const float n1 = 0.5f * std::erfc(-0.70710678f * d1), n2 = 0.5f * std::erfc(-0.70710678f * (d1 - spread));
            calls[i] = price * n1 - strike * std::exp(-rate * years) * n2;
        }
    });
}

void double_bodies(const double* position, double* acceleration, int n) {
    in_parts(n, [=](size_t, size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            double ax = 0, ay = 0, az = 0;
            for (int k = 0; k < n; ++k) {
                const double dx = position[4 * k] - position[4 * i], dy = position[4 * k + 1] - position[4 * i + 1];
                const double dz = position[4 * k + 2] - position[4 * i + 2];
                const double inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01);
                const double force = position[4 * k + 3] * inverse * inverse * inverse;
                ax += force * dx, ay += force * dy, az += force * dz;
            }
            acceleration[4 * i] = ax, acceleration[4 * i + 1] = ay, acceleration[4 * i + 2] = az;
            acceleration[4 * i + 3] = 0;
        }
    });
}

#ifdef __FLT16_MANT_DIG__
void half_saxpy(float a, const _Float16* __restrict x, _Float16* __restrict y, int n) {
    const _Float16 factor = static_cast<_Float16>(a);
    in_parts(n, [=](size_t, size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) y[i] = factor * x[i] + y[i];
    });
}
#endif

// A copy of `bytes` bytes, as a program without a GPU would make it.
void copy(void* to, const void* from, size_t bytes) { std::memcpy(to, from, bytes); }

}  // extern "C"
