// Whether the GPU can read textures and surfaces at all: CDNA 3 and later have no image units.
#pragma once
#pragma GCC system_header

#if __HIP_NO_IMAGE_SUPPORT
#define CUDA_ON_HIP_IMAGE \
    __attribute__((unavailable("this GPU has no image units, which textures and surfaces need"))) CUDA_ON_HIP_DEVICE
#else
#define CUDA_ON_HIP_IMAGE CUDA_ON_HIP_DEVICE
#endif
