extern "C" __global__ void stencil(const int* in, int* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2) return;
    for (int z = 2; z < n - 2; z++) {
        int at = (z * n + y) * n + x, sum = in[at];
        for (int d = 1; d <= 2; d++)
            for (int side = -1; side <= 1; side += 2)
                sum += d * (in[at + side * d] + in[at + side * d * n] + in[at + side * d * n * n]);
        out[at] = sum;
    }
}
extern "C" __global__ void kept(const int* in, int* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, last = 0, most = 0;
    for (int z = 0; z < n; z++) {
        int digits = 0;
        for (int d = 0; d < 4; d++) {
            if ((in[z] + x) >> d & 1) continue;
            if (d == x % 5) break;
            digits += d + last;
        }
        last = digits % 7;
        most = digits > most ? digits : most;
    }
    if (x < n * n) out[x] = most * 10 + last;
}
