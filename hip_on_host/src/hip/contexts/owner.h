// The context that a resource was made in. A context's resources end with it.
#pragma once
#include <atomic>
#include <cstdint>

namespace cuda_shim {

struct Owner {
    int device = -1;       // -1: no context's; such a resource stays until it is destroyed
    uint64_t context = 0;  // Context::number, or that of a green context; 0 where the device alone is known
};

// The resources that end: those of one context, or of all contexts of a device.
struct Ending {
    int device;
    uint64_t context = 0;  // 0: of all

    bool covers(const Owner& owner) const {
        return owner.device == device && (context == 0 || owner.context == context);
    }
};

// The owner of an object with a handle. It is set once, while another thread may look through all objects.
class ObjectOwner {
public:
    void set(const Owner& owner) {
        packed_.store(owner.context << kDeviceBits | (owner.device + 1u), std::memory_order_release);
    }
    Owner get() const {
        const uint64_t packed = packed_.load(std::memory_order_acquire);
        return {static_cast<int>(packed & ((1u << kDeviceBits) - 1)) - 1, packed >> kDeviceBits};
    }

private:
    static constexpr unsigned kDeviceBits = 16;

    std::atomic<uint64_t> packed_{0};
};

// The owner of the objects that the calling thread creates: its current context.
Owner current_owner();

// Destroys the green contexts, streams, events, modules, arrays, textures, surfaces and memory. The device has no work
// left.
void end_resources(const Ending& ending);

}  // namespace cuda_shim
