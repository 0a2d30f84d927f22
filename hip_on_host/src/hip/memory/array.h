// hipArrays: typed images of one to three dimensions, plain rows in host memory.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "abi/hip_types.h"
#include "hip/contexts/owner.h"

namespace cuda_shim {

class Device;

class Array {
public:
    // Extents in elements; height and depth are 0 where the array has no such dimension.
    struct Shape {
        size_t width = 0, height = 0, depth = 0;
        hipArray_Format format = HIP_AD_FORMAT_UNSIGNED_INT8;
        unsigned channels = 1;
        unsigned flags = 0;
    };

    // hipErrorInvalidValue for a shape that HIP refuses, hipErrorOutOfMemory.
    static hipError_t create(Device& device, const Shape& shape, std::unique_ptr<Array>& out);
    // A view of rows that another object owns: one level of a mipmapped array.
    static std::unique_ptr<Array> view(Device& device, const Shape& shape, char* data);
    ~Array();
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    static Array* resolve(hipArray_const_t handle);
    hipArray_t handle() { return reinterpret_cast<hipArray_t>(this); }

    ObjectOwner owner;

    char* data() const { return data_; }
    const Shape& shape() const { return shape_; }
    size_t element_bytes() const { return element_bytes_; }
    size_t row_bytes() const { return shape_.width * element_bytes_; }
    size_t rows() const { return shape_.height ? shape_.height : 1; }
    size_t slices() const { return shape_.depth ? shape_.depth : 1; }
    size_t pitch() const { return pitch_; }
    size_t slice_bytes() const { return pitch_ * rows(); }
    int device() const { return device_; }
    // A level of a mipmapped array, which owns it and its memory.
    bool is_view() const { return !owner_; }
    hipChannelFormatDesc channels() const;

    static size_t pitch_for(const Shape& shape);

private:
    Array(Device& device, const Shape& shape, char* data, bool owner);

    int device_;
    Shape shape_;
    size_t element_bytes_;
    size_t pitch_;
    char* data_;
    bool owner_;
};

// Bytes of one channel; 0 for a format that HIP does not know.
size_t format_bytes(hipArray_Format format);
// The array format of a channel descriptor; false when HIP has none (unequal channels, odd widths).
bool format_of(const hipChannelFormatDesc& desc, hipArray_Format& format, unsigned& channels);

// A mipmapped array: levels of halving size, each an Array of its own over one block of memory.
class MipmappedArray {
public:
    static hipError_t create(Device& device, const Array::Shape& shape, unsigned levels,
                             std::unique_ptr<MipmappedArray>& out);
    ~MipmappedArray();
    MipmappedArray(const MipmappedArray&) = delete;
    MipmappedArray& operator=(const MipmappedArray&) = delete;

    static MipmappedArray* resolve(hipMipmappedArray_const_t handle);
    hipMipmappedArray_t handle() { return reinterpret_cast<hipMipmappedArray_t>(this); }

    ObjectOwner owner;

    size_t level_count() const { return levels_.size(); }
    Array& level(size_t index) const { return *levels_[index]; }
    size_t bytes() const { return bytes_; }

private:
    MipmappedArray() = default;
    void* storage_ = nullptr;
    size_t bytes_ = 0;
    std::vector<std::unique_ptr<Array>> levels_;
};

}  // namespace cuda_shim
