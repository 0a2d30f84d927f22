// From coordinates to a texel: address modes, linear filtering, levels of a mipmap, faces of a cube.
//
// Linear filtering is CUDA's: it interpolates between the texels around x - 0.5 with weights in 9-bit fixed point, 8
// bits of them fraction, so that 1 is among them. Coordinates are rounded to such fractions before the whole part is
// taken. In two dimensions hardware rounds the product of both weights to 8 bits too and takes the remainders as the
// other three weights, so results here are those of an NVIDIA GPU; in three, and between levels, they are CUDA's
// formula.
#pragma once
#include "texels.h"

enum { CUDA_SHIM_ADDRESS_WRAP, CUDA_SHIM_ADDRESS_CLAMP, CUDA_SHIM_ADDRESS_MIRROR, CUDA_SHIM_ADDRESS_BORDER };

// One coordinate: the texel below it and the one after, -1 for the border's colour, and the weight of the second, in
// 1/256. Where nothing is filtered both are the same.
struct cuda_shim_texel_axis {
    int64_t index[2];
    int32_t weight;
};

CUDA_SHIM_INLINE int64_t cuda_shim_address_texel(int64_t index, int64_t extent, uint32_t mode) {
    if (index >= 0 && index < extent) return index;
    if (mode == CUDA_SHIM_ADDRESS_BORDER) return -1;
    // The coordinate was brought into one period before, so only the next texel can be outside of it.
    if (mode == CUDA_SHIM_ADDRESS_WRAP) return index < 0 ? extent - 1 : 0;
    return index < 0 ? 0 : extent - 1;
}
// A normalised coordinate times the extent, within one period where it repeats.
CUDA_SHIM_INLINE float cuda_shim_scale_coordinate(float coordinate, uint64_t extent, uint32_t mode) {
    const float whole = __builtin_floorf(coordinate);
    if (mode == CUDA_SHIM_ADDRESS_WRAP) coordinate -= whole;
    if (mode == CUDA_SHIM_ADDRESS_MIRROR) {
        const bool odd = 2.0f * __builtin_floorf(0.5f * whole) != whole;
        coordinate = odd ? 1.0f - (coordinate - whole) : coordinate - whole;
    }
    return coordinate * (float)extent;
}
CUDA_SHIM_INLINE cuda_shim_texel_axis cuda_shim_place(float coordinate, uint64_t extent, uint32_t mode, bool linear) {
    // A NaN is the first texel; an infinite coordinate is outside, and becomes a number that integers hold.
    const float far = 1073741824.0f;
    const float near = coordinate != coordinate ? 0.0f : cuda_shim_within_float(coordinate, -far, far);
    if (!linear) {
        const int64_t index = cuda_shim_address_texel((int64_t)__builtin_floorf(near), (int64_t)extent, mode);
        return {{index, index}, 0};
    }
    const int64_t place = (int64_t)__builtin_floor((double)near * 256.0 - 127.5);
    return {{cuda_shim_address_texel(place >> 8, (int64_t)extent, mode), cuda_shim_address_texel((place >> 8) + 1, (int64_t)extent, mode)},
            (int32_t)(place & 255)};
}
CUDA_SHIM_INLINE cuda_shim_texel_axis cuda_shim_place_on(const CudaShimTexture* texture, int axis, float coordinate, uint64_t extent,
                                                         bool linear) {
    uint32_t mode = texture->address_mode[axis];
    if (texture->normalized_coordinates)
        coordinate = cuda_shim_scale_coordinate(coordinate, extent, mode);
    else if (mode != CUDA_SHIM_ADDRESS_BORDER)
        mode = CUDA_SHIM_ADDRESS_CLAMP;  // the others repeat normalised coordinates alone
    return cuda_shim_place(coordinate, extent, mode, linear);
}

// The place that a fetch reads: a coordinate for each dimension of an image, and the image's slice, which is a layer or
// a face.
struct cuda_shim_texel_place {
    cuda_shim_texel_axis axis[3];
    uint64_t slice;
};
CUDA_SHIM_INLINE cuda_shim_texel cuda_shim_texel_at(const CudaShimTexture* texture, const CudaShimTexels* image, int64_t x, int64_t y,
                                                    uint64_t slice) {
    return cuda_shim_read_texel(texture, image->data + slice * image->slice + (uint64_t)y * image->pitch + (uint64_t)x * image->texel_bytes);
}
// Corner `corner` of the cell that is filtered: bit 0 chooses along x, bit 1 along y, bit 2 along z.
CUDA_SHIM_INLINE cuda_shim_texel cuda_shim_texel_corner(const CudaShimTexture* texture, const CudaShimTexels* image,
                                                        const cuda_shim_texel_place& place, int corner) {
    const int64_t x = place.axis[0].index[corner & 1], y = place.axis[1].index[corner >> 1 & 1], z = place.axis[2].index[corner >> 2];
    if (x < 0 || y < 0 || z < 0) return cuda_shim_border_texel(texture);
    return cuda_shim_texel_at(texture, image, x, y, place.slice + (uint64_t)z);
}
// The weights of all corners as parts of 1.
CUDA_SHIM_INLINE void cuda_shim_corner_weights(const cuda_shim_texel_place& place, int dimensions, float* weights) {
    const int32_t a = place.axis[0].weight, b = place.axis[1].weight, c = place.axis[2].weight;
    if (dimensions == 3) {
        for (int corner = 0; corner < 8; ++corner)
            weights[corner] = (float)((corner & 1 ? a : 256 - a) * (corner & 2 ? b : 256 - b) * (corner & 4 ? c : 256 - c)) / 16777216.0f;
        return;
    }
    const int32_t both = (a * b + 128) >> 8;
    weights[0] = (float)(256 - a - b + both) / 256.0f;
    weights[1] = (float)(a - both) / 256.0f;
    weights[2] = (float)(b - both) / 256.0f;
    weights[3] = (float)both / 256.0f;
}
// The weighted sum of as many channels of all corners, which `corner_texel` reads by their number.
template <int channels, class F>
CUDA_SHIM_INLINE cuda_shim_texel cuda_shim_filter(const cuda_shim_texel_place& place, int dimensions, const F& corner_texel) {
    float weights[8], sum[4] = {};
    cuda_shim_corner_weights(place, dimensions, weights);
    for (int corner = 0; corner < 1 << dimensions; ++corner) {
        const cuda_shim_texel texel = corner_texel(corner);
        for (int channel = 0; channel < channels; ++channel) {
            const float with = sum[channel] + weights[corner] * cuda_shim_number(texel.word[channel]);
            // Without weight an infinity or a NaN beside the place counts for nothing.
            sum[channel] = weights[corner] == 0.0f ? sum[channel] : with;
        }
    }
    return {{cuda_shim_word(sum[0]), cuda_shim_word(sum[1]), cuda_shim_word(sum[2]), cuda_shim_word(sum[3])}};
}

// The arguments of a fetch of any name: coordinates for all its dimensions, its layer, and whether it is a cube's.
struct cuda_shim_fetch {
    int dimensions;
    float x, y, z;
    int layer;     // hardware reads it without its sign, so a layer outside is the last one
    bool cubemap;  // x, y and z are a direction
};
// The face that a direction meets, and where. Of equal components z goes before y and y before x.
CUDA_SHIM_INLINE int cuda_shim_cube_face(const cuda_shim_fetch& fetch, float& s, float& t) {
    const float x = __builtin_fabsf(fetch.x), y = __builtin_fabsf(fetch.y), z = __builtin_fabsf(fetch.z);
    float across, down, length;
    int face;
    if (z >= x && z >= y) {
        length = z, face = fetch.z < 0 ? 5 : 4, across = fetch.z < 0 ? -fetch.x : fetch.x, down = -fetch.y;
    } else if (y >= x) {
        length = y, face = fetch.y < 0 ? 3 : 2, across = fetch.x, down = fetch.y < 0 ? -fetch.z : fetch.z;
    } else {
        length = x, face = fetch.x < 0 ? 1 : 0, across = fetch.x < 0 ? fetch.z : -fetch.z, down = -fetch.y;
    }
    s = (across / length + 1.0f) * 0.5f;
    t = (down / length + 1.0f) * 0.5f;
    return face;
}
CUDA_SHIM_INLINE uint64_t cuda_shim_layer(int layer, uint64_t layers) {
    return (uint32_t)layer < layers ? (uint32_t)layer : layers - 1;
}
CUDA_SHIM_INLINE cuda_shim_texel_place cuda_shim_place_fetch(const CudaShimTexture* texture, const CudaShimTexels* image,
                                                             const cuda_shim_fetch& fetch, bool linear) {
    cuda_shim_texel_place place = {};
    if (fetch.cubemap) {
        float s, t;
        const uint64_t face = (uint64_t)cuda_shim_cube_face(fetch, s, t);
        place.axis[0] = cuda_shim_place(s * (float)image->width, image->width, CUDA_SHIM_ADDRESS_CLAMP, linear);
        place.axis[1] = cuda_shim_place(t * (float)image->height, image->height, CUDA_SHIM_ADDRESS_CLAMP, linear);
        place.slice = image->depth < 6 ? 0 : 6 * cuda_shim_layer(fetch.layer, image->depth / 6) + face;
        return place;
    }
    place.axis[0] = cuda_shim_place_on(texture, 0, fetch.x, image->width, linear);
    if (fetch.dimensions > 1) place.axis[1] = cuda_shim_place_on(texture, 1, fetch.y, image->height, linear);
    if (fetch.dimensions > 2) place.axis[2] = cuda_shim_place_on(texture, 2, fetch.z, image->depth, linear);
    else place.slice = cuda_shim_layer(fetch.layer, image->depth);
    return place;
}
// Not inlined, since a fetch between two levels has three of it.
CUDA_SHIM_TEXTURE_FUNCTION cuda_shim_texel cuda_shim_fetch_image(const CudaShimTexture* texture, const CudaShimTexels* image,
                                                                 const cuda_shim_fetch& fetch) {
    const bool linear = texture->linear_filter && cuda_shim_reads_floats(texture);
    const cuda_shim_texel_place place = cuda_shim_place_fetch(texture, image, fetch, linear);
    const auto corner_texel = [&](int corner) __attribute__((always_inline)) {
        return cuda_shim_texel_corner(texture, image, place, corner);
    };
    return linear ? cuda_shim_filter<4>(place, fetch.dimensions, corner_texel) : corner_texel(0);
}

// A level of detail as the texture object lets it be; beyond the last level there is nothing.
CUDA_SHIM_INLINE float cuda_shim_clamp_level(const CudaShimTexture* texture, float level) {
    level = level > texture->mipmap_least ? level : texture->mipmap_least;
    level = level < texture->mipmap_most ? level : texture->mipmap_most;
    return cuda_shim_within_float(level, 0.0f, (float)(texture->level_count - 1));
}
CUDA_SHIM_INLINE cuda_shim_texel cuda_shim_fetch_level(const CudaShimTexture* texture, const cuda_shim_fetch& fetch, float level) {
    if (!texture->levels) return cuda_shim_fetch_image(texture, &texture->texels, fetch);
    if (!texture->linear_mipmap_filter || !cuda_shim_reads_floats(texture))
        return cuda_shim_fetch_image(texture, &texture->levels[(uint32_t)(level + 0.5f)], fetch);
    const uint32_t finer = (uint32_t)level;
    const float weight = __builtin_floorf((level - (float)finer) * 256.0f + 0.5f) / 256.0f;
    cuda_shim_texel texel = cuda_shim_fetch_image(texture, &texture->levels[finer], fetch);
    if (weight == 0.0f) return texel;
    const cuda_shim_texel coarser = cuda_shim_fetch_image(texture, &texture->levels[finer + 1], fetch);
    for (int channel = 0; channel < 4; ++channel)
        texel.word[channel] = cuda_shim_word((1.0f - weight) * cuda_shim_number(texel.word[channel]) +
                                             weight * cuda_shim_number(coarser.word[channel]));
    return texel;
}

CUDA_SHIM_TEXTURE_FUNCTION cuda_shim_texel cuda_shim_texture_fetch(const CudaShimTexture* texture, cuda_shim_fetch fetch) {
    return cuda_shim_fetch_level(texture, fetch, cuda_shim_clamp_level(texture, 0.0f));
}
// The level is cut to 8 bits of fraction, and the texture object's bias added.
CUDA_SHIM_TEXTURE_FUNCTION cuda_shim_texel cuda_shim_texture_fetch_lod(const CudaShimTexture* texture, cuda_shim_fetch fetch, float level) {
    level = __builtin_truncf(level * 256.0f) / 256.0f + texture->mipmap_bias;
    return cuda_shim_fetch_level(texture, fetch, cuda_shim_clamp_level(texture, level));
}
// The level whose texels are as long as the longer axis of the ellipse that both derivatives span.
CUDA_SHIM_TEXTURE_FUNCTION cuda_shim_texel cuda_shim_texture_fetch_grad(const CudaShimTexture* texture, cuda_shim_fetch fetch, float4 across,
                                                                        float4 down) {
    const bool normalised = texture->normalized_coordinates || fetch.cubemap;
    const float width = normalised ? (float)texture->texels.width : 1.0f, height = normalised ? (float)texture->texels.height : 1.0f;
    const float depth = !normalised ? 1.0f : fetch.cubemap ? width : (float)texture->texels.depth;
    const float ax = across.x * width, ay = across.y * height, az = across.z * depth;
    const float bx = down.x * width, by = down.y * height, bz = down.z * depth;
    const float a = ax * ax + ay * ay + az * az, b = bx * bx + by * by + bz * bz, both = ax * bx + ay * by + az * bz;
    const float square = 0.5f * (a + b + __builtin_sqrtf((a - b) * (a - b) + 4.0f * both * both));
    return cuda_shim_texture_fetch_lod(texture, fetch, square > 0.0f ? 0.5f * log2f(square) : -1000.0f);
}
// One channel of the four texels that linear filtering would use, counterclockwise from the lower left.
CUDA_SHIM_TEXTURE_FUNCTION cuda_shim_texel cuda_shim_texture_gather(const CudaShimTexture* texture, cuda_shim_fetch fetch, int channel) {
    static constexpr int corners[4] = {2, 3, 1, 0};
    const cuda_shim_texel_place place = cuda_shim_place_fetch(texture, &texture->texels, fetch, true);
    cuda_shim_texel texel;
    for (int i = 0; i < 4; ++i) texel.word[i] = cuda_shim_texel_corner(texture, &texture->texels, place, corners[i]).word[channel & 3];
    return texel;
}
// Plain memory by the texel's number: no address mode, and zero outside.
CUDA_SHIM_TEXTURE_FUNCTION cuda_shim_texel cuda_shim_texture_element(const CudaShimTexture* texture, int index) {
    const CudaShimTexels& texels = texture->texels;
    if (index < 0 || (uint64_t)index >= texels.width) return {};
    return cuda_shim_texel_at(texture, &texels, index, 0, 0);
}
