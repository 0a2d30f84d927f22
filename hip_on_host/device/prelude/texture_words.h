// Textures whose channels are 32-bit words, as in most programs: the texels of texture_filter.h, inline and with few
// tests. No channel is converted, and there are no levels (the runtime states this in CudaShimTexture::words).
#pragma once
#include "texture_filter.h"

template <int channels> CUDA_SHIM_INLINE cuda_shim_texel cuda_shim_words_at(const void* address) {
    cuda_shim_texel texel = {};
    __builtin_memcpy(texel.word, address, channels * sizeof(uint32_t));
    return texel;
}
template <int channels>
CUDA_SHIM_INLINE cuda_shim_texel cuda_shim_fetch_words(const CudaShimTexture* texture, const cuda_shim_fetch& fetch) {
    const CudaShimTexels* const image = &texture->texels;
    const cuda_shim_texel_place place = cuda_shim_place_fetch(texture, image, fetch, texture->linear_filter);
    const auto& axis = place.axis;
    const int64_t all = axis[0].index[0] | axis[0].index[1] | axis[1].index[0] | axis[1].index[1] | axis[2].index[0] | axis[2].index[1];
    if (__builtin_expect(all < 0, 0)) return cuda_shim_texture_fetch(texture, fetch);  // some of it is the border
    const auto corner_words = [&](int corner) __attribute__((always_inline)) {
        const uint64_t z = place.slice + (uint64_t)axis[2].index[corner >> 2];
        const char* const row = image->data + z * image->slice + (uint64_t)axis[1].index[corner >> 1 & 1] * image->pitch;
        return cuda_shim_words_at<channels>(row + (uint64_t)axis[0].index[corner & 1] * image->texel_bytes);
    };
    return texture->linear_filter ? cuda_shim_filter<channels>(place, fetch.dimensions, corner_words) : corner_words(0);
}

// The words that a fetch as T needs, or all four where the texture is another.
template <class T>
CUDA_SHIM_INLINE cuda_shim_texel cuda_shim_texture_read(const CudaShimTexture* texture, const cuda_shim_fetch& fetch) {
#ifndef CUDA_SHIM_CHECKED
    constexpr int channels = cuda_shim_channels<T>::count;
    if (__builtin_expect(texture->words >= channels, 1)) return cuda_shim_fetch_words<channels>(texture, fetch);
#endif
    return cuda_shim_texture_fetch(texture, fetch);
}
template <class T> CUDA_SHIM_INLINE cuda_shim_texel cuda_shim_texture_read_element(const CudaShimTexture* texture, int index) {
#ifndef CUDA_SHIM_CHECKED
    constexpr int channels = cuda_shim_channels<T>::count;
    if (__builtin_expect(texture->words >= channels, 1))
        return (uint64_t)(int64_t)index < texture->texels.width
                   ? cuda_shim_words_at<channels>(texture->texels.data + (uint64_t)index * texture->texels.texel_bytes)
                   : cuda_shim_texel{};
#endif
    return cuda_shim_texture_element(texture, index);
}
