// Texture references: the driver's hipTexRef functions, and the runtime's hipBindTexture family for the same structs.
#include <string.h>

#include "hip/memory/array.h"
#include "hip/rocm.h"
#include "hip/textures/texture_reference.h"

namespace cuda_shim {
namespace {

template <class Use>
hipError_t change_reference(const textureReference* reference, Use&& use) {
    if (lacks_images()) return hipErrorNotSupported;
    return TextureReferences::get().change(reference, use);
}
template <class Use>
hipError_t set_member(textureReference* reference, Use&& use) {
    return change_reference(reference, [&](textureReference& target, TextureBinding&) {
        use(target);
        return hipSuccess;
    });
}
template <class Out, class Use>
hipError_t ask_reference(const textureReference* reference, Out* out, Use&& use) {
    if (lacks_images()) return hipErrorNotSupported;
    return TextureReferences::get().ask(reference, out, use);
}
template <class Out, class Use>
hipError_t get_member(const textureReference* reference, Out* out, Use&& use) {
    return ask_reference(reference, out, [&](const textureReference& target, const TextureBinding&) {
        *out = use(target);
        return hipSuccess;
    });
}

bool is_filter(hipTextureFilterMode mode) { return mode == hipFilterModePoint || mode == hipFilterModeLinear; }
bool is_axis(int dim) { return dim >= 0 && dim < 3; }

hipResourceDesc of_array(hipArray_const_t array) {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = const_cast<hipArray_t>(array);
    return resource;
}
hipResourceDesc of_mipmaps(hipMipmappedArray_const_t array) {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = const_cast<hipMipmappedArray_t>(array);
    return resource;
}
// The memory as bytes, independent of the reference's format, which may still be set.
hipResourceDesc of_memory(void* pointer, size_t bytes) {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = pointer;
    resource.res.linear.sizeInBytes = bytes;
    channels_of(HIP_AD_FORMAT_UNSIGNED_INT8, 1, resource.res.linear.desc);
    return resource;
}
hipResourceDesc of_rows(void* pointer, const hipChannelFormatDesc& desc, size_t width, size_t height, size_t pitch) {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D.devPtr = pointer;
    resource.res.pitch2D.desc = desc;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return resource;
}

const Array* image_of(const hipResourceDesc& resource) {
    if (resource.resType == hipResourceTypeArray) return Array::resolve(resource.res.array.array);
    const MipmappedArray* mipmaps = MipmappedArray::resolve(resource.res.mipmap.mipmap);
    return mipmaps ? &mipmaps->level(0) : nullptr;
}

// Binds to an array. The flag says that the reference's format is to be the array's; without, it has to fit by itself.
hipError_t bind_array(textureReference* reference, const hipResourceDesc& resource, unsigned flags) {
    if (flags & ~static_cast<unsigned>(HIP_TRSA_OVERRIDE_FORMAT)) return hipErrorInvalidValue;
    return change_reference(reference, [&](textureReference& target, TextureBinding& binding) -> hipError_t {
        const Array* image = image_of(resource);
        if (!image) return hipErrorInvalidValue;
        CUDA_SHIM_TRY(bind_texture(binding, resource));
        if (flags) set_texture_format(target, image->shape().format, static_cast<int>(image->shape().channels));
        return hipSuccess;
    });
}

// The same for the runtime's functions, whose description must have texels as long as the array's.
hipError_t bind_array_as(const textureReference* reference, const hipResourceDesc& resource,
                         const hipChannelFormatDesc* desc) {
    return change_reference(reference, [&](textureReference& target, TextureBinding& binding) -> hipError_t {
        const Array* image = image_of(resource);
        hipArray_Format format;
        unsigned channels;
        if (!image || !desc || !format_of(*desc, format, channels)) return hipErrorInvalidValue;
        if (format_bytes(format) * channels != image->element_bytes()) return hipErrorInvalidValue;
        CUDA_SHIM_TRY(bind_texture(binding, resource));
        set_texture_format(target, *desc);
        return hipSuccess;
    });
}

// Binds to plain memory, of which texels may begin at any address that fits their channels: no offset is left over.
hipError_t bind_memory(size_t* offset, const textureReference* reference, void* pointer, size_t bytes,
                       const hipChannelFormatDesc* desc) {
    return change_reference(reference, [&](textureReference& target, TextureBinding& binding) -> hipError_t {
        if (pointer && bytes) {
            CUDA_SHIM_TRY(bind_texture(binding, of_memory(pointer, bytes)));
        } else {
            unbind_texture(binding);  // as NVIDIA's driver takes it
        }
        if (desc) set_texture_format(target, *desc);
        if (offset) *offset = 0;
        return hipSuccess;
    });
}

hipError_t bind_rows(const textureReference* reference, void* pointer, const hipChannelFormatDesc& desc, size_t width,
                     size_t height, size_t pitch) {
    return change_reference(reference, [&](textureReference& target, TextureBinding& binding) -> hipError_t {
        CUDA_SHIM_TRY(bind_texture(binding, of_rows(pointer, desc, width, height, pitch)));
        set_texture_format(target, desc);
        return hipSuccess;
    });
}

unsigned flags_of(const textureReference& reference) {
    return static_cast<unsigned>((reference.readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0) |
                                 (reference.normalized ? HIP_TRSF_NORMALIZED_COORDINATES : 0) |
                                 (reference.sRGB ? HIP_TRSF_SRGB : 0));
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipTexRefSetArray(textureReference* tex, hipArray_const_t array, unsigned int flags) {
    return api(__func__, [&] { return bind_array(tex, of_array(array), flags); });
}

hipError_t hipTexRefGetArray(hipArray_t* out, const textureReference* tex) {
    return api(__func__, [&] {
        return ask_reference(tex, out, [&](const textureReference&, const TextureBinding& binding) {
            if (!binding.bound || binding.resource.resType != hipResourceTypeArray) return hipErrorInvalidValue;
            *out = binding.resource.res.array.array;
            return hipSuccess;
        });
    });
}

hipError_t hipTexRefSetMipmappedArray(textureReference* tex, hipMipmappedArray* array, unsigned int flags) {
    return api(__func__, [&] { return bind_array(tex, of_mipmaps(array), flags); });
}

hipError_t hipTexRefGetMipMappedArray(hipMipmappedArray_t* out, const textureReference* tex) {
    return api(__func__, [&] {
        return ask_reference(tex, out, [&](const textureReference&, const TextureBinding& binding) {
            if (!binding.bound || binding.resource.resType != hipResourceTypeMipmappedArray)
                return hipErrorInvalidValue;
            *out = binding.resource.res.mipmap.mipmap;
            return hipSuccess;
        });
    });
}

hipError_t hipTexRefSetAddress(size_t* offset, textureReference* tex, void* pointer, size_t bytes) {
    return api(__func__, [&] { return bind_memory(offset, tex, pointer, bytes, nullptr); });
}

hipError_t hipTexRefSetAddress2D(textureReference* tex, const HIP_ARRAY_DESCRIPTOR* desc, void* pointer, size_t pitch) {
    return api(__func__, [&] {
        hipChannelFormatDesc channels;
        if (!desc || !channels_of(desc->Format, desc->NumChannels, channels)) return hipErrorInvalidValue;
        return bind_rows(tex, pointer, channels, desc->Width, desc->Height, pitch);
    });
}

hipError_t hipTexRefGetAddress(void** out, const textureReference* tex) {
    return api(__func__, [&] {
        return ask_reference(tex, out, [&](const textureReference&, const TextureBinding& binding) {
            const hipResourceDesc& resource = binding.resource;
            const bool linear = binding.bound && resource.resType == hipResourceTypeLinear;
            const bool rows = binding.bound && resource.resType == hipResourceTypePitch2D;
            *out = linear ? resource.res.linear.devPtr : rows ? resource.res.pitch2D.devPtr : nullptr;
            return *out ? hipSuccess : hipErrorInvalidValue;
        });
    });
}

hipError_t hipTexRefSetFormat(textureReference* tex, hipArray_Format format, int channels) {
    return api(__func__, [&] {
        return change_reference(tex, [&](textureReference& target, TextureBinding&) {
            return set_texture_format(target, format, channels) ? hipSuccess : hipErrorInvalidValue;
        });
    });
}

hipError_t hipTexRefGetFormat(hipArray_Format* format, int* channels, const textureReference* tex) {
    return api(__func__, [&]() -> hipError_t {
        if (!channels) return hipErrorInvalidValue;
        CUDA_SHIM_TRY(get_member(tex, format, [](const textureReference& target) { return target.format; }));
        return get_member(tex, channels, [](const textureReference& target) { return target.numChannels; });
    });
}

hipError_t hipTexRefSetFlags(textureReference* tex, unsigned int flags) {
    return api(__func__, [&]() -> hipError_t {
        constexpr unsigned kKnown = HIP_TRSF_READ_AS_INTEGER | HIP_TRSF_NORMALIZED_COORDINATES | HIP_TRSF_SRGB;
        if (flags & ~kKnown) return hipErrorInvalidValue;
        return set_member(tex, [&](textureReference& target) {
            target.readMode = flags & HIP_TRSF_READ_AS_INTEGER ? hipReadModeElementType : hipReadModeNormalizedFloat;
            target.normalized = (flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0;
            target.sRGB = (flags & HIP_TRSF_SRGB) != 0;
        });
    });
}

hipError_t hipTexRefGetFlags(unsigned int* flags, const textureReference* tex) {
    return api(__func__, [&] { return get_member(tex, flags, flags_of); });
}

hipError_t hipTexRefSetAddressMode(textureReference* tex, int dim, hipTextureAddressMode mode) {
    return api(__func__, [&]() -> hipError_t {
        if (!is_axis(dim) || mode < hipAddressModeWrap || mode > hipAddressModeBorder) return hipErrorInvalidValue;
        return set_member(tex, [&](textureReference& target) { target.addressMode[dim] = mode; });
    });
}

hipError_t hipTexRefGetAddressMode(hipTextureAddressMode* mode, const textureReference* tex, int dim) {
    return api(__func__, [&]() -> hipError_t {
        if (!is_axis(dim)) return hipErrorInvalidValue;
        return get_member(tex, mode, [&](const textureReference& target) { return target.addressMode[dim]; });
    });
}

hipError_t hipTexRefSetFilterMode(textureReference* tex, hipTextureFilterMode mode) {
    return api(__func__, [&]() -> hipError_t {
        if (!is_filter(mode)) return hipErrorInvalidValue;
        return set_member(tex, [&](textureReference& target) { target.filterMode = mode; });
    });
}

hipError_t hipTexRefGetFilterMode(hipTextureFilterMode* mode, const textureReference* tex) {
    return api(__func__,
               [&] { return get_member(tex, mode, [](const textureReference& target) { return target.filterMode; }); });
}

hipError_t hipTexRefSetMipmapFilterMode(textureReference* tex, hipTextureFilterMode mode) {
    return api(__func__, [&]() -> hipError_t {
        if (!is_filter(mode)) return hipErrorInvalidValue;
        return set_member(tex, [&](textureReference& target) { target.mipmapFilterMode = mode; });
    });
}

hipError_t hipTexRefGetMipmapFilterMode(hipTextureFilterMode* mode, const textureReference* tex) {
    return api(__func__, [&] {
        return get_member(tex, mode, [](const textureReference& target) { return target.mipmapFilterMode; });
    });
}

hipError_t hipTexRefSetMipmapLevelBias(textureReference* tex, float bias) {
    return api(__func__,
               [&] { return set_member(tex, [&](textureReference& target) { target.mipmapLevelBias = bias; }); });
}

hipError_t hipTexRefGetMipmapLevelBias(float* bias, const textureReference* tex) {
    return api(__func__, [&] {
        return get_member(tex, bias, [](const textureReference& target) { return target.mipmapLevelBias; });
    });
}

hipError_t hipTexRefSetMipmapLevelClamp(textureReference* tex, float least, float most) {
    return api(__func__, [&] {
        return set_member(tex, [&](textureReference& target) {
            target.minMipmapLevelClamp = least;
            target.maxMipmapLevelClamp = most;
        });
    });
}

hipError_t hipTexRefGetMipmapLevelClamp(float* least, float* most, const textureReference* tex) {
    return api(__func__, [&]() -> hipError_t {
        if (!most) return hipErrorInvalidValue;
        CUDA_SHIM_TRY(
            get_member(tex, least, [](const textureReference& target) { return target.minMipmapLevelClamp; }));
        return get_member(tex, most, [](const textureReference& target) { return target.maxMipmapLevelClamp; });
    });
}

hipError_t hipTexRefSetMaxAnisotropy(textureReference* tex, unsigned int most) {
    return api(__func__,
               [&] { return set_member(tex, [&](textureReference& target) { target.maxAnisotropy = most; }); });
}

hipError_t hipTexRefGetMaxAnisotropy(int* most, const textureReference* tex) {
    return api(__func__, [&] {
        return get_member(tex, most,
                          [](const textureReference& target) { return static_cast<int>(target.maxAnisotropy); });
    });
}

hipError_t hipTexRefSetBorderColor(textureReference* tex, float* color) {
    return api(__func__, [&]() -> hipError_t {
        if (!color) return hipErrorInvalidValue;
        return change_reference(tex, [&](textureReference&, TextureBinding& binding) {
            memcpy(binding.border, color, sizeof binding.border);
            return hipSuccess;
        });
    });
}

hipError_t hipTexRefGetBorderColor(float* color, const textureReference* tex) {
    return api(__func__, [&] {
        return ask_reference(tex, color, [&](const textureReference&, const TextureBinding& binding) {
            memcpy(color, binding.border, sizeof binding.border);
            return hipSuccess;
        });
    });
}

hipError_t hipBindTexture(size_t* offset, const textureReference* tex, const void* pointer,
                          const hipChannelFormatDesc* desc, size_t size) {
    return api(__func__, [&]() -> hipError_t {
        hipArray_Format format;
        unsigned channels;
        if (!pointer || !desc || !format_of(*desc, format, channels)) return hipErrorInvalidValue;
        return bind_memory(offset, tex, const_cast<void*>(pointer), size, desc);
    });
}

hipError_t hipBindTexture2D(size_t* offset, const textureReference* tex, const void* pointer,
                            const hipChannelFormatDesc* desc, size_t width, size_t height, size_t pitch) {
    return api(__func__, [&]() -> hipError_t {
        if (!desc) return hipErrorInvalidValue;
        CUDA_SHIM_TRY(bind_rows(tex, const_cast<void*>(pointer), *desc, width, height, pitch));
        if (offset) *offset = 0;
        return hipSuccess;
    });
}

hipError_t hipBindTextureToArray(const textureReference* tex, hipArray_const_t array,
                                 const hipChannelFormatDesc* desc) {
    return api(__func__, [&] { return bind_array_as(tex, of_array(array), desc); });
}

hipError_t hipBindTextureToMipmappedArray(const textureReference* tex, hipMipmappedArray_const_t array,
                                          const hipChannelFormatDesc* desc) {
    return api(__func__, [&] { return bind_array_as(tex, of_mipmaps(array), desc); });
}

hipError_t hipUnbindTexture(const textureReference* tex) {
    return api(__func__, [&] {
        return change_reference(tex, [](textureReference&, TextureBinding& binding) {
            unbind_texture(binding);
            return hipSuccess;
        });
    });
}

hipError_t hipGetTextureAlignmentOffset(size_t* offset, const textureReference* tex) {
    return api(__func__, [&] {
        return ask_reference(tex, offset, [&](const textureReference&, const TextureBinding& binding) {
            *offset = 0;
            return binding.bound ? hipSuccess : hipErrorInvalidValue;
        });
    });
}
