// Texture references, which CUDA had up to its version 11: variables of type texture<T, dimensions, read mode> that the
// host binds to memory or to an array by their name (cuModuleGetTexRef). A kernel reads the texture object that the
// host made for the reference and left in it; texture.h has the functions.
#pragma once
#include "texels.h"

// The kinds of texture: the second argument of texture<>.
enum {
    cudaTextureType1D = 0x01, cudaTextureType2D = 0x02, cudaTextureType3D = 0x03, cudaTextureTypeCubemap = 0x0C,
    cudaTextureType1DLayered = 0xF1, cudaTextureType2DLayered = 0xF2, cudaTextureTypeCubemapLayered = 0xFC,
#ifndef CUDA_SHIM_CUDA
    hipTextureType1D = 0x01, hipTextureType2D = 0x02, hipTextureType3D = 0x03, hipTextureTypeCubemap = 0x0C,
    hipTextureType1DLayered = 0xF1, hipTextureType2DLayered = 0xF2, hipTextureTypeCubemapLayered = 0xFC,
#endif
};
enum cudaTextureReadMode {
    cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1,
#ifndef CUDA_SHIM_CUDA
    hipReadModeElementType = 0, hipReadModeNormalizedFloat = 1,
#endif
};
enum cudaTextureFilterMode {
    cudaFilterModePoint = 0, cudaFilterModeLinear = 1,
#ifndef CUDA_SHIM_CUDA
    hipFilterModePoint = 0, hipFilterModeLinear = 1,
#endif
};
enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0, cudaAddressModeClamp = 1, cudaAddressModeMirror = 2, cudaAddressModeBorder = 3,
#ifndef CUDA_SHIM_CUDA
    hipAddressModeWrap = 0, hipAddressModeClamp = 1, hipAddressModeMirror = 2, hipAddressModeBorder = 3,
#endif
};
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0, cudaChannelFormatKindUnsigned = 1, cudaChannelFormatKindFloat = 2,
#ifndef CUDA_SHIM_CUDA
    hipChannelFormatKindSigned = 0, hipChannelFormatKindUnsigned = 1, hipChannelFormatKindFloat = 2,
#endif
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    cudaChannelFormatKind f;
};
#ifndef CUDA_SHIM_CUDA
typedef cudaTextureReadMode hipTextureReadMode;
typedef cudaTextureFilterMode hipTextureFilterMode;
typedef cudaTextureAddressMode hipTextureAddressMode;
typedef cudaChannelFormatKind hipChannelFormatKind;
typedef cudaChannelFormatDesc hipChannelFormatDesc;
#endif

// HIP's struct, which the host changes: its layout is that of abi/hip_structs.h.
struct textureReference {
    int normalized;
    cudaTextureReadMode readMode;
    cudaTextureFilterMode filterMode;
    cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    cudaTextureObject_t textureObject;
    int numChannels;
    int format;  // CudaShimTexelFormat
};
static_assert(sizeof(textureReference) == 88 && __builtin_offsetof(textureReference, textureObject) == 72,
              "the host knows another layout");

template <class T> struct cuda_shim_texel_layout {
    typedef typename cuda_shim_channels<T>::type channel;
    static constexpr int count = cuda_shim_channels<T>::count, bits = 8 * (int)sizeof(channel);
    static_assert(sizeof(channel) <= 4 && count != 3, "textures hold 1, 2 or 4 channels of up to 32 bits");
    static constexpr bool is_float = (channel)0.5f != 0, is_signed = (channel)-1 < (channel)0;
    static constexpr cudaChannelFormatKind kind = is_float    ? cudaChannelFormatKindFloat
                                                  : is_signed ? cudaChannelFormatKindSigned
                                                              : cudaChannelFormatKindUnsigned;
    static constexpr int format = is_float ? CUDA_SHIM_TEXEL_FLOAT
                                  : (is_signed ? CUDA_SHIM_TEXEL_INT8 : CUDA_SHIM_TEXEL_UINT8) + (bits == 8 ? 0 : bits / 16);
    static constexpr cudaChannelFormatDesc desc = {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind};
};

// Before the host changes it, a reference is bound to nothing, filters nothing, clamps coordinates and holds texels of
// its own type. (NVIDIA's driver reports the same of all references but for the format, which is float there.)
template <class T, int kind = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture : textureReference {
    constexpr texture()
        : textureReference{0, mode, cudaFilterModePoint, {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp},
                           cuda_shim_texel_layout<T>::desc, 0, 0, cudaFilterModePoint, 0.0f, 0.0f, 0.0f, 0,
                           cuda_shim_texel_layout<T>::count, cuda_shim_texel_layout<T>::format} {}
};

// The type that a fetch through a reference returns: T, or as many floats as T has channels; and tex2Dgather's type.
template <int count> struct cuda_shim_floats {};
template <> struct cuda_shim_floats<1> { typedef float type; };
template <> struct cuda_shim_floats<2> { typedef float2 type; };
template <> struct cuda_shim_floats<4> { typedef float4 type; };
template <class T, cudaTextureReadMode mode> struct cuda_shim_fetched {
    typedef T type;
    typedef typename cuda_shim_texel_type<typename cuda_shim_channels<T>::type>::four four;
};
template <class T> struct cuda_shim_fetched<T, cudaReadModeNormalizedFloat> : cuda_shim_floats<cuda_shim_channels<T>::count> {
    typedef float4 four;
};

// A reference that is bound to nothing reads as a texel without channels: zero everywhere, as on NVIDIA's GPUs.
static constexpr CudaShimTexture cuda_shim_nothing_bound = {
    {nullptr, 1, 1, 1, 0, 0, CUDA_SHIM_TEXEL_UINT32, 0, 0, 3, 0, 0}, nullptr, 1, 0, {}, 0, 0, 0, 0, 0, 0, 0, {}, 0, 0, 0};
// Not checked: the reference is the runtime's to change, and no memory of the kernel's.
CUDA_SHIM_TEXTURE_FUNCTION const CudaShimTexture* cuda_shim_texture(const textureReference& reference) {
    return reference.textureObject ? (const CudaShimTexture*)reference.textureObject : &cuda_shim_nothing_bound;
}
