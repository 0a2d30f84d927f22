#include "hip/memory/array.h"

#include <algorithm>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/handle_table.h"
#include "hip/memory/host_memory.h"

namespace cuda_shim {
namespace {

constexpr size_t kRowAlignment = 256;
constexpr unsigned kArrayFlags = hipArrayLayered | hipArraySurfaceLoadStore | hipArrayCubemap | hipArrayTextureGather;

bool too_large(const hipDeviceProp_t& limits, const Array::Shape& shape) {
    bool layered = shape.flags & hipArrayLayered;
    if (shape.height == 0) {
        size_t layers = layered ? shape.depth : 0;
        return shape.width > static_cast<size_t>(limits.maxTexture1D) ||
               layers > static_cast<size_t>(limits.maxTexture1DLayered[1]);
    }
    if (shape.depth == 0 || layered) {
        return shape.width > static_cast<size_t>(limits.maxTexture2D[0]) ||
               shape.height > static_cast<size_t>(limits.maxTexture2D[1]) ||
               shape.depth > static_cast<size_t>(limits.maxTexture2DLayered[2]);
    }
    return shape.width > static_cast<size_t>(limits.maxTexture3D[0]) ||
           shape.height > static_cast<size_t>(limits.maxTexture3D[1]) ||
           shape.depth > static_cast<size_t>(limits.maxTexture3D[2]);
}

hipError_t check_shape(const Device& device, const Array::Shape& shape) {
    if (shape.width == 0 || format_bytes(shape.format) == 0 || (shape.flags & ~kArrayFlags))
        return hipErrorInvalidValue;
    if (shape.channels != 1 && shape.channels != 2 && shape.channels != 4) return hipErrorInvalidValue;
    // A depth without a height is a layered one-dimensional array; layers are counted by the depth.
    if (shape.height == 0 && shape.depth != 0 && !(shape.flags & hipArrayLayered)) return hipErrorInvalidValue;
    if (shape.depth == 0 && (shape.flags & hipArrayLayered)) return hipErrorInvalidValue;
    // Gathering reads four texels of a plane.
    bool plane = shape.height != 0 && shape.depth == 0;
    if ((shape.flags & hipArrayTextureGather) && !plane) return hipErrorInvalidValue;
    if (shape.flags & hipArrayCubemap) {
        bool faces = shape.flags & hipArrayLayered ? shape.depth % 6 == 0 && shape.depth > 0 : shape.depth == 6;
        if (shape.width != shape.height || !faces) return hipErrorInvalidValue;
    }
    return too_large(device.properties(), shape) ? hipErrorInvalidValue : hipSuccess;
}

}  // namespace

size_t format_bytes(hipArray_Format format) {
    switch (format) {
        case HIP_AD_FORMAT_UNSIGNED_INT8:
        case HIP_AD_FORMAT_SIGNED_INT8:
            return 1;
        case HIP_AD_FORMAT_UNSIGNED_INT16:
        case HIP_AD_FORMAT_SIGNED_INT16:
        case HIP_AD_FORMAT_HALF:
            return 2;
        case HIP_AD_FORMAT_UNSIGNED_INT32:
        case HIP_AD_FORMAT_SIGNED_INT32:
        case HIP_AD_FORMAT_FLOAT:
            return 4;
        default:
            return 0;
    }
}

bool format_of(const hipChannelFormatDesc& desc, hipArray_Format& format, unsigned& channels) {
    const int widths[4] = {desc.x, desc.y, desc.z, desc.w};
    channels = 0;
    for (int width : widths) {
        if (width != 0 && width != desc.x) return false;
        if (width != 0) ++channels;
    }
    if (channels == 3 || (desc.y == 0 && (desc.z || desc.w)) || (desc.z == 0 && desc.w)) return false;
    switch (desc.f) {
        case hipChannelFormatKindSigned:
            format = desc.x == 8    ? HIP_AD_FORMAT_SIGNED_INT8
                     : desc.x == 16 ? HIP_AD_FORMAT_SIGNED_INT16
                                    : HIP_AD_FORMAT_SIGNED_INT32;
            return desc.x == 8 || desc.x == 16 || desc.x == 32;
        case hipChannelFormatKindUnsigned:
            format = desc.x == 8    ? HIP_AD_FORMAT_UNSIGNED_INT8
                     : desc.x == 16 ? HIP_AD_FORMAT_UNSIGNED_INT16
                                    : HIP_AD_FORMAT_UNSIGNED_INT32;
            return desc.x == 8 || desc.x == 16 || desc.x == 32;
        case hipChannelFormatKindFloat:
            format = desc.x == 16 ? HIP_AD_FORMAT_HALF : HIP_AD_FORMAT_FLOAT;
            return desc.x == 16 || desc.x == 32;
        default:
            return false;
    }
}

Array::Array(Device& device, const Shape& shape, char* data, bool owner)
    : device_(device.ordinal()),
      shape_(shape),
      element_bytes_(format_bytes(shape.format) * shape.channels),
      pitch_(pitch_for(shape)),
      data_(data),
      owner_(owner) {
    live_handles<Array>().add(this);
}

Array::~Array() {
    live_handles<Array>().remove(this);
    if (!owner_) return;
    Allocation storage;
    if (MemoryRegistry::get().remove(data_, &storage)) release_storage(storage);
}

size_t Array::pitch_for(const Shape& shape) {
    size_t row = shape.width * format_bytes(shape.format) * shape.channels;
    return (row + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}

hipError_t Array::create(Device& device, const Shape& shape, std::unique_ptr<Array>& out) {
    CUDA_SHIM_TRY(check_shape(device, shape));
    size_t bytes = pitch_for(shape) * (shape.height ? shape.height : 1) * (shape.depth ? shape.depth : 1);
    void* data = nullptr;
    CUDA_SHIM_TRY(allocate_memory(device, MemoryKind::Array, bytes, shape.flags, &data));
    out.reset(new Array(device, shape, static_cast<char*>(data), true));
    return hipSuccess;
}

std::unique_ptr<Array> Array::view(Device& device, const Shape& shape, char* data) {
    return std::unique_ptr<Array>(new Array(device, shape, data, false));
}

Array* Array::resolve(hipArray_const_t handle) {
    auto* array = reinterpret_cast<Array*>(const_cast<hipArray_t>(handle));
    return live_handles<Array>().contains(array) ? array : nullptr;
}

hipChannelFormatDesc Array::channels() const {
    int bits = static_cast<int>(format_bytes(shape_.format) * 8);
    auto width = [&](unsigned channel) { return shape_.channels > channel ? bits : 0; };
    hipChannelFormatKind kind = hipChannelFormatKindFloat;
    switch (shape_.format) {
        case HIP_AD_FORMAT_SIGNED_INT8:
        case HIP_AD_FORMAT_SIGNED_INT16:
        case HIP_AD_FORMAT_SIGNED_INT32:
            kind = hipChannelFormatKindSigned;
            break;
        case HIP_AD_FORMAT_UNSIGNED_INT8:
        case HIP_AD_FORMAT_UNSIGNED_INT16:
        case HIP_AD_FORMAT_UNSIGNED_INT32:
            kind = hipChannelFormatKindUnsigned;
            break;
        default:
            break;
    }
    return {width(0), width(1), width(2), width(3), kind};
}

hipError_t MipmappedArray::create(Device& device, const Array::Shape& shape, unsigned levels,
                                  std::unique_ptr<MipmappedArray>& out) {
    CUDA_SHIM_TRY(check_shape(device, shape));
    size_t longest = std::max({shape.width, shape.height, shape.flags & hipArrayLayered ? size_t{0} : shape.depth});
    unsigned most = 1;
    while (longest > 1) {
        longest /= 2;
        ++most;
    }
    levels = std::clamp(levels, 1u, most);
    std::vector<Array::Shape> shapes;
    std::vector<size_t> offsets;
    size_t bytes = 0;
    Array::Shape level = shape;
    for (unsigned i = 0; i < levels; ++i) {
        shapes.push_back(level);
        offsets.push_back(bytes);
        bytes += Array::pitch_for(level) * (level.height ? level.height : 1) * (level.depth ? level.depth : 1);
        auto halve = [](size_t extent) { return extent > 1 ? extent / 2 : extent; };
        level.width = halve(level.width);
        level.height = halve(level.height);
        if (!(shape.flags & (hipArrayLayered | hipArrayCubemap))) level.depth = halve(level.depth);
    }
    std::unique_ptr<MipmappedArray> array(new MipmappedArray);
    CUDA_SHIM_TRY(allocate_memory(device, MemoryKind::Array, bytes, shape.flags, &array->storage_));
    array->bytes_ = bytes;
    for (size_t i = 0; i < shapes.size(); ++i) {
        array->levels_.push_back(Array::view(device, shapes[i], static_cast<char*>(array->storage_) + offsets[i]));
    }
    live_handles<MipmappedArray>().add(array.get());
    out = std::move(array);
    return hipSuccess;
}

MipmappedArray::~MipmappedArray() {
    live_handles<MipmappedArray>().remove(this);
    Allocation storage;
    if (storage_ && MemoryRegistry::get().remove(storage_, &storage)) release_storage(storage);
}

MipmappedArray* MipmappedArray::resolve(hipMipmappedArray_const_t handle) {
    auto* array = reinterpret_cast<MipmappedArray*>(const_cast<hipMipmappedArray_t>(handle));
    return live_handles<MipmappedArray>().contains(array) ? array : nullptr;
}

}  // namespace cuda_shim
