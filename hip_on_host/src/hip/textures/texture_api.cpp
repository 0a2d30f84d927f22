// hipCreateTextureObject, hipTexObjectCreate, hipCreateSurfaceObject and queries about such objects.
#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/handle_table.h"
#include "hip/rocm.h"
#include "hip/textures/texture.h"

namespace cuda_shim {
namespace {

bool is_multiple(const void* address, size_t of) { return reinterpret_cast<uintptr_t>(address) % of == 0; }

// Memory of the program's begins, and its rows follow each other, at the device's alignments. References to textures
// are free of this: they are bound with an offset.
hipError_t check_alignment(const hipResourceDesc& resource) {
    const hipDeviceProp_t& limits = current_device().properties();
    if (resource.resType == hipResourceTypeLinear) {
        if (is_multiple(resource.res.linear.devPtr, limits.textureAlignment)) return hipSuccess;
        return as_rocm(RocmDifference::ImageAlignments) ? hipErrorInvalidChannelDescriptor : hipErrorInvalidValue;
    }
    if (resource.resType != hipResourceTypePitch2D) return hipSuccess;
    const auto& plane = resource.res.pitch2D;
    const bool aligned =
        is_multiple(plane.devPtr, limits.textureAlignment) && plane.pitchInBytes % limits.texturePitchAlignment == 0;
    return aligned ? hipSuccess : hipErrorInvalidValue;
}

hipError_t create_texture(hipTextureObject_t* out, const hipResourceDesc& resource, const hipTextureDesc& settings,
                          const hipResourceViewDesc* view) {
    CUDA_SHIM_TRY(check_alignment(resource));
    std::unique_ptr<Texture> texture;
    CUDA_SHIM_TRY(Texture::create(resource, settings, view, texture));
    *out = publish_handle(std::move(texture));
    return hipSuccess;
}

// The runtime's rule: only integers of 8 and 16 bits are read as fractions of their range.
bool has_valid_read_mode(const hipResourceDesc& resource, const hipTextureDesc& settings) {
    bool of_memory = resource.resType == hipResourceTypeLinear || resource.resType == hipResourceTypePitch2D;
    if (!of_memory || settings.readMode != hipReadModeNormalizedFloat) return true;
    const hipChannelFormatDesc& channels =
        resource.resType == hipResourceTypeLinear ? resource.res.linear.desc : resource.res.pitch2D.desc;
    return channels.f != hipChannelFormatKindFloat && channels.x < 32;
}

hipError_t create_by_driver(hipTextureObject_t* out, const HIP_RESOURCE_DESC* resource,
                            const HIP_TEXTURE_DESC* settings, const HIP_RESOURCE_VIEW_DESC* view) {
    if (lacks_images()) return hipErrorNotSupported;
    if (!out || !resource || !settings) return hipErrorInvalidValue;
    hipResourceDesc runtime_resource;
    hipTextureDesc runtime_settings;
    hipResourceViewDesc runtime_view;
    CUDA_SHIM_TRY(to_runtime(*resource, runtime_resource));
    CUDA_SHIM_TRY(to_runtime(*settings, runtime_settings));
    if (view) to_runtime(*view, runtime_view);
    return create_texture(out, runtime_resource, runtime_settings, view ? &runtime_view : nullptr);
}

hipError_t destroy_texture(hipTextureObject_t handle) {
    if (!handle) return hipSuccess;
    return claim_handle<Texture>(handle) ? hipSuccess : hipErrorInvalidValue;
}

template <class Out, class Use>
hipError_t with_texture(hipTextureObject_t handle, Out* out, Use&& use) {
    if (lacks_images()) return hipErrorNotSupported;
    Texture* texture = Texture::resolve(handle);
    return texture && out ? use(*texture) : hipErrorInvalidValue;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipCreateTextureObject(hipTextureObject_t* texture, const hipResourceDesc* resource,
                                  const hipTextureDesc* settings, const hipResourceViewDesc* view) {
    return api(__func__, [&] {
        if (lacks_images()) return hipErrorNotSupported;
        if (!texture || !resource || !settings) return hipErrorInvalidValue;
        if (resource->resType == hipResourceTypeArray && !resource->res.array.array) return hipErrorInvalidHandle;
        if (!has_valid_read_mode(*resource, *settings)) return hipErrorInvalidValue;
        return create_texture(texture, *resource, *settings, view);
    });
}

hipError_t hipDestroyTextureObject(hipTextureObject_t texture) {
    return api(__func__, [&] { return destroy_texture(texture); });
}

hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc* out, hipTextureObject_t texture) {
    return api(__func__, [&] {
        return with_texture(texture, out, [&](Texture& target) {
            *out = target.resource();
            return hipSuccess;
        });
    });
}

hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc* out, hipTextureObject_t texture) {
    return api(__func__, [&] {
        return with_texture(texture, out, [&](Texture& target) {
            *out = target.settings();
            return hipSuccess;
        });
    });
}

hipError_t hipGetTextureObjectResourceViewDesc(hipResourceViewDesc* out, hipTextureObject_t texture) {
    return api(__func__, [&] {
        return with_texture(texture, out, [&](Texture& target) {
            *out = target.view();
            return hipSuccess;
        });
    });
}

hipError_t hipTexObjectCreate(hipTextureObject_t* texture, const HIP_RESOURCE_DESC_st* resource,
                              const HIP_TEXTURE_DESC_st* settings, const HIP_RESOURCE_VIEW_DESC_st* view) {
    return api(__func__, [&] { return create_by_driver(texture, resource, settings, view); });
}

hipError_t hipTexObjectDestroy(hipTextureObject_t texture) {
    return api(__func__, [&] { return destroy_texture(texture); });
}

hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC_st* out, hipTextureObject_t texture) {
    return api(__func__, [&] {
        return with_texture(texture, out, [&](Texture& target) {
            to_driver(target.resource(), *out);
            return hipSuccess;
        });
    });
}

hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC_st* out, hipTextureObject_t texture) {
    return api(__func__, [&] {
        return with_texture(texture, out, [&](Texture& target) {
            to_driver(target.settings(), *out);
            return hipSuccess;
        });
    });
}

hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC_st* out, hipTextureObject_t texture) {
    return api(__func__, [&] {
        return with_texture(texture, out, [&](Texture& target) {
            to_driver(target.view(), *out);
            return hipSuccess;
        });
    });
}

hipError_t hipCreateSurfaceObject(hipSurfaceObject_t* surface, const hipResourceDesc* resource) {
    return api(__func__, [&]() -> hipError_t {
        if (lacks_images()) return hipErrorNotSupported;
        if (!surface || !resource) return hipErrorInvalidValue;
        std::unique_ptr<Surface> new_surface;
        CUDA_SHIM_TRY(Surface::create(*resource, new_surface));
        *surface = publish_handle(std::move(new_surface));
        return hipSuccess;
    });
}

hipError_t hipDestroySurfaceObject(hipSurfaceObject_t handle) {
    return api(__func__, [&] {
        if (!handle) return hipSuccess;
        return claim_handle<Surface>(handle) ? hipSuccess : hipErrorInvalidValue;
    });
}
