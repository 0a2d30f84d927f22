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

hipError_t to_runtime(const HIP_RESOURCE_DESC& given, hipResourceDesc& out) {
    memset(static_cast<void*>(&out), 0, sizeof out);
    switch (given.resType) {
        case HIP_RESOURCE_TYPE_ARRAY:
            out.resType = hipResourceTypeArray;
            out.res.array.array = given.res.array.hArray;
            return hipSuccess;
        case HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY:
            out.resType = hipResourceTypeMipmappedArray;
            out.res.mipmap.mipmap = given.res.mipmap.hMipmappedArray;
            return hipSuccess;
        case HIP_RESOURCE_TYPE_LINEAR: {
            const auto& linear = given.res.linear;
            out.resType = hipResourceTypeLinear;
            out.res.linear.devPtr = linear.devPtr;
            out.res.linear.sizeInBytes = linear.sizeInBytes;
            return channels_of(linear.format, linear.numChannels, out.res.linear.desc) ? hipSuccess
                                                                                       : hipErrorInvalidValue;
        }
        case HIP_RESOURCE_TYPE_PITCH2D: {
            const auto& plane = given.res.pitch2D;
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

hipError_t to_runtime(const HIP_TEXTURE_DESC& given, hipTextureDesc& out) {
    constexpr unsigned known = HIP_TRSF_READ_AS_INTEGER | HIP_TRSF_NORMALIZED_COORDINATES | HIP_TRSF_SRGB;
    if (given.flags & ~known) return hipErrorInvalidValue;
    memset(static_cast<void*>(&out), 0, sizeof out);
    for (int axis = 0; axis < 3; ++axis) {
        out.addressMode[axis] = static_cast<hipTextureAddressMode>(given.addressMode[axis]);
    }
    out.filterMode = static_cast<hipTextureFilterMode>(given.filterMode);
    out.readMode = given.flags & HIP_TRSF_READ_AS_INTEGER ? hipReadModeElementType : hipReadModeNormalizedFloat;
    out.sRGB = (given.flags & HIP_TRSF_SRGB) != 0;
    memcpy(out.borderColor, given.borderColor, sizeof out.borderColor);
    out.normalizedCoords = (given.flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0;
    out.maxAnisotropy = given.maxAnisotropy;
    out.mipmapFilterMode = static_cast<hipTextureFilterMode>(given.mipmapFilterMode);
    out.mipmapLevelBias = given.mipmapLevelBias;
    out.minMipmapLevelClamp = given.minMipmapLevelClamp;
    out.maxMipmapLevelClamp = given.maxMipmapLevelClamp;
    return hipSuccess;
}

void to_runtime(const HIP_RESOURCE_VIEW_DESC& given, hipResourceViewDesc& out) {
    out = {static_cast<hipResourceViewFormat>(given.format),
           given.width,
           given.height,
           given.depth,
           given.firstMipmapLevel,
           given.lastMipmapLevel,
           given.firstLayer,
           given.lastLayer};
}

void to_driver(const hipResourceDesc& given, HIP_RESOURCE_DESC& out) {
    memset(static_cast<void*>(&out), 0, sizeof out);
    switch (given.resType) {
        case hipResourceTypeArray:
            out.resType = HIP_RESOURCE_TYPE_ARRAY;
            out.res.array.hArray = given.res.array.array;
            return;
        case hipResourceTypeMipmappedArray:
            out.resType = HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY;
            out.res.mipmap.hMipmappedArray = given.res.mipmap.mipmap;
            return;
        case hipResourceTypeLinear:
            out.resType = HIP_RESOURCE_TYPE_LINEAR;
            out.res.linear.devPtr = given.res.linear.devPtr;
            format_of(given.res.linear.desc, out.res.linear.format, out.res.linear.numChannels);
            out.res.linear.sizeInBytes = given.res.linear.sizeInBytes;
            return;
        default:
            out.resType = HIP_RESOURCE_TYPE_PITCH2D;
            out.res.pitch2D.devPtr = given.res.pitch2D.devPtr;
            format_of(given.res.pitch2D.desc, out.res.pitch2D.format, out.res.pitch2D.numChannels);
            out.res.pitch2D.width = given.res.pitch2D.width;
            out.res.pitch2D.height = given.res.pitch2D.height;
            out.res.pitch2D.pitchInBytes = given.res.pitch2D.pitchInBytes;
            return;
    }
}

void to_driver(const hipTextureDesc& given, HIP_TEXTURE_DESC& out) {
    memset(static_cast<void*>(&out), 0, sizeof out);
    for (int axis = 0; axis < 3; ++axis) {
        out.addressMode[axis] = static_cast<HIPaddress_mode_enum>(given.addressMode[axis]);
    }
    out.filterMode = static_cast<HIPfilter_mode_enum>(given.filterMode);
    out.flags = static_cast<unsigned>((given.readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0) |
                                      (given.normalizedCoords ? HIP_TRSF_NORMALIZED_COORDINATES : 0) |
                                      (given.sRGB ? HIP_TRSF_SRGB : 0));
    out.maxAnisotropy = given.maxAnisotropy;
    out.mipmapFilterMode = static_cast<HIPfilter_mode_enum>(given.mipmapFilterMode);
    out.mipmapLevelBias = given.mipmapLevelBias;
    out.minMipmapLevelClamp = given.minMipmapLevelClamp;
    out.maxMipmapLevelClamp = given.maxMipmapLevelClamp;
    memcpy(out.borderColor, given.borderColor, sizeof out.borderColor);
}

void to_driver(const hipResourceViewDesc& given, HIP_RESOURCE_VIEW_DESC& out) {
    memset(static_cast<void*>(&out), 0, sizeof out);
    out.format = static_cast<HIPresourceViewFormat_enum>(given.format);
    out.width = given.width;
    out.height = given.height;
    out.depth = given.depth;
    out.firstMipmapLevel = given.firstMipmapLevel;
    out.lastMipmapLevel = given.lastMipmapLevel;
    out.firstLayer = given.firstLayer;
    out.lastLayer = given.lastLayer;
}

}  // namespace cuda_shim
