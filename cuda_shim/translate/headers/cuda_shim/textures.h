// Functions of texture objects. CUDA's objects are numbers, HIP's are pointers: here they may be either, or a class
// that converts to one.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>
#include <cuda_shim/images.h>

// The last form is of texture references.
#define CUDA_ON_HIP_TEXTURE(name)                                                                                    \
    template <class T, class... Rest> CUDA_ON_HIP_IMAGE T cuda_on_hip_##name(hipTextureObject_t object, Rest... rest) { \
        return name<T>(object, rest...);                                                                             \
    }                                                                                                                \
    template <class T, class... Rest> CUDA_ON_HIP_IMAGE T cuda_on_hip_##name(unsigned long long object, Rest... rest) { \
        return name<T>((hipTextureObject_t)object, rest...);                                                         \
    }                                                                                                                \
    template <class T, class... Rest>                                                                                \
    CUDA_ON_HIP_IMAGE void cuda_on_hip_##name(T* value, hipTextureObject_t object, Rest... rest) {                   \
        *value = name<T>(object, rest...);                                                                           \
    }                                                                                                                \
    template <class T, class... Rest>                                                                                \
    CUDA_ON_HIP_IMAGE void cuda_on_hip_##name(T* value, unsigned long long object, Rest... rest) {                   \
        *value = name<T>((hipTextureObject_t)object, rest...);                                                       \
    }                                                                                                                \
    template <class Reference, class... Rest>                                                                        \
    CUDA_ON_HIP_IMAGE auto cuda_on_hip_##name(const Reference& reference, Rest... rest)->decltype(name(reference, rest...)) { \
        return name(reference, rest...);                                                                             \
    }
CUDA_ON_HIP_TEXTURE(tex1D)
CUDA_ON_HIP_TEXTURE(tex1DGrad)
CUDA_ON_HIP_TEXTURE(tex1DLayered)
CUDA_ON_HIP_TEXTURE(tex1DLayeredGrad)
CUDA_ON_HIP_TEXTURE(tex1DLayeredLod)
CUDA_ON_HIP_TEXTURE(tex1DLod)
CUDA_ON_HIP_TEXTURE(tex1Dfetch)
CUDA_ON_HIP_TEXTURE(tex2D)
CUDA_ON_HIP_TEXTURE(tex2DGrad)
CUDA_ON_HIP_TEXTURE(tex2DLayered)
CUDA_ON_HIP_TEXTURE(tex2DLayeredGrad)
CUDA_ON_HIP_TEXTURE(tex2DLayeredLod)
CUDA_ON_HIP_TEXTURE(tex2DLod)
CUDA_ON_HIP_TEXTURE(tex2Dgather)
CUDA_ON_HIP_TEXTURE(tex3D)
CUDA_ON_HIP_TEXTURE(tex3DGrad)
CUDA_ON_HIP_TEXTURE(tex3DLod)
CUDA_ON_HIP_TEXTURE(texCubemap)
CUDA_ON_HIP_TEXTURE(texCubemapGrad)
CUDA_ON_HIP_TEXTURE(texCubemapLayered)
CUDA_ON_HIP_TEXTURE(texCubemapLayeredGrad)
CUDA_ON_HIP_TEXTURE(texCubemapLayeredLod)
CUDA_ON_HIP_TEXTURE(texCubemapLod)
#undef CUDA_ON_HIP_TEXTURE
