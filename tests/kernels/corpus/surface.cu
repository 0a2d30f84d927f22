// Surface objects: bytes of an array, read and written.

extern "C" __global__ void invert(cudaSurfaceObject_t image, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    uchar4 colour = surf2Dread<uchar4>(image, x * (int)sizeof(uchar4), y);
    surf2Dwrite(make_uchar4(255 - colour.x, 255 - colour.y, 255 - colour.z, colour.w), image, x * (int)sizeof(uchar4), y);
}

// What lies outside is zero, and what is written there is lost.
extern "C" __global__ void shifted(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    surf2Dwrite(surf2Dread<float>(from, 4 * (x - 1), y - 2, cudaBoundaryModeZero), to, 4 * (x + 3), y, cudaBoundaryModeZero);
}

extern "C" __global__ void other_shapes(cudaSurfaceObject_t row, cudaSurfaceObject_t volume, cudaSurfaceObject_t layers, int width, int height, int depth) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width, y = i / width % height, z = i / width / height;
    if (z >= depth) return;
    if (i < width) surf1Dwrite((short)(surf1Dread<short>(row, 2 * i) + 1), row, 2 * i);
    float2 here;
    surf3Dread(&here, volume, x * 8, y, z);
    surf3Dwrite(make_float2(here.y, here.x), volume, x * 8, y, z);
    surf2DLayeredwrite(surf2DLayeredread<int>(layers, x * 4, y, z) * (z + 1), layers, x * 4, y, z);
}
