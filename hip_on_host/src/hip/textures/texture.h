// Texture and surface objects: the structs that kernels read (abi/texture_object.h), with the descriptions they were
// made from.
#pragma once
#include <memory>
#include <vector>

#include "abi/hip_types.h"
#include "abi/texture_object.h"
#include "hip/contexts/owner.h"

namespace cuda_shim {

// The kernel's view comes first: a handle is its address, and the object's.
class Texture {
public:
    // hipErrorInvalidValue for resources and settings that do not fit each other.
    static hipError_t create(const hipResourceDesc& resource, const hipTextureDesc& settings,
                             const hipResourceViewDesc* view, std::unique_ptr<Texture>& out);
    ~Texture();
    Texture(const Texture&) = delete;
    Texture& operator=(const Texture&) = delete;

    static Texture* resolve(hipTextureObject_t handle);
    hipTextureObject_t handle() { return reinterpret_cast<hipTextureObject_t>(&object_); }

    const hipResourceDesc& resource() const { return resource_; }
    const hipTextureDesc& settings() const { return settings_; }
    // All zero when it was made without.
    const hipResourceViewDesc& view() const { return view_; }

private:
    Texture() = default;

    CudaShimTexture object_ = {};
    std::vector<CudaShimTexels> levels_;
    hipResourceDesc resource_ = {};
    hipTextureDesc settings_ = {};
    hipResourceViewDesc view_ = {};

public:
    ObjectOwner owner;
};

class Surface {
public:
    static hipError_t create(const hipResourceDesc& resource, std::unique_ptr<Surface>& out);
    ~Surface();
    Surface(const Surface&) = delete;
    Surface& operator=(const Surface&) = delete;

    static Surface* resolve(hipSurfaceObject_t handle);
    hipSurfaceObject_t handle() { return reinterpret_cast<hipSurfaceObject_t>(&object_); }

private:
    Surface() = default;
    CudaShimSurface object_ = {};

public:
    ObjectOwner owner;
};

// True if memory holds all texels of a description, and for arrays. References must keep to that, and objects need not.
bool covers_image(const hipResourceDesc& resource);

// Conversions of a format and its number of channels: to the runtime's description, false for formats that textures do
// not have; and to the view format that reads such texels, hipResViewFormatNone for the same formats.
bool channels_of(hipArray_Format format, unsigned count, hipChannelFormatDesc& desc);
hipResourceViewFormat view_format(hipArray_Format format, unsigned channels);

// Conversions between the runtime's structs and the driver's structs of the same meaning.
hipError_t to_runtime(const HIP_RESOURCE_DESC& desc, hipResourceDesc& out);
hipError_t to_runtime(const HIP_TEXTURE_DESC& desc, hipTextureDesc& out);
void to_runtime(const HIP_RESOURCE_VIEW_DESC& desc, hipResourceViewDesc& out);
void to_driver(const hipResourceDesc& desc, HIP_RESOURCE_DESC& out);
void to_driver(const hipTextureDesc& desc, HIP_TEXTURE_DESC& out);
void to_driver(const hipResourceViewDesc& desc, HIP_RESOURCE_VIEW_DESC& out);

}  // namespace cuda_shim
