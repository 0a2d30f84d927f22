// The runtime's and the driver's descriptions of textures, each made from the other.
#include <string.h>

#include "hip/api.h"
#include "hip/memory/array.h"
#include "hip/textures/texture.h"

namespace cuda_shim {

bool channels_of(hipArray_Format format, unsigned count, hipChannelFormatDesc& desc) {
    int bits = static_cast<int>(format_bytes(format) * 8);
    if (bits == 0 || (count != 1 && count != 2 && count != 4)) return false;
    hipChannelFormatKind kind = hipChannelFormatKindFloat;
    if (format <= HIP_AD_FORMAT_UNSIGNED_INT32) {
        kind = hipChannelFormatKindUnsigned;
    } else if (format <= HIP_AD_FORMAT_SIGNED_INT32) {
        kind = hipChannelFormatKindSigned;
    }
    desc = {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind};
    return true;
}

hipError_t to_runtime(const HIP_RESOURCE_DESC& desc, hipResourceDesc& out) {
    memset(static_cast<void*>(&out), 0, sizeof out);
    switch (desc.resType) {
        case HIP_RESOURCE_TYPE_ARRAY:
            out.resType = hipResourceTypeArray;
            out.res.array.array = desc.res.array.hArray;
            return hipSuccess;
        case HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY:
            out.resType = hipResourceTypeMipmappedArray;
            out.res.mipmap.mipmap = desc.res.mipmap.hMipmappedArray;
            return hipSuccess;
        case HIP_RESOURCE_TYPE_LINEAR: {
            const auto& linear = desc.res.linear;
            out.resType = hipResourceTypeLinear;
            out.res.linear.devPtr = linear.devPtr;
            out.res.linear.sizeInBytes = linear.sizeInBytes;
            return channels_of(linear.format, linear.numChannels, out.res.linear.desc) ? hipSuccess
                                                                                       : hipErrorInvalidValue;
        }
        case HIP_RESOURCE_TYPE_PITCH2D: {
            const auto& plane = desc.res.pitch2D;
            out.resType = hipResourceTypePitch2D;
            out.res.pitch2D.devPtr = plane.devPtr;
            out.res.pitch2D.width = plane.width;
            out.res.pitch2D.height = plane.height;
            out.res.pitch2D.pitchInBytes = plane.pitchInBytes;
            return channels_of(plane.format, plane.numChannels, out.res.pitch2D.desc) ? hipSuccess
                                                                                      : hipErrorInvalidValue;
        }
        default:
            return hipErrorInvalidValue;
    }
}

hipError_t to_runtime(const HIP_TEXTURE_DESC& desc, hipTextureDesc& out) {
    constexpr unsigned known_flags = HIP_TRSF_READ_AS_INTEGER | HIP_TRSF_NORMALIZED_COORDINATES | HIP_TRSF_SRGB;
    if (desc.flags & ~known_flags) return hipErrorInvalidValue;
    memset(static_cast<void*>(&out), 0, sizeof out);
    for (int axis = 0; axis < 3; ++axis) {
        out.addressMode[axis] = static_cast<hipTextureAddressMode>(desc.addressMode[axis]);
    }
    out.filterMode = static_cast<hipTextureFilterMode>(desc.filterMode);
    out.readMode = desc.flags & HIP_TRSF_READ_AS_INTEGER ? hipReadModeElementType : hipReadModeNormalizedFloat;
    out.sRGB = (desc.flags & HIP_TRSF_SRGB) != 0;
    memcpy(out.borderColor, desc.borderColor, sizeof out.borderColor);
    out.normalizedCoords = (desc.flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0;
    out.maxAnisotropy = desc.maxAnisotropy;
    out.mipmapFilterMode = static_cast<hipTextureFilterMode>(desc.mipmapFilterMode);
    out.mipmapLevelBias = desc.mipmapLevelBias;
    out.minMipmapLevelClamp = desc.minMipmapLevelClamp;
    out.maxMipmapLevelClamp = desc.maxMipmapLevelClamp;
    return hipSuccess;
}

void to_runtime(const HIP_RESOURCE_VIEW_DESC& desc, hipResourceViewDesc& out) {
    out = {static_cast<hipResourceViewFormat>(desc.format),
           desc.width,
           desc.height,
           desc.depth,
           desc.firstMipmapLevel,
           desc.lastMipmapLevel,
           desc.firstLayer,
           desc.lastLayer};
}

void to_driver(const hipResourceDesc& desc, HIP_RESOURCE_DESC& out) {
    memset(static_cast<void*>(&out), 0, sizeof out);
    switch (desc.resType) {
        case hipResourceTypeArray:
            out.resType = HIP_RESOURCE_TYPE_ARRAY;
            out.res.array.hArray = desc.res.array.array;
            return;
        case hipResourceTypeMipmappedArray:
            out.resType = HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY;
            out.res.mipmap.hMipmappedArray = desc.res.mipmap.mipmap;
            return;
        case hipResourceTypeLinear:
            out.resType = HIP_RESOURCE_TYPE_LINEAR;
            out.res.linear.devPtr = desc.res.linear.devPtr;
            format_of(desc.res.linear.desc, out.res.linear.format, out.res.linear.numChannels);
            out.res.linear.sizeInBytes = desc.res.linear.sizeInBytes;
            return;
        default:
            out.resType = HIP_RESOURCE_TYPE_PITCH2D;
            out.res.pitch2D.devPtr = desc.res.pitch2D.devPtr;
            format_of(desc.res.pitch2D.desc, out.res.pitch2D.format, out.res.pitch2D.numChannels);
            out.res.pitch2D.width = desc.res.pitch2D.width;
            out.res.pitch2D.height = desc.res.pitch2D.height;
            out.res.pitch2D.pitchInBytes = desc.res.pitch2D.pitchInBytes;
            return;
    }
}

void to_driver(const hipTextureDesc& desc, HIP_TEXTURE_DESC& out) {
    memset(static_cast<void*>(&out), 0, sizeof out);
    for (int axis = 0; axis < 3; ++axis) {
        out.addressMode[axis] = static_cast<HIPaddress_mode_enum>(desc.addressMode[axis]);
    }
    out.filterMode = static_cast<HIPfilter_mode_enum>(desc.filterMode);
    out.flags = static_cast<unsigned>((desc.readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0) |
                                      (desc.normalizedCoords ? HIP_TRSF_NORMALIZED_COORDINATES : 0) |
                                      (desc.sRGB ? HIP_TRSF_SRGB : 0));
    out.maxAnisotropy = desc.maxAnisotropy;
    out.mipmapFilterMode = static_cast<HIPfilter_mode_enum>(desc.mipmapFilterMode);
    out.mipmapLevelBias = desc.mipmapLevelBias;
    out.minMipmapLevelClamp = desc.minMipmapLevelClamp;
    out.maxMipmapLevelClamp = desc.maxMipmapLevelClamp;
    memcpy(out.borderColor, desc.borderColor, sizeof out.borderColor);
}

void to_driver(const hipResourceViewDesc& desc, HIP_RESOURCE_VIEW_DESC& out) {
    memset(static_cast<void*>(&out), 0, sizeof out);
    out.format = static_cast<HIPresourceViewFormat_enum>(desc.format);
    out.width = desc.width;
    out.height = desc.height;
    out.depth = desc.depth;
    out.firstMipmapLevel = desc.firstMipmapLevel;
    out.lastMipmapLevel = desc.lastMipmapLevel;
    out.firstLayer = desc.firstLayer;
    out.lastLayer = desc.lastLayer;
}

}  // namespace cuda_shim
