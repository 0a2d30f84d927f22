// Bytes of a device's memory that are taken, for as long as an object lives.
#pragma once
#include <cstddef>
#include <utility>

namespace cuda_shim {

class Device;

class MemoryShare {
public:
    // A share of no bytes.
    MemoryShare() = default;
    // An empty one where the device has not that much left.
    static MemoryShare of(Device& device, size_t bytes);
    ~MemoryShare();
    MemoryShare(MemoryShare&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
    MemoryShare& operator=(MemoryShare&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }

    explicit operator bool() const { return bytes_ != 0; }

private:
    explicit MemoryShare(size_t bytes) : bytes_(bytes) {}

    size_t bytes_ = 0;
};

}  // namespace cuda_shim
