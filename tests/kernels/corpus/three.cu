// Minima and maxima of three numbers, of sums, and those that say which it was.

extern "C" __global__ void words(const int* x, const int* y, const int* z, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = x[i], b = y[i], c = z[i];
    bool first, second;
    int larger = __vibmax_s32(a, b, &first);
    unsigned smaller = __vibmin_u32(a, b, &second);
    int found[] = {__vimax3_s32(a, b, c), (int)__vimin3_u32(a, b, c), __vimax3_s32_relu(a, b, c), __vimin_s32_relu(a, b), __viaddmax_s32(a, b, c),
                   (int)__viaddmin_u32(a, b, c), __viaddmax_s32_relu(a, b, c), larger, (int)smaller, first + 2 * second};
    for (int row = 0; row < 10; ++row) out[row * n + i] = found[row];
}

extern "C" __global__ void halves(const unsigned* x, const unsigned* y, const unsigned* z, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = x[i], b = y[i], c = z[i];
    bool high, low;
    unsigned larger = __vibmax_s16x2(a, b, &high, &low);
    unsigned found[] = {__vimax3_s16x2(a, b, c), __vimin3_u16x2(a, b, c), __vimin3_s16x2_relu(a, b, c), __vimax_s16x2_relu(a, b),
                        __viaddmax_s16x2(a, b, c), __viaddmin_u16x2(a, b, c), __viaddmin_s16x2_relu(a, b, c), larger, low + 2u * high};
    for (int row = 0; row < 9; ++row) out[row * n + i] = found[row];
}
