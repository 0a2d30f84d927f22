// What reading and writing outside a surface does in the mode that takes what lies nearest.

extern "C" __global__ void outside(cudaSurfaceObject_t image, const int* x, const int* y, int* zeros, int* nearest, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    surf2Dread(&zeros[i], image, x[i] * 4, y[i], cudaBoundaryModeZero);
    nearest[i] = surf2Dread<int>(image, x[i] * 4, y[i], cudaBoundaryModeClamp);
}

extern "C" __global__ void written_outside(cudaSurfaceObject_t dropped, cudaSurfaceObject_t nearest, int width, int height) {
    // One ring around the image; the corners alone are written to the nearest texel, each by one thread.
    int x = (int)threadIdx.x - 1, y = (int)threadIdx.y - 1;
    bool ring = x < 0 || y < 0 || x == width || y == height, corner = (x < 0 || x == width) && (y < 0 || y == height);
    if (ring) surf2Dwrite(100.0f, dropped, x * 4, y, cudaBoundaryModeZero);
    if (corner) surf2Dwrite(10.0f * (y + 1) + x + 1, nearest, x * 4, y, cudaBoundaryModeClamp);
}
