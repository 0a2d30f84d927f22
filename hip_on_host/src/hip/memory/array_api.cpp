// hipArrays: creation and description.
#include <string.h>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/handle_table.h"
#include "hip/memory/array.h"
#include "hip/rocm.h"
#include "hip/streams/capture.h"

namespace cuda_shim {
namespace {

hipError_t create_array(hipArray_t* out, const Array::Shape& shape) {
    if (!out) return hipErrorInvalidValue;
    if (lacks_images()) return hipErrorNotSupported;
    CUDA_SHIM_TRY(refuse_unsafe_call());
    std::unique_ptr<Array> array;
    CUDA_SHIM_TRY(Array::create(current_device(), shape, array));
    *out = publish_handle(std::move(array));
    return hipSuccess;
}

hipError_t shape_of(const hipChannelFormatDesc* desc, const hipExtent& extent, unsigned flags, Array::Shape& shape) {
    if (!desc) return hipErrorInvalidValue;
    if (!format_of(*desc, shape.format, shape.channels)) return hipErrorInvalidValue;
    shape.width = extent.width;
    shape.height = extent.height;
    shape.depth = extent.depth;
    shape.flags = flags;
    return hipSuccess;
}

hipError_t create_by_desc(hipArray_t* out, const hipChannelFormatDesc* desc, const hipExtent& extent, unsigned flags) {
    Array::Shape shape;
    CUDA_SHIM_TRY(shape_of(desc, extent, flags, shape));
    return create_array(out, shape);
}

Array::Shape shape_of(const HIP_ARRAY3D_DESCRIPTOR& p) {
    return {p.Width, p.Height, p.Depth, p.Format, p.NumChannels, p.Flags};
}

hipError_t destroy_array(hipArray_t handle) {
    Array* array = Array::resolve(handle);
    if (!array) return handle ? hipErrorInvalidHandle : hipErrorInvalidValue;
    if (array->is_view()) return hipErrorInvalidHandle;  // a level belongs to its mipmapped array
    device_at(array->device())->wait_for_all();
    return claim_handle<Array>(array) ? hipSuccess : hipErrorInvalidHandle;
}

hipError_t create_mipmapped(hipMipmappedArray_t* out, const Array::Shape& shape, unsigned levels) {
    if (!out) return hipErrorInvalidValue;
    if (lacks_images()) return hipErrorNotSupported;
    CUDA_SHIM_TRY(refuse_unsafe_call());
    std::unique_ptr<MipmappedArray> array;
    CUDA_SHIM_TRY(MipmappedArray::create(current_device(), shape, levels, array));
    *out = publish_handle(std::move(array));
    return hipSuccess;
}

hipError_t destroy_mipmapped(hipMipmappedArray_t handle) {
    MipmappedArray* array = MipmappedArray::resolve(handle);
    if (!array) return handle ? hipErrorInvalidHandle : hipErrorInvalidValue;
    device_at(array->level(0).device())->wait_for_all();
    return claim_handle<MipmappedArray>(array) ? hipSuccess : hipErrorInvalidHandle;
}

hipError_t level_of(hipArray_t* out, hipMipmappedArray_const_t handle, unsigned level) {
    if (!out) return hipErrorInvalidValue;
    MipmappedArray* array = MipmappedArray::resolve(handle);
    if (!array) return hipErrorInvalidHandle;
    if (level >= array->level_count()) return hipErrorInvalidValue;
    *out = array->level(level).handle();
    return hipSuccess;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind kind) {
    return {x, y, z, w, kind};
}

hipError_t hipMallocArray(hipArray_t* array, const hipChannelFormatDesc* desc, size_t width, size_t height,
                          unsigned int flags) {
    return api(__func__, [&] { return create_by_desc(array, desc, {width, height, 0}, flags); });
}

hipError_t hipMalloc3DArray(hipArray_t* array, const hipChannelFormatDesc* desc, hipExtent extent, unsigned int flags) {
    return api(__func__, [&] { return create_by_desc(array, desc, extent, flags); });
}

hipError_t hipArrayCreate(hipArray_t* array, const HIP_ARRAY_DESCRIPTOR* params) {
    return api(__func__, [&] {
        if (!params) return hipErrorInvalidValue;
        return create_array(array, {params->Width, params->Height, 0, params->Format, params->NumChannels, 0});
    });
}

hipError_t hipArray3DCreate(hipArray_t* array, const HIP_ARRAY3D_DESCRIPTOR* params) {
    return api(__func__, [&] {
        if (!params) return hipErrorInvalidValue;
        return create_array(array, shape_of(*params));
    });
}

hipError_t hipFreeArray(hipArray_t array) {
    return api(__func__, [&] { return destroy_array(array); });
}

hipError_t hipArrayDestroy(hipArray_t array) {
    return api(__func__, [&] { return destroy_array(array); });
}

hipError_t hipArrayGetInfo(hipChannelFormatDesc* desc, hipExtent* extent, unsigned int* flags, hipArray_t handle) {
    return api(__func__, [&] {
        Array* array = Array::resolve(handle);
        if (!array) return hipErrorInvalidHandle;
        if (desc) *desc = array->channels();
        if (extent) *extent = {array->shape().width, array->shape().height, array->shape().depth};
        if (flags) *flags = array->shape().flags;
        return hipSuccess;
    });
}

hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR* out, hipArray_t handle) {
    return api(__func__, [&] {
        Array* array = Array::resolve(handle);
        if (!out) return hipErrorInvalidValue;
        if (!array) return hipErrorInvalidHandle;
        if (array->shape().depth != 0) return hipErrorInvalidValue;
        *out = {array->shape().width, array->shape().height, array->shape().format, array->shape().channels};
        return hipSuccess;
    });
}

hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR* out, hipArray_t handle) {
    return api(__func__, [&] {
        Array* array = Array::resolve(handle);
        if (!out) return hipErrorInvalidValue;
        if (!array) return hipErrorInvalidHandle;
        const Array::Shape& shape = array->shape();
        *out = {shape.width, shape.height, shape.depth, shape.format, shape.channels, shape.flags};
        return hipSuccess;
    });
}

hipError_t hipGetChannelDesc(hipChannelFormatDesc* desc, hipArray_const_t handle) {
    return api(__func__, [&] {
        Array* array = Array::resolve(handle);
        if (!desc) return hipErrorInvalidValue;
        if (!array) return hipErrorInvalidHandle;
        *desc = array->channels();
        return hipSuccess;
    });
}

hipError_t hipMallocMipmappedArray(hipMipmappedArray_t* out, const hipChannelFormatDesc* desc, hipExtent extent,
                                   unsigned int levels, unsigned int flags) {
    return api(__func__, [&]() -> hipError_t {
        Array::Shape shape;
        CUDA_SHIM_TRY(shape_of(desc, extent, flags, shape));
        return create_mipmapped(out, shape, levels);
    });
}

hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t* out, HIP_ARRAY3D_DESCRIPTOR* params, unsigned int levels) {
    return api(__func__, [&] {
        if (!params) return hipErrorInvalidValue;
        return create_mipmapped(out, shape_of(*params), levels);
    });
}

hipError_t hipFreeMipmappedArray(hipMipmappedArray_t array) {
    return api(__func__, [&] { return destroy_mipmapped(array); });
}

hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t array) {
    return api(__func__, [&] { return destroy_mipmapped(array); });
}

hipError_t hipGetMipmappedArrayLevel(hipArray_t* level_array, hipMipmappedArray_const_t array, unsigned int level) {
    return api(__func__, [&] { return level_of(level_array, array, level); });
}

hipError_t hipMipmappedArrayGetLevel(hipArray_t* level_array, hipMipmappedArray_t array, unsigned int level) {
    return api(__func__, [&] { return level_of(level_array, array, level); });
}

hipError_t hipMipmappedArrayGetMemoryRequirements(hipArrayMemoryRequirements* out, hipMipmappedArray_t handle,
                                                  int device) {
    return api(__func__, [&] {
        MipmappedArray* array = MipmappedArray::resolve(handle);
        if (!out) return hipErrorInvalidValue;
        if (!array) return hipErrorInvalidHandle;
        if (!device_at(device)) return hipErrorInvalidDevice;
        *out = {256, array->bytes()};
        return hipSuccess;
    });
}
