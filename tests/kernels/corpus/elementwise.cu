// One thread, one element, and the index arithmetic around it.

extern "C" __global__ void saxpy(float a, const float* x, const float* y, float* out, size_t n) {
    size_t tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < n) {
        out[tid] = a * x[tid] + y[tid];
    }
}

extern "C" __global__ void grid_stride(const double* in, double* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = in[i] * in[i] - 1.0;
}

extern "C" __global__ void image_2d(const unsigned char* in, unsigned char* out, int width, int height, int pitch) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int value = in[y * pitch + x] * 3 / 2;
    out[y * pitch + x] = value > 255 ? 255 : (unsigned char)value;
}

extern "C" __global__ void volume_3d(const short* in, int* out, dim3 size) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < size.x && y < size.y && z < size.z) {
        const unsigned at = (z * size.y + y) * size.x + x;
        out[at] = in[at] * (int)(x + 10 * y + 100 * z);
    }
}

extern "C" __global__ void integer_division(const int* a, const int* b, int* quotient, int* remainder, unsigned* uq) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    quotient[i] = a[i] / b[i];
    remainder[i] = a[i] % b[i];
    uq[i] = (unsigned)a[i] / (unsigned)b[i] + ((unsigned)a[i] % 7u);
}

enum class Mode : int { add = 0, multiply = 1, largest = 2 };

extern "C" __global__ void chosen_by_switch(const float* a, const float* b, float* out, Mode mode, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    switch (mode) {
        case Mode::add: out[i] = a[i] + b[i]; break;
        case Mode::multiply: out[i] = a[i] * b[i]; break;
        case Mode::largest: out[i] = a[i] > b[i] ? a[i] : b[i]; break;
        default: out[i] = 0;
    }
}
