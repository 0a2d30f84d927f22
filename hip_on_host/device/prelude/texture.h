// CUDA's texture functions for texture objects and references: tex1Dfetch, tex1D, tex2D, tex3D, texCubemap, their
// layered forms, the forms with a level of detail or derivatives, and tex2Dgather.
#pragma once
// Part for programs with names that begin with: tex1D tex2D tex3D texCubemap surf1D surf2D surf3D surfCubemap
#include "texture_words.h"

CUDA_SHIM_INLINE const CudaShimTexture* cuda_shim_texture(cudaTextureObject_t handle) { return (const CudaShimTexture*)handle; }

CUDA_SHIM_INLINE cuda_shim_fetch cuda_shim_fetch_1d(float x, int layer = 0) { return {1, x, 0.0f, 0.0f, layer, false}; }
CUDA_SHIM_INLINE cuda_shim_fetch cuda_shim_fetch_2d(float x, float y, int layer = 0) { return {2, x, y, 0.0f, layer, false}; }
CUDA_SHIM_INLINE cuda_shim_fetch cuda_shim_fetch_3d(float x, float y, float z) { return {3, x, y, z, 0, false}; }
CUDA_SHIM_INLINE cuda_shim_fetch cuda_shim_fetch_cube(float x, float y, float z, int layer = 0) { return {2, x, y, z, layer, true}; }

#ifdef CUDA_SHIM_TEXTURE_REFERENCES
#define CUDA_SHIM_TEXTURE_READ_REFERENCE(name, kind, texel, ...)                                                  \
    template <class T, cudaTextureReadMode mode>                                                                  \
    CUDA_SHIM_INLINE typename cuda_shim_fetched<T, mode>::type name(const ::texture<T, kind, mode>& texture, __VA_ARGS__) { \
        typedef typename cuda_shim_fetched<T, mode>::type asked;                                                  \
        return cuda_shim_texel_type<asked>::from(texel);                                                          \
    }
#else
#define CUDA_SHIM_TEXTURE_READ_REFERENCE(name, kind, texel, ...)
#endif
// Defines each function on objects twice: one returns a value, and one writes it to its first argument's address.
#define CUDA_SHIM_TEXTURE_READ_OBJECT(name, texel, ...)                                                           \
    template <class T>                                                                                            \
    CUDA_SHIM_INLINE typename cuda_shim_texel_type<T>::type name(cudaTextureObject_t texture, __VA_ARGS__) {      \
        typedef T asked;                                                                                          \
        return cuda_shim_texel_type<T>::from(texel);                                                              \
    }                                                                                                             \
    template <class T, class Texel = typename cuda_shim_texel_type<T>::type>                                      \
    CUDA_SHIM_INLINE void name(T* value, cudaTextureObject_t texture, __VA_ARGS__) {                              \
        typedef T asked;                                                                                          \
        *value = cuda_shim_texel_type<T>::from(texel);                                                            \
    }
// Defines the function for references to textures of its kind as well.
#define CUDA_SHIM_TEXTURE_READ(name, kind, texel, ...)                                                            \
    CUDA_SHIM_TEXTURE_READ_OBJECT(name, texel, __VA_ARGS__)                                                       \
    CUDA_SHIM_TEXTURE_READ_REFERENCE(name, cudaTextureType##kind, texel, __VA_ARGS__)
// Defines functions for sparse textures as well, which report whether the texel has memory behind it: here all have.
#define CUDA_SHIM_TEXTURE_READ_SPARSE(name, kind, texel, ...)                                                     \
    CUDA_SHIM_TEXTURE_READ(name, kind, texel, __VA_ARGS__)                                                        \
    CUDA_SHIM_TEXTURE_READ(name, kind, (*resident = true, texel), __VA_ARGS__, bool* resident)

#define CUDA_SHIM_FETCH(fetch) cuda_shim_texture_read<asked>(cuda_shim_texture(texture), fetch)
#define CUDA_SHIM_FETCH_LOD(fetch) cuda_shim_texture_fetch_lod(cuda_shim_texture(texture), fetch, level)
#define CUDA_SHIM_FETCH_GRAD(fetch, x, y, z) \
    cuda_shim_texture_fetch_grad(cuda_shim_texture(texture), fetch, float4{x(across), y(across), z(across), 0}, float4{x(down), y(down), z(down), 0})
#define CUDA_SHIM_ITSELF(v) v
#define CUDA_SHIM_X(v) v.x
#define CUDA_SHIM_Y(v) v.y
#define CUDA_SHIM_Z(v) v.z
#define CUDA_SHIM_NOUGHT(v) 0.0f

CUDA_SHIM_TEXTURE_READ(tex1Dfetch, 1D, cuda_shim_texture_read_element<asked>(cuda_shim_texture(texture), x), int x)

#define CUDA_SHIM_GATHER cuda_shim_texture_gather(cuda_shim_texture(texture), cuda_shim_fetch_2d(x, y), component)
CUDA_SHIM_TEXTURE_READ_OBJECT(tex2Dgather, CUDA_SHIM_GATHER, float x, float y, int component)
CUDA_SHIM_TEXTURE_READ_OBJECT(tex2Dgather, (*resident = true, CUDA_SHIM_GATHER), float x, float y, int component, bool* resident)
// The component may be left out.
template <class T> CUDA_SHIM_INLINE typename cuda_shim_texel_type<T>::type tex2Dgather(cudaTextureObject_t texture, float x, float y) {
    return tex2Dgather<T>(texture, x, y, 0);
}
template <class T, class Texel = typename cuda_shim_texel_type<T>::type>
CUDA_SHIM_INLINE void tex2Dgather(T* value, cudaTextureObject_t texture, float x, float y) {
    *value = tex2Dgather<T>(texture, x, y, 0);
}
#ifdef CUDA_SHIM_TEXTURE_REFERENCES
template <class T, cudaTextureReadMode mode>
CUDA_SHIM_INLINE typename cuda_shim_fetched<T, mode>::four tex2Dgather(const ::texture<T, cudaTextureType2D, mode>& texture, float x,
                                                                       float y, int component = 0) {
    return cuda_shim_texel_type<typename cuda_shim_fetched<T, mode>::four>::from(CUDA_SHIM_GATHER);
}
#endif

CUDA_SHIM_TEXTURE_READ(tex1D, 1D, CUDA_SHIM_FETCH(cuda_shim_fetch_1d(x)), float x)
CUDA_SHIM_TEXTURE_READ_SPARSE(tex2D, 2D, CUDA_SHIM_FETCH(cuda_shim_fetch_2d(x, y)), float x, float y)
CUDA_SHIM_TEXTURE_READ_SPARSE(tex3D, 3D, CUDA_SHIM_FETCH(cuda_shim_fetch_3d(x, y, z)), float x, float y, float z)
CUDA_SHIM_TEXTURE_READ(texCubemap, Cubemap, CUDA_SHIM_FETCH(cuda_shim_fetch_cube(x, y, z)), float x, float y, float z)
CUDA_SHIM_TEXTURE_READ(tex1DLayered, 1DLayered, CUDA_SHIM_FETCH(cuda_shim_fetch_1d(x, layer)), float x, int layer)
CUDA_SHIM_TEXTURE_READ_SPARSE(tex2DLayered, 2DLayered, CUDA_SHIM_FETCH(cuda_shim_fetch_2d(x, y, layer)),
                              float x, float y, int layer)
CUDA_SHIM_TEXTURE_READ(texCubemapLayered, CubemapLayered, CUDA_SHIM_FETCH(cuda_shim_fetch_cube(x, y, z, layer)),
                       float x, float y, float z, int layer)

CUDA_SHIM_TEXTURE_READ(tex1DLod, 1D, CUDA_SHIM_FETCH_LOD(cuda_shim_fetch_1d(x)), float x, float level)
CUDA_SHIM_TEXTURE_READ_SPARSE(tex2DLod, 2D, CUDA_SHIM_FETCH_LOD(cuda_shim_fetch_2d(x, y)), float x, float y, float level)
CUDA_SHIM_TEXTURE_READ_SPARSE(tex3DLod, 3D, CUDA_SHIM_FETCH_LOD(cuda_shim_fetch_3d(x, y, z)),
                              float x, float y, float z, float level)
CUDA_SHIM_TEXTURE_READ(texCubemapLod, Cubemap, CUDA_SHIM_FETCH_LOD(cuda_shim_fetch_cube(x, y, z)),
                       float x, float y, float z, float level)
CUDA_SHIM_TEXTURE_READ(tex1DLayeredLod, 1DLayered, CUDA_SHIM_FETCH_LOD(cuda_shim_fetch_1d(x, layer)),
                       float x, int layer, float level)
CUDA_SHIM_TEXTURE_READ_SPARSE(tex2DLayeredLod, 2DLayered, CUDA_SHIM_FETCH_LOD(cuda_shim_fetch_2d(x, y, layer)),
                              float x, float y, int layer, float level)
CUDA_SHIM_TEXTURE_READ(texCubemapLayeredLod, CubemapLayered, CUDA_SHIM_FETCH_LOD(cuda_shim_fetch_cube(x, y, z, layer)),
                       float x, float y, float z, int layer, float level)

CUDA_SHIM_TEXTURE_READ(tex1DGrad, 1D,
                       CUDA_SHIM_FETCH_GRAD(cuda_shim_fetch_1d(x), CUDA_SHIM_ITSELF, CUDA_SHIM_NOUGHT, CUDA_SHIM_NOUGHT),
                       float x, float across, float down)
CUDA_SHIM_TEXTURE_READ_SPARSE(tex2DGrad, 2D,
                              CUDA_SHIM_FETCH_GRAD(cuda_shim_fetch_2d(x, y), CUDA_SHIM_X, CUDA_SHIM_Y, CUDA_SHIM_NOUGHT),
                              float x, float y, float2 across, float2 down)
CUDA_SHIM_TEXTURE_READ_SPARSE(tex3DGrad, 3D,
                              CUDA_SHIM_FETCH_GRAD(cuda_shim_fetch_3d(x, y, z), CUDA_SHIM_X, CUDA_SHIM_Y, CUDA_SHIM_Z),
                              float x, float y, float z, float4 across, float4 down)
CUDA_SHIM_TEXTURE_READ(texCubemapGrad, Cubemap,
                       CUDA_SHIM_FETCH_GRAD(cuda_shim_fetch_cube(x, y, z), CUDA_SHIM_X, CUDA_SHIM_Y, CUDA_SHIM_Z),
                       float x, float y, float z, float4 across, float4 down)
CUDA_SHIM_TEXTURE_READ(tex1DLayeredGrad, 1DLayered,
                       CUDA_SHIM_FETCH_GRAD(cuda_shim_fetch_1d(x, layer), CUDA_SHIM_ITSELF, CUDA_SHIM_NOUGHT, CUDA_SHIM_NOUGHT),
                       float x, int layer, float across, float down)
CUDA_SHIM_TEXTURE_READ_SPARSE(tex2DLayeredGrad, 2DLayered,
                              CUDA_SHIM_FETCH_GRAD(cuda_shim_fetch_2d(x, y, layer), CUDA_SHIM_X, CUDA_SHIM_Y, CUDA_SHIM_NOUGHT),
                              float x, float y, int layer, float2 across, float2 down)
CUDA_SHIM_TEXTURE_READ(texCubemapLayeredGrad, CubemapLayered,
                       CUDA_SHIM_FETCH_GRAD(cuda_shim_fetch_cube(x, y, z, layer), CUDA_SHIM_X, CUDA_SHIM_Y, CUDA_SHIM_Z),
                       float x, float y, float z, int layer, float4 across, float4 down)
