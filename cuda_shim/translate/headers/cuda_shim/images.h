// Functions that need image units, for textures and surfaces: CDNA 3 and later have none.
#pragma once
#pragma GCC system_header

#if __HIP_NO_IMAGE_SUPPORT
#define CUDA_ON_HIP_IMAGE \
    __attribute__((unavailable("this GPU has no image units, which textures and surfaces need"))) CUDA_ON_HIP_DEVICE
#else
#define CUDA_ON_HIP_IMAGE CUDA_ON_HIP_DEVICE
#endif
