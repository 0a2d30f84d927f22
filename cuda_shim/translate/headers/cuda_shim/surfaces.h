// Surface functions, for objects that are numbers as in CUDA or pointers as in HIP. HIP has the functions that write
// their result through a pointer argument; the others are built on them.
// AMD's hardware reads zeros outside an array and drops writes there in every mode; so a program that asks for another
// boundary mode is refused.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>
#include <cuda_shim/images.h>

enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0,
    cudaBoundaryModeClamp __attribute__((unavailable("AMD's hardware reads zeros outside a surface, not what lies nearest"))) = 1,
    cudaBoundaryModeTrap = 2
};

#define CUDA_ON_HIP_SURFACE_OF(object, name, arguments, ...)                                                          \
    template <class T>                                                                                               \
    CUDA_ON_HIP_IMAGE void cuda_on_hip_##name##read(T* value, object surface, __VA_ARGS__,                           \
                                                    cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) {                \
        name##read(value, (hipSurfaceObject_t)surface, CUDA_ON_HIP_LIST arguments);                                  \
    }                                                                                                                \
    template <class T>                                                                                               \
    CUDA_ON_HIP_IMAGE T cuda_on_hip_##name##read(object surface, __VA_ARGS__,                                        \
                                                 cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) {                   \
        T value;                                                                                                     \
        name##read(&value, (hipSurfaceObject_t)surface, CUDA_ON_HIP_LIST arguments);                                 \
        return value;                                                                                                \
    }                                                                                                                \
    template <class T>                                                                                               \
    CUDA_ON_HIP_IMAGE void cuda_on_hip_##name##write(T value, object surface, __VA_ARGS__,                           \
                                                     cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) {               \
        name##write(value, (hipSurfaceObject_t)surface, CUDA_ON_HIP_LIST arguments);                                 \
    }
#define CUDA_ON_HIP_SURFACE(name, arguments, ...)                                     \
    CUDA_ON_HIP_SURFACE_OF(hipSurfaceObject_t, name, arguments, __VA_ARGS__)          \
    CUDA_ON_HIP_SURFACE_OF(unsigned long long, name, arguments, __VA_ARGS__)
#define CUDA_ON_HIP_LIST(...) __VA_ARGS__

CUDA_ON_HIP_SURFACE(surf1D, (x), int x)
CUDA_ON_HIP_SURFACE(surf2D, (x, y), int x, int y)
CUDA_ON_HIP_SURFACE(surf3D, (x, y, z), int x, int y, int z)
CUDA_ON_HIP_SURFACE(surf1DLayered, (x, layer), int x, int layer)
CUDA_ON_HIP_SURFACE(surf2DLayered, (x, y, layer), int x, int y, int layer)
CUDA_ON_HIP_SURFACE(surfCubemap, (x, y, face), int x, int y, int face)
// CUDA counts the faces of all layers in one number.
CUDA_ON_HIP_SURFACE(surfCubemapLayered, (x, y, face % 6, face / 6), int x, int y, int face)
#undef CUDA_ON_HIP_SURFACE
#undef CUDA_ON_HIP_SURFACE_OF
#undef CUDA_ON_HIP_LIST
