#include "hip/textures/texture.h"

#include <stddef.h>
#include <string.h>

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/handle_table.h"
#include "hip/memory/array.h"
#include "hip/memory/memory_registry.h"

namespace cuda_shim {
namespace {

bool is_integer(uint32_t format) { return format != CUDA_SHIM_TEXEL_HALF && format != CUDA_SHIM_TEXEL_FLOAT; }

CudaShimTexels texels_of(const Array& array) {
    const Array::Shape& shape = array.shape();
    CudaShimTexels texels = {};
    texels.data = array.data();
    texels.width = shape.width;
    texels.height = array.rows();
    texels.depth = array.slices();
    texels.pitch = array.pitch();
    texels.slice = array.slice_bytes();
    texels.format = static_cast<uint32_t>(shape.format);
    texels.channels = shape.channels;
    texels.texel_bytes = static_cast<uint32_t>(array.element_bytes());
    texels.layered = (shape.flags & hipArrayLayered) != 0;
    texels.cubemap = (shape.flags & hipArrayCubemap) != 0;
    bool flat = texels.layered || texels.cubemap;
    texels.dimensions = shape.height == 0 ? 1 : shape.depth == 0 || flat ? 2 : 3;
    return texels;
}

// Memory of the program's as one or many rows.
hipError_t texels_of(const void* data, const hipChannelFormatDesc& desc, size_t width, size_t height, size_t pitch,
                     size_t bytes, CudaShimTexels& texels) {
    hipArray_Format format;
    unsigned channels;
    if (!data || !format_of(desc, format, channels)) return hipErrorInvalidValue;
    texels = {};
    texels.data = static_cast<char*>(const_cast<void*>(data));
    texels.format = static_cast<uint32_t>(format);
    texels.channels = channels;
    texels.texel_bytes = static_cast<uint32_t>(format_bytes(format) * channels);
    // Rows of no texels read as rows of one, and rows may be wider than their pitch, as in CUDA.
    texels.width = pitch ? std::max<size_t>(width, 1) : bytes / texels.texel_bytes;
    texels.height = std::max<size_t>(height, 1);
    texels.depth = 1;
    texels.pitch = pitch ? pitch : bytes;
    texels.slice = texels.pitch * texels.height;
    texels.dimensions = pitch ? 2 : 1;
    const auto max_texels = static_cast<size_t>(current_device().properties().maxTexture1DLinear);
    if (!pitch && texels.width > max_texels) return hipErrorInvalidValue;
    bool aligned = reinterpret_cast<uintptr_t>(data) % format_bytes(format) == 0;
    if (!aligned || texels.pitch % (pitch ? format_bytes(format) : 1)) return hipErrorInvalidValue;
    // The extent of the memory is not checked here, but when a kernel reads beyond it.
    Allocation allocation;
    return MemoryRegistry::get().find(data, allocation) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t texels_of(const hipResourceDesc& resource, CudaShimTexels& texels, std::vector<CudaShimTexels>& levels) {
    switch (resource.resType) {
        case hipResourceTypeArray: {
            Array* array = Array::resolve(resource.res.array.array);
            if (!array) return hipErrorInvalidValue;
            texels = texels_of(*array);
            return hipSuccess;
        }
        case hipResourceTypeMipmappedArray: {
            MipmappedArray* array = MipmappedArray::resolve(resource.res.mipmap.mipmap);
            if (!array) return hipErrorInvalidValue;
            for (size_t i = 0; i < array->level_count(); ++i) levels.push_back(texels_of(array->level(i)));
            texels = levels.front();
            return hipSuccess;
        }
        case hipResourceTypeLinear: {
            const auto& linear = resource.res.linear;
            return texels_of(linear.devPtr, linear.desc, 0, 1, 0, linear.sizeInBytes, texels);
        }
        case hipResourceTypePitch2D: {
            const auto& plane = resource.res.pitch2D;
            const hipDeviceProp_t& limits = current_device().properties();
            bool fits = plane.width <= static_cast<size_t>(limits.maxTexture2DLinear[0]) &&
                        plane.height <= static_cast<size_t>(limits.maxTexture2DLinear[1]) &&
                        plane.pitchInBytes <= static_cast<size_t>(limits.maxTexture2DLinear[2]);
            if (!fits || plane.pitchInBytes == 0) return hipErrorInvalidValue;
            return texels_of(plane.devPtr, plane.desc, plane.width, plane.height, plane.pitchInBytes, 0, texels);
        }
        default:
            return hipErrorInvalidValue;
    }
}

// The view formats come in threes (one, two, four channels) for each of these.
constexpr hipArray_Format kViewFormats[] = {
    HIP_AD_FORMAT_UNSIGNED_INT8,  HIP_AD_FORMAT_SIGNED_INT8,  HIP_AD_FORMAT_UNSIGNED_INT16, HIP_AD_FORMAT_SIGNED_INT16,
    HIP_AD_FORMAT_UNSIGNED_INT32, HIP_AD_FORMAT_SIGNED_INT32, HIP_AD_FORMAT_HALF,           HIP_AD_FORMAT_FLOAT,
};

hipError_t apply_view(const hipResourceViewDesc& view, CudaShimTexels& texels) {
    if (view.format == hipResViewFormatNone) return hipSuccess;
    int index = view.format - hipResViewFormatUnsignedChar1;
    if (index < 0) return hipErrorInvalidValue;
    // Beyond the plain formats are the block-compressed ones.
    if (index >= static_cast<int>(3 * std::extent<decltype(kViewFormats)>::value)) return hipErrorNotSupported;
    hipArray_Format format = kViewFormats[index / 3];
    uint32_t channels = 1u << (index % 3);
    if (format_bytes(format) * channels != texels.texel_bytes) return hipErrorInvalidValue;
    texels.format = static_cast<uint32_t>(format);
    texels.channels = channels;
    return hipSuccess;
}

// Layers [first, last] and levels [first, last] of the resource; extents that are given must be the resource's.
hipError_t apply_ranges(const hipResourceViewDesc& view, CudaShimTexels& texels, std::vector<CudaShimTexels>& levels) {
    bool extents = (!view.width || view.width == texels.width) && (!view.height || view.height == texels.height) &&
                   (!view.depth || view.depth == texels.depth);
    if (!extents || view.firstLayer > view.lastLayer || view.firstMipmapLevel > view.lastMipmapLevel) {
        return hipErrorInvalidValue;
    }
    size_t max_levels = levels.empty() ? 1 : levels.size();
    if (view.lastMipmapLevel >= max_levels) return hipErrorInvalidValue;
    if (!levels.empty()) {
        levels.erase(levels.begin() + view.lastMipmapLevel + 1, levels.end());
        levels.erase(levels.begin(), levels.begin() + view.firstMipmapLevel);
        texels = levels.front();
    }
    if (view.lastLayer == 0) return hipSuccess;
    if (!texels.layered || view.lastLayer >= texels.depth) return hipErrorInvalidValue;
    auto narrow = [&view](CudaShimTexels& image) {
        image.data += view.firstLayer * image.slice;
        image.depth = view.lastLayer - view.firstLayer + 1;
    };
    narrow(texels);
    for (CudaShimTexels& level : levels) narrow(level);
    return hipSuccess;
}

hipError_t check_settings(const hipResourceDesc& resource, const hipTextureDesc& settings,
                          const CudaShimTexels& texels) {
    for (hipTextureAddressMode mode : settings.addressMode) {
        if (mode < hipAddressModeWrap || mode > hipAddressModeBorder) return hipErrorInvalidValue;
    }
    bool integer = is_integer(texels.format);
    bool normalized = settings.readMode == hipReadModeNormalizedFloat;
    // 32-bit integers do not fit a float; and values that are not read as floats cannot be interpolated.
    if (normalized && integer && format_bytes(static_cast<hipArray_Format>(texels.format)) == 4)
        return hipErrorInvalidValue;
    bool of_memory = resource.resType == hipResourceTypeLinear || resource.resType == hipResourceTypePitch2D;
    if (settings.filterMode == hipFilterModeLinear && integer && !normalized && !of_memory) return hipErrorInvalidValue;
    if (settings.sRGB && texels.format != CUDA_SHIM_TEXEL_UINT8) return hipErrorInvalidValue;
    return hipSuccess;
}

// The value of CudaShimTexture::words.
uint32_t channels_of_words(const CudaShimTexture& object) {
    const bool words = object.texels.texel_bytes == 4 * object.texels.channels;
    const bool filtered = object.linear_filter && is_integer(object.texels.format);  // the filter does nothing
    return words && !filtered && !object.normalized_read && !object.levels ? object.texels.channels : 0;
}

}  // namespace

bool covers_image(const hipResourceDesc& resource) {
    const void* data = nullptr;
    size_t bytes = 0;
    if (resource.resType == hipResourceTypeLinear) {
        data = resource.res.linear.devPtr;
        bytes = resource.res.linear.sizeInBytes;
    } else if (resource.resType == hipResourceTypePitch2D) {
        const auto& plane = resource.res.pitch2D;
        const hipChannelFormatDesc& channels = plane.desc;
        size_t row = plane.width * static_cast<size_t>(channels.x + channels.y + channels.z + channels.w) / 8;
        if (row == 0 || plane.height == 0 || row > plane.pitchInBytes) return false;
        data = plane.devPtr;
        bytes = plane.pitchInBytes * (plane.height - 1) + row;
    } else {
        return true;
    }
    Allocation allocation;
    return bytes != 0 && MemoryRegistry::get().find(data, allocation) &&
           MemoryRegistry::get().allows(allocation, data, bytes, false);
}

hipResourceViewFormat view_format(hipArray_Format format, unsigned channels) {
    const auto* entry = std::find(std::begin(kViewFormats), std::end(kViewFormats), format);
    if (entry == std::end(kViewFormats) || (channels != 1 && channels != 2 && channels != 4))
        return hipResViewFormatNone;
    const int places = static_cast<int>(3 * (entry - std::begin(kViewFormats)) + channels / 2);
    return static_cast<hipResourceViewFormat>(hipResViewFormatUnsignedChar1 + places);
}

hipError_t Texture::create(const hipResourceDesc& resource, const hipTextureDesc& settings,
                           const hipResourceViewDesc* view, std::unique_ptr<Texture>& out) {
    std::unique_ptr<Texture> texture(new Texture);
    CudaShimTexture& object = texture->object_;
    CUDA_SHIM_TRY(texels_of(resource, object.texels, texture->levels_));
    bool of_array = resource.resType == hipResourceTypeArray || resource.resType == hipResourceTypeMipmappedArray;
    if (view && !of_array) return hipErrorInvalidValue;
    if (view) {
        CUDA_SHIM_TRY(apply_view(*view, object.texels));
        for (CudaShimTexels& level : texture->levels_) CUDA_SHIM_TRY(apply_view(*view, level));
        CUDA_SHIM_TRY(apply_ranges(*view, object.texels, texture->levels_));
        texture->view_ = *view;
    }
    CUDA_SHIM_TRY(check_settings(resource, settings, object.texels));
    texture->resource_ = resource;
    texture->settings_ = settings;
    object.levels = texture->levels_.empty() ? nullptr : texture->levels_.data();
    object.level_count = texture->levels_.empty() ? 1 : static_cast<uint32_t>(texture->levels_.size());
    object.linear_memory = resource.resType == hipResourceTypeLinear;
    for (int axis = 0; axis < 3; ++axis) object.address_mode[axis] = static_cast<uint32_t>(settings.addressMode[axis]);
    object.linear_filter = settings.filterMode == hipFilterModeLinear && !object.linear_memory;
    object.normalized_read = settings.readMode == hipReadModeNormalizedFloat && is_integer(object.texels.format);
    object.normalized_coordinates = settings.normalizedCoords != 0;
    object.srgb = settings.sRGB != 0;
    object.linear_mipmap_filter = settings.mipmapFilterMode == hipFilterModeLinear;
    object.words = channels_of_words(object);
    object.max_anisotropy = settings.maxAnisotropy;
    memcpy(object.border, settings.borderColor, sizeof object.border);
    object.mipmap_bias = settings.mipmapLevelBias;
    object.mipmap_least = settings.minMipmapLevelClamp;
    object.mipmap_most = settings.maxMipmapLevelClamp;
    live_handles<Texture>().add(texture.get());
    out = std::move(texture);
    return hipSuccess;
}

Texture::~Texture() { live_handles<Texture>().remove(this); }

Texture* Texture::resolve(hipTextureObject_t handle) {
    static_assert(std::is_standard_layout<CudaShimTexture>::value);
    auto* texture = reinterpret_cast<Texture*>(reinterpret_cast<char*>(handle));
    return live_handles<Texture>().contains(texture) ? texture : nullptr;
}

hipError_t Surface::create(const hipResourceDesc& resource, std::unique_ptr<Surface>& out) {
    if (resource.resType != hipResourceTypeArray) return hipErrorInvalidValue;
    Array* array = Array::resolve(resource.res.array.array);
    if (!array) return hipErrorInvalidValue;
    std::unique_ptr<Surface> surface(new Surface);
    surface->object_.texels = texels_of(*array);
    live_handles<Surface>().add(surface.get());
    out = std::move(surface);
    return hipSuccess;
}

Surface::~Surface() { live_handles<Surface>().remove(this); }

Surface* Surface::resolve(hipSurfaceObject_t handle) {
    auto* surface = reinterpret_cast<Surface*>(reinterpret_cast<char*>(handle));
    return live_handles<Surface>().contains(surface) ? surface : nullptr;
}

}  // namespace cuda_shim
