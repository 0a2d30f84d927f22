// Checking copies before they run: kinds, ranges, pitches.
#include <string.h>

#include "hip/api.h"
#include "hip/memory/array.h"
#include "hip/memory/copy.h"
#include "hip/memory/host_memory.h"
#include "hip/memory/memory_registry.h"

namespace cuda_shim {
namespace {

bool valid_kind(hipMemcpyKind kind) {
    return (kind >= hipMemcpyHostToHost && kind <= hipMemcpyDefault) || kind == hipMemcpyDeviceToDeviceNoCU;
}

// One end of a copy.
struct Side {
    char* start = nullptr;
    size_t pitch = 0;
    size_t slice = 0;
    bool is_registered = false;  // in the registry, or an array
    Place place = Place::Device;
};

bool is_empty(size_t width, size_t height, size_t depth) { return width == 0 || height == 0 || depth == 0; }

// A copy of no bytes succeeds with any ends.
hipError_t plan_nothing(CopyPlan& plan) {
    plan.region.width = 0;
    return hipSuccess;
}

// Bytes from the first to the last byte of the region on one side; false on overflow.
bool span(const Side& side, size_t width, size_t height, size_t depth, size_t& bytes) {
    size_t slices, rows;
    return !__builtin_mul_overflow(side.slice, depth - 1, &slices) &&
           !__builtin_mul_overflow(side.pitch, height - 1, &rows) && !__builtin_add_overflow(slices, rows, &bytes) &&
           !__builtin_add_overflow(bytes, width, &bytes);
}

hipError_t check_side(Side& side, size_t width, size_t height, size_t depth, bool is_written) {
    if (!side.start) return hipErrorInvalidValue;
    size_t bytes;
    if (!span(side, width, height, depth, bytes)) return hipErrorInvalidValue;
    if (side.is_registered) return hipSuccess;  // an array: its own extents were checked
    Allocation allocation;
    side.is_registered = MemoryRegistry::get().find(side.start, allocation);
    if (side.is_registered) {
        side.place = allocation.managed() ? Place::Managed : allocation.host_visible() ? Place::Pinned : Place::Device;
        bool allowed = MemoryRegistry::get().allows(allocation, side.start, bytes, is_written);
        return allowed ? hipSuccess : hipErrorInvalidValue;
    }
    side.place = Place::Pageable;
    return hipSuccess;
}

// The program's own memory, once it is clear that the copy may be from or to such.
bool check_pageable(const Side& side, size_t width, size_t height, size_t depth, bool is_written) {
    size_t bytes;
    return side.is_registered || (span(side, width, height, depth, bytes) && is_usable(side.start, bytes, is_written));
}

bool kind_allows(hipMemcpyKind kind, bool is_known_dst, bool is_known_src) {
    switch (kind) {
        case hipMemcpyHostToDevice:
            return is_known_dst;
        case hipMemcpyDeviceToHost:
            return is_known_src;
        case hipMemcpyDeviceToDevice:
        case hipMemcpyDeviceToDeviceNoCU:
            return is_known_dst && is_known_src;
        default:
            return true;
    }
}

hipError_t finish_plan(Side dst, Side src, size_t width, size_t height, size_t depth, hipMemcpyKind kind,
                       CopyPlan& plan) {
    if (!valid_kind(kind)) return hipErrorInvalidMemcpyDirection;
    plan.kind = kind;
    if (is_empty(width, height, depth)) return plan_nothing(plan);
    plan.region.width = width;
    plan.region.height = height;
    plan.region.depth = depth;
    CUDA_SHIM_TRY(check_side(dst, width, height, depth, true));
    CUDA_SHIM_TRY(check_side(src, width, height, depth, false));
    if (!kind_allows(kind, dst.is_registered, src.is_registered)) return hipErrorInvalidValue;
    if (!check_pageable(src, width, height, depth, false) || !check_pageable(dst, width, height, depth, true))
        return hipErrorInvalidValue;
    plan.region.dst = dst.start;
    plan.region.dst_pitch = dst.pitch;
    plan.region.dst_slice = dst.slice;
    plan.region.src = src.start;
    plan.region.src_pitch = src.pitch;
    plan.region.src_slice = src.slice;
    plan.dst = dst.place;
    plan.src = src.place;
    return hipSuccess;
}

// An array's end; offsets and widths in bytes, checked against the array's extents.
hipError_t array_side(hipArray_const_t handle, size_t x, size_t y, size_t z, size_t width, size_t height, size_t depth,
                      Side& side) {
    Array* array = Array::resolve(handle);
    if (!array) return hipErrorInvalidHandle;
    bool inside = x <= array->row_bytes() && width <= array->row_bytes() - x && y <= array->rows() &&
                  height <= array->rows() - y && z <= array->slices() && depth <= array->slices() - z;
    if (!inside) return hipErrorInvalidValue;
    side.pitch = array->pitch();
    side.slice = array->slice_bytes();
    side.start = array->data() + z * side.slice + y * side.pitch + x;
    side.is_registered = true;
    side.place = Place::Array;
    return hipSuccess;
}

// A pointer's end; `rows` is the number of rows of a slice.
hipError_t pointer_side(void* pointer, size_t pitch, size_t rows, size_t x, size_t y, size_t z, size_t width,
                        size_t height, size_t depth, Side& side) {
    if (!pointer) return hipErrorInvalidValue;
    side.pitch = pitch ? pitch : width;
    if (height * depth > 1 && width > side.pitch) return hipErrorInvalidPitchValue;
    if (__builtin_mul_overflow(side.pitch, rows ? rows : height, &side.slice)) return hipErrorInvalidValue;
    if (depth > 1 && rows && height > rows) return hipErrorInvalidValue;
    size_t slices, lines;
    auto start = reinterpret_cast<uintptr_t>(pointer);
    if (__builtin_mul_overflow(z, side.slice, &slices) || __builtin_mul_overflow(y, side.pitch, &lines) ||
        __builtin_add_overflow(start, slices, &start) || __builtin_add_overflow(start, lines, &start) ||
        __builtin_add_overflow(start, x, &start))
        return hipErrorInvalidValue;
    side.start = reinterpret_cast<char*>(start);
    return hipSuccess;
}

}  // namespace

bool may_begin_on_device(hipMemcpyKind kind) {
    return kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice || kind == hipMemcpyDeviceToDeviceNoCU ||
           kind == hipMemcpyDefault;
}

bool may_end_on_device(hipMemcpyKind kind) {
    return kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice || kind == hipMemcpyDeviceToDeviceNoCU ||
           kind == hipMemcpyDefault;
}

hipError_t plan_linear(void* dst, const void* src, size_t bytes, hipMemcpyKind kind, CopyPlan& plan) {
    Side to{static_cast<char*>(dst), bytes, bytes};
    Side from{static_cast<char*>(const_cast<void*>(src)), bytes, bytes};
    return finish_plan(to, from, bytes, 1, 1, kind, plan);
}

hipError_t plan_2d(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
                   hipMemcpyKind kind, CopyPlan& plan) {
    if (height > 0 && (width > dst_pitch || width > src_pitch))
        return height > 1 ? hipErrorInvalidPitchValue : hipErrorInvalidValue;
    Side to{static_cast<char*>(dst), dst_pitch, 0};
    Side from{static_cast<char*>(const_cast<void*>(src)), src_pitch, 0};
    return finish_plan(to, from, width, height, 1, kind, plan);
}

hipError_t plan_3d(const hipMemcpy3DParms& p, CopyPlan& plan) {
    if (is_empty(p.extent.width, p.extent.height, p.extent.depth)) {
        return valid_kind(p.kind) ? plan_nothing(plan) : hipErrorInvalidMemcpyDirection;
    }
    // Exactly one source and one destination.
    if (!p.srcArray == !p.srcPtr.ptr || !p.dstArray == !p.dstPtr.ptr) return hipErrorInvalidValue;
    // With an array on either end, x offsets and the width count its elements; else bytes.
    size_t unit = 0;
    for (hipArray_t handle : {p.srcArray, p.dstArray}) {
        if (!handle) continue;
        Array* array = Array::resolve(handle);
        if (!array) return hipErrorInvalidHandle;
        if (unit && unit != array->element_bytes()) return hipErrorInvalidValue;
        unit = array->element_bytes();
    }
    if (!unit) unit = 1;
    size_t width, height = p.extent.height, depth = p.extent.depth;
    if (__builtin_mul_overflow(p.extent.width, unit, &width)) return hipErrorInvalidValue;
    Side dst, src;
    // A pointer's x offset is in bytes when both ends are pointers, in elements next to an array.
    CUDA_SHIM_TRY(p.srcArray
                      ? array_side(p.srcArray, p.srcPos.x * unit, p.srcPos.y, p.srcPos.z, width, height, depth, src)
                      : pointer_side(p.srcPtr.ptr, p.srcPtr.pitch, p.srcPtr.ysize, p.srcPos.x * unit, p.srcPos.y,
                                     p.srcPos.z, width, height, depth, src));
    CUDA_SHIM_TRY(p.dstArray
                      ? array_side(p.dstArray, p.dstPos.x * unit, p.dstPos.y, p.dstPos.z, width, height, depth, dst)
                      : pointer_side(p.dstPtr.ptr, p.dstPtr.pitch, p.dstPtr.ysize, p.dstPos.x * unit, p.dstPos.y,
                                     p.dstPos.z, width, height, depth, dst));
    return finish_plan(dst, src, width, height, depth, p.kind, plan);
}

namespace {

bool device_side(hipMemoryType type) { return type == hipMemoryTypeDevice || type == hipMemoryTypeArray; }

hipMemcpyKind kind_of(hipMemoryType src, hipMemoryType dst) {
    if (src == hipMemoryTypeUnified || dst == hipMemoryTypeUnified || src == hipMemoryTypeManaged ||
        dst == hipMemoryTypeManaged) {
        return hipMemcpyDefault;
    }
    if (device_side(src)) return device_side(dst) ? hipMemcpyDeviceToDevice : hipMemcpyDeviceToHost;
    return device_side(dst) ? hipMemcpyHostToDevice : hipMemcpyHostToHost;
}

bool valid_type(hipMemoryType type) {
    return type == hipMemoryTypeHost || type == hipMemoryTypeDevice || type == hipMemoryTypeArray ||
           type == hipMemoryTypeUnified || type == hipMemoryTypeManaged;
}

}  // namespace

hipError_t plan_driver_3d(const HIP_MEMCPY3D& p, CopyPlan& plan) {
    size_t width = p.WidthInBytes, height = p.Height, depth = p.Depth;
    if (is_empty(width, height, depth)) return plan_nothing(plan);
    if (!valid_type(p.srcMemoryType) || !valid_type(p.dstMemoryType)) return hipErrorInvalidValue;
    if (p.srcLOD != 0 || p.dstLOD != 0) return hipErrorInvalidValue;
    void* from = p.srcMemoryType == hipMemoryTypeHost ? const_cast<void*>(p.srcHost) : p.srcDevice;
    void* to = p.dstMemoryType == hipMemoryTypeHost ? p.dstHost : p.dstDevice;
    Side dst, src;
    CUDA_SHIM_TRY(
        p.srcMemoryType == hipMemoryTypeArray
            ? array_side(p.srcArray, p.srcXInBytes, p.srcY, p.srcZ, width, height, depth, src)
            : pointer_side(from, p.srcPitch, p.srcHeight, p.srcXInBytes, p.srcY, p.srcZ, width, height, depth, src));
    CUDA_SHIM_TRY(
        p.dstMemoryType == hipMemoryTypeArray
            ? array_side(p.dstArray, p.dstXInBytes, p.dstY, p.dstZ, width, height, depth, dst)
            : pointer_side(to, p.dstPitch, p.dstHeight, p.dstXInBytes, p.dstY, p.dstZ, width, height, depth, dst));
    return finish_plan(dst, src, width, height, depth, kind_of(p.srcMemoryType, p.dstMemoryType), plan);
}

HIP_MEMCPY3D widen(const hip_Memcpy2D& p) {
    HIP_MEMCPY3D wide;
    memset(static_cast<void*>(&wide), 0, sizeof wide);
    wide.srcXInBytes = p.srcXInBytes;
    wide.srcY = p.srcY;
    wide.srcMemoryType = p.srcMemoryType;
    wide.srcHost = p.srcHost;
    wide.srcDevice = p.srcDevice;
    wide.srcArray = p.srcArray;
    wide.srcPitch = p.srcPitch;
    wide.dstXInBytes = p.dstXInBytes;
    wide.dstY = p.dstY;
    wide.dstMemoryType = p.dstMemoryType;
    wide.dstHost = p.dstHost;
    wide.dstDevice = p.dstDevice;
    wide.dstArray = p.dstArray;
    wide.dstPitch = p.dstPitch;
    wide.WidthInBytes = p.WidthInBytes;
    wide.Height = p.Height;
    wide.Depth = 1;
    return wide;
}

}  // namespace cuda_shim
