// CUDA's surface functions for surface objects: bytes of an array, read and written in place. The first coordinate
// counts bytes, the others rows and slices.
#pragma once
#include "../../src/abi/texture_object.h"

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };
#ifndef CUDA_SHIM_CUDA
typedef cudaSurfaceBoundaryMode hipSurfaceBoundaryMode;
#define hipBoundaryModeZero cudaBoundaryModeZero
#define hipBoundaryModeClamp cudaBoundaryModeClamp
#define hipBoundaryModeTrap cudaBoundaryModeTrap
#endif

CUDA_SHIM_INLINE int64_t cuda_shim_surface_clamp(int64_t place, int64_t last) { return place < 0 ? 0 : place > last ? last : place; }
// The address for a place outside of the surface. In CUDA's default mode it is an illegal one, whose access stops the
// kernel.
CUDA_SHIM_INLINE char* cuda_shim_surface_outside(const CudaShimTexels& texels, int64_t x, int64_t y, int64_t z, bool layered,
                                                 int64_t bytes, cudaSurfaceBoundaryMode mode) {
    if (mode == cudaBoundaryModeZero) return nullptr;
    if (mode == cudaBoundaryModeTrap) {
        uintptr_t nowhere = 8;
        asm volatile("" : "+r"(nowhere));
        return (char*)nowhere;
    }
    // Layers are unsigned numbers.
    if (layered) z = (int64_t)(uint32_t)z;
    return texels.data + (uint64_t)cuda_shim_surface_clamp(z, (int64_t)texels.depth - 1) * texels.slice +
           (uint64_t)cuda_shim_surface_clamp(y, (int64_t)texels.height - 1) * texels.pitch +
           cuda_shim_surface_clamp(x, (int64_t)(texels.width * texels.texel_bytes) - bytes);
}
// Not checked, since the surface object is the runtime's memory; the memory that it points to is the kernel's, and read
// by the caller.
static CUDA_SHIM_UNCHECKED __attribute__((noinline, unused)) char* cuda_shim_surface_address(
    cudaSurfaceObject_t surface, int64_t x, int64_t y, int64_t z, bool layered, int64_t bytes, cudaSurfaceBoundaryMode mode) {
    const CudaShimTexels& texels = ((const CudaShimSurface*)surface)->texels;
    const bool inside = x >= 0 && x + bytes <= (int64_t)(texels.width * texels.texel_bytes) && y >= 0 && y < (int64_t)texels.height &&
                        z >= 0 && z < (int64_t)texels.depth;
    if (!inside) return cuda_shim_surface_outside(texels, x, y, z, layered, bytes, mode);
    return texels.data + (uint64_t)z * texels.slice + (uint64_t)y * texels.pitch + x;
}
template <class T> CUDA_SHIM_INLINE T cuda_shim_surface_read(const char* address) {
    static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "surfaces hold elements of 1, 2, 4, 8 or 16 bytes");
    T value{};
    if (address) __builtin_memcpy((void*)&value, address, sizeof(T));
    return value;
}
template <class T> CUDA_SHIM_INLINE void cuda_shim_surface_write(char* address, const T& value) {
    static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "surfaces hold elements of 1, 2, 4, 8 or 16 bytes");
    if (address) __builtin_memcpy(address, (const void*)&value, sizeof(T));
}

#define CUDA_SHIM_SURFACE_ADDRESS(y, z, layered) cuda_shim_surface_address(surface, x, y, z, layered, sizeof(T), mode)
// Reading returns the value or writes it where the first argument points.
#define CUDA_SHIM_SURFACE(name, address, ...)                                                                                     \
    template <class T>                                                                                                            \
    CUDA_SHIM_INLINE T name##read(cudaSurfaceObject_t surface, __VA_ARGS__, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
        return cuda_shim_surface_read<T>(address);                                                                                \
    }                                                                                                                             \
    template <class T>                                                                                                            \
    CUDA_SHIM_INLINE void name##read(T* value, cudaSurfaceObject_t surface, __VA_ARGS__,                                          \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                       \
        *value = cuda_shim_surface_read<T>(address);                                                                              \
    }                                                                                                                             \
    template <class T>                                                                                                            \
    CUDA_SHIM_INLINE void name##write(T value, cudaSurfaceObject_t surface, __VA_ARGS__,                                          \
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                      \
        cuda_shim_surface_write(address, value);                                                                                  \
    }
CUDA_SHIM_SURFACE(surf1D, CUDA_SHIM_SURFACE_ADDRESS(0, 0, false), int x)
CUDA_SHIM_SURFACE(surf2D, CUDA_SHIM_SURFACE_ADDRESS(y, 0, false), int x, int y)
CUDA_SHIM_SURFACE(surf3D, CUDA_SHIM_SURFACE_ADDRESS(y, z, false), int x, int y, int z)
CUDA_SHIM_SURFACE(surf1DLayered, CUDA_SHIM_SURFACE_ADDRESS(0, layer, true), int x, int layer)
CUDA_SHIM_SURFACE(surf2DLayered, CUDA_SHIM_SURFACE_ADDRESS(y, layer, true), int x, int y, int layer)
CUDA_SHIM_SURFACE(surfCubemap, CUDA_SHIM_SURFACE_ADDRESS(y, face, true), int x, int y, int face)
CUDA_SHIM_SURFACE(surfCubemapLayered, CUDA_SHIM_SURFACE_ADDRESS(y, face, true), int x, int y, int face)
