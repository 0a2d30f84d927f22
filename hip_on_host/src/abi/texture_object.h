// Texture and surface objects as running kernels see them: a hipTextureObject_t is the address of a CudaShimTexture, a
// hipSurfaceObject_t that of a CudaShimSurface. libamdhip64 fills them in; the device headers' fetch functions read
// them. Plain C layout.
//
// Part of the contract of kernel_module.h: changing it changes CUDA_SHIM_KERNEL_ABI_VERSION.
#pragma once
#include "plain_types.h"

extern "C" {

// Interpretation of the bits of one channel; the values are hipArray_Format's.
enum CudaShimTexelFormat {
    CUDA_SHIM_TEXEL_UINT8 = 1,
    CUDA_SHIM_TEXEL_UINT16 = 2,
    CUDA_SHIM_TEXEL_UINT32 = 3,
    CUDA_SHIM_TEXEL_INT8 = 8,
    CUDA_SHIM_TEXEL_INT16 = 9,
    CUDA_SHIM_TEXEL_INT32 = 10,
    CUDA_SHIM_TEXEL_HALF = 16,
    CUDA_SHIM_TEXEL_FLOAT = 32,
};

// Rows of texels. Extents in texels; height and depth are 1 where there is no such dimension.
struct CudaShimTexels {
    char* data;
    uint64_t width, height, depth;
    uint64_t pitch;          // bytes from row to row
    uint64_t slice;          // bytes from slice, layer or face to the next
    uint32_t format;         // CudaShimTexelFormat
    uint32_t channels;       // 1, 2 or 4
    uint32_t texel_bytes;
    uint32_t dimensions;     // 1, 2 or 3: how many coordinates are filtered; layers and faces do not count
    uint32_t layered;        // 1: depth counts layers
    uint32_t cubemap;        // 1: depth counts faces, +x -x +y -y +z -z, six for each layer
};

struct CudaShimTexture {
    struct CudaShimTexels texels;         // level 0
    const struct CudaShimTexels* levels;  // all levels of a mipmapped array; null for others
    uint32_t level_count;                 // 1 for others
    uint32_t linear_memory;               // 1: plain memory for tex1Dfetch; no filtering, no address modes
    uint32_t address_mode[3];             // hipTextureAddressMode: 0 wrap, 1 clamp, 2 mirror, 3 border
    uint32_t linear_filter;               // 1: interpolate between texels
    uint32_t normalized_read;             // 1: integers are read as floats in [0, 1] or [-1, 1]
    uint32_t normalized_coordinates;      // 1: coordinates in [0, 1)
    uint32_t srgb;                        // 1: 8-bit channels but alpha are converted from sRGB
    uint32_t linear_mipmap_filter;
    uint32_t words;                       // its channels, where they are 32-bit words and it has no levels; else 0
    uint32_t max_anisotropy;              // kept; filtering is isotropic
    float border[4];
    float mipmap_bias, mipmap_least, mipmap_most;
};

struct CudaShimSurface {
    struct CudaShimTexels texels;
};

}  // extern "C"
