// Copies to, from and between hipArrays.
#include <string.h>

#include "hip/api.h"
#include "hip/memory/array.h"
#include "hip/memory/copy.h"

namespace cuda_shim {
namespace {

HIP_MEMCPY3D blank() {
    HIP_MEMCPY3D params;
    memset(static_cast<void*>(&params), 0, sizeof params);
    params.Height = params.Depth = 1;
    return params;
}

// The directed kinds say which end is host memory; the array end is device memory.
hipMemoryType pointer_type(hipMemcpyKind kind, hipMemcpyKind host_kind) {
    return kind == hipMemcpyDefault ? hipMemoryTypeUnified
           : kind == host_kind      ? hipMemoryTypeHost
                                    : hipMemoryTypeDevice;
}

void set_source(HIP_MEMCPY3D& params, const void* pointer, size_t pitch, hipMemoryType type) {
    params.srcMemoryType = type;
    params.srcHost = pointer;
    params.srcDevice = const_cast<void*>(pointer);
    params.srcPitch = pitch;
}

void set_source(HIP_MEMCPY3D& params, hipArray_const_t array, size_t x, size_t y) {
    params.srcMemoryType = hipMemoryTypeArray;
    params.srcArray = const_cast<hipArray_t>(array);
    params.srcXInBytes = x;
    params.srcY = y;
}

void set_destination(HIP_MEMCPY3D& params, void* pointer, size_t pitch, hipMemoryType type) {
    params.dstMemoryType = type;
    params.dstHost = params.dstDevice = pointer;
    params.dstPitch = pitch;
}

void set_destination(HIP_MEMCPY3D& params, hipArray_t array, size_t x, size_t y) {
    params.dstMemoryType = hipMemoryTypeArray;
    params.dstArray = array;
    params.dstXInBytes = x;
    params.dstY = y;
}

hipError_t issue(const HIP_MEMCPY3D& params, hipStream_t handle, Wait wait) {
    CopyPlan plan;
    CUDA_SHIM_TRY(plan_driver_3d(params, plan));
    return copy_in_stream(handle, plan, wait);
}

hipError_t plane_to_array(hipArray_t dst, size_t x, size_t y, const void* src, size_t pitch, size_t width,
                          size_t height, hipMemcpyKind kind, hipStream_t stream, Wait wait) {
    if (!may_end_on_device(kind)) return hipErrorInvalidMemcpyDirection;
    if (width > pitch) return hipErrorInvalidPitchValue;
    HIP_MEMCPY3D params = blank();
    set_source(params, src, pitch, pointer_type(kind, hipMemcpyHostToDevice));
    set_destination(params, dst, x, y);
    params.WidthInBytes = width;
    params.Height = height;
    return issue(params, stream, wait);
}

hipError_t plane_from_array(void* dst, size_t pitch, hipArray_const_t src, size_t x, size_t y, size_t width,
                            size_t height, hipMemcpyKind kind, hipStream_t stream, Wait wait) {
    if (!may_begin_on_device(kind)) return hipErrorInvalidMemcpyDirection;
    if (width > pitch) return hipErrorInvalidPitchValue;
    HIP_MEMCPY3D params = blank();
    set_source(params, src, x, y);
    set_destination(params, dst, pitch, pointer_type(kind, hipMemcpyDeviceToHost));
    params.WidthInBytes = width;
    params.Height = height;
    return issue(params, stream, wait);
}

// Bytes of a run that begins at (x, y) and wraps at the ends of the array's rows.
hipError_t run_of_rows(hipArray_const_t handle, size_t x, size_t y, size_t bytes, size_t& rows) {
    Array* array = Array::resolve(handle);
    if (!array) return hipErrorInvalidHandle;
    size_t row = array->row_bytes();
    if (x == 0 && bytes % row == 0) {
        rows = bytes / row;
    } else if (x + bytes <= row) {
        rows = 1;
    } else {
        return hipErrorInvalidValue;
    }
    return y + rows <= array->rows() ? hipSuccess : hipErrorInvalidValue;
}

hipError_t run_to_array(hipArray_t dst, size_t x, size_t y, const void* src, size_t bytes, hipMemcpyKind kind,
                        hipStream_t stream, Wait wait) {
    if (bytes == 0) return hipSuccess;
    size_t rows;
    CUDA_SHIM_TRY(run_of_rows(dst, x, y, bytes, rows));
    return plane_to_array(dst, x, y, src, bytes / rows, bytes / rows, rows, kind, stream, wait);
}

hipError_t run_from_array(void* dst, hipArray_const_t src, size_t x, size_t y, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream, Wait wait) {
    if (bytes == 0) return hipSuccess;
    size_t rows;
    CUDA_SHIM_TRY(run_of_rows(src, x, y, bytes, rows));
    return plane_from_array(dst, bytes / rows, src, x, y, bytes / rows, rows, kind, stream, wait);
}

hipError_t array_to_array(hipArray_t dst, size_t dst_x, size_t dst_y, hipArray_const_t src, size_t src_x, size_t src_y,
                          size_t width, size_t height, hipMemcpyKind kind) {
    if (!may_begin_on_device(kind) || !may_end_on_device(kind)) return hipErrorInvalidMemcpyDirection;
    HIP_MEMCPY3D params = blank();
    set_source(params, src, src_x, src_y);
    set_destination(params, dst, dst_x, dst_y);
    params.WidthInBytes = width;
    params.Height = height;
    return issue(params, nullptr, Wait::Yes);
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipMemcpy2DToArray(hipArray_t dst, size_t x, size_t y, const void* src, size_t pitch, size_t width,
                              size_t height, hipMemcpyKind kind) {
    return api(__func__,
               [&] { return plane_to_array(dst, x, y, src, pitch, width, height, kind, nullptr, Wait::Yes); });
}

hipError_t hipMemcpy2DToArray_spt(hipArray_t dst, size_t x, size_t y, const void* src, size_t pitch, size_t width,
                                  size_t height, hipMemcpyKind kind) {
    return api(__func__, [&] {
        return plane_to_array(dst, x, y, src, pitch, width, height, kind, per_thread(nullptr), Wait::Yes);
    });
}

hipError_t hipMemcpy2DToArrayAsync(hipArray_t dst, size_t x, size_t y, const void* src, size_t pitch, size_t width,
                                   size_t height, hipMemcpyKind kind, hipStream_t stream) {
    return api(__func__, [&] { return plane_to_array(dst, x, y, src, pitch, width, height, kind, stream, Wait::No); });
}

hipError_t hipMemcpy2DToArrayAsync_spt(hipArray_t dst, size_t x, size_t y, const void* src, size_t pitch, size_t width,
                                       size_t height, hipMemcpyKind kind, hipStream_t stream) {
    return api(__func__, [&] {
        return plane_to_array(dst, x, y, src, pitch, width, height, kind, per_thread(stream), Wait::No);
    });
}

hipError_t hipMemcpy2DFromArray(void* dst, size_t pitch, hipArray_const_t src, size_t x, size_t y, size_t width,
                                size_t height, hipMemcpyKind kind) {
    return api(__func__,
               [&] { return plane_from_array(dst, pitch, src, x, y, width, height, kind, nullptr, Wait::Yes); });
}

hipError_t hipMemcpy2DFromArray_spt(void* dst, size_t pitch, hipArray_const_t src, size_t x, size_t y, size_t width,
                                    size_t height, hipMemcpyKind kind) {
    return api(__func__, [&] {
        return plane_from_array(dst, pitch, src, x, y, width, height, kind, per_thread(nullptr), Wait::Yes);
    });
}

hipError_t hipMemcpy2DFromArrayAsync(void* dst, size_t pitch, hipArray_const_t src, size_t x, size_t y, size_t width,
                                     size_t height, hipMemcpyKind kind, hipStream_t stream) {
    return api(__func__,
               [&] { return plane_from_array(dst, pitch, src, x, y, width, height, kind, stream, Wait::No); });
}

hipError_t hipMemcpy2DFromArrayAsync_spt(void* dst, size_t pitch, hipArray_const_t src, size_t x, size_t y,
                                         size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream) {
    return api(__func__, [&] {
        return plane_from_array(dst, pitch, src, x, y, width, height, kind, per_thread(stream), Wait::No);
    });
}

hipError_t hipMemcpy2DArrayToArray(hipArray_t dst, size_t dst_x, size_t dst_y, hipArray_const_t src, size_t src_x,
                                   size_t src_y, size_t width, size_t height, hipMemcpyKind kind) {
    return api(__func__, [&] { return array_to_array(dst, dst_x, dst_y, src, src_x, src_y, width, height, kind); });
}

hipError_t hipMemcpyToArray(hipArray_t dst, size_t x, size_t y, const void* src, size_t bytes, hipMemcpyKind kind) {
    return api(__func__, [&] { return run_to_array(dst, x, y, src, bytes, kind, nullptr, Wait::Yes); });
}

hipError_t hipMemcpyFromArray(void* dst, hipArray_const_t src, size_t x, size_t y, size_t bytes, hipMemcpyKind kind) {
    return api(__func__, [&] { return run_from_array(dst, src, x, y, bytes, kind, nullptr, Wait::Yes); });
}

hipError_t hipMemcpyFromArray_spt(void* dst, hipArray_const_t src, size_t x, size_t y, size_t bytes,
                                  hipMemcpyKind kind) {
    return api(__func__, [&] { return run_from_array(dst, src, x, y, bytes, kind, per_thread(nullptr), Wait::Yes); });
}

hipError_t hipMemcpyAtoH(void* dst, hipArray_t src, size_t offset, size_t bytes) {
    return api(__func__,
               [&] { return run_from_array(dst, src, offset, 0, bytes, hipMemcpyDeviceToHost, nullptr, Wait::Yes); });
}

hipError_t hipMemcpyHtoA(hipArray_t dst, size_t offset, const void* src, size_t bytes) {
    return api(__func__,
               [&] { return run_to_array(dst, offset, 0, src, bytes, hipMemcpyHostToDevice, nullptr, Wait::Yes); });
}

hipError_t hipMemcpyAtoD(void* dst, hipArray_t src, size_t offset, size_t bytes) {
    return api(__func__,
               [&] { return run_from_array(dst, src, offset, 0, bytes, hipMemcpyDeviceToDevice, nullptr, Wait::Yes); });
}

hipError_t hipMemcpyDtoA(hipArray_t dst, size_t offset, void* src, size_t bytes) {
    return api(__func__,
               [&] { return run_to_array(dst, offset, 0, src, bytes, hipMemcpyDeviceToDevice, nullptr, Wait::Yes); });
}

hipError_t hipMemcpyAtoA(hipArray_t dst, size_t dst_offset, hipArray_t src, size_t src_offset, size_t bytes) {
    return api(__func__, [&] {
        return array_to_array(dst, dst_offset, 0, src, src_offset, 0, bytes, 1, hipMemcpyDeviceToDevice);
    });
}

hipError_t hipMemcpyAtoHAsync(void* dst, hipArray_t src, size_t offset, size_t bytes, hipStream_t stream) {
    return api(__func__,
               [&] { return run_from_array(dst, src, offset, 0, bytes, hipMemcpyDeviceToHost, stream, Wait::No); });
}

hipError_t hipMemcpyHtoAAsync(hipArray_t dst, size_t offset, const void* src, size_t bytes, hipStream_t stream) {
    return api(__func__,
               [&] { return run_to_array(dst, offset, 0, src, bytes, hipMemcpyHostToDevice, stream, Wait::No); });
}
