// Parts of a device: cores that are split into groups, and contexts whose streams run kernels on their group alone.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "abi/hip_types.h"
#include "hip/contexts/owner.h"

namespace cuda_shim {

class Device;
class Stream;
class StreamQueue;

// Cores of a device by number. A group is a limit: which of the host's cores they are is the host's affair.
struct CoreRange {
    int device = 0;
    unsigned first = 0, count = 0;

    bool operator==(const CoreRange& other) const {
        return device == other.device && first == other.first && count == other.count;
    }
};

// hipExecutionCtx_t: the whole device's, or one of a part of it, whose streams end with it. The other objects of the
// device are shared.
class ExecutionContext {
public:
    ExecutionContext(Device& device, const CoreRange& cores, bool is_whole_device);
    ~ExecutionContext();
    ExecutionContext(const ExecutionContext&) = delete;
    ExecutionContext& operator=(const ExecutionContext&) = delete;

    static ExecutionContext* resolve(hipExecutionCtx_t handle);
    hipExecutionCtx_t handle() { return reinterpret_cast<hipExecutionCtx_t>(this); }

    Device& device() const { return device_; }
    const CoreRange& cores() const { return cores_; }
    bool is_whole_device() const { return is_whole_device_; }
    unsigned long long id() const { return id_; }
    // The resources that end with this context.
    Ending ending() const;

    ObjectOwner owner;

    Stream& create_stream(unsigned flags, int priority);
    // The streams that were made in this context and are not destroyed.
    std::vector<Stream*> streams() const;
    // A stream that runs behind all present work of these streams.
    Stream& joint();

private:
    Device& device_;
    CoreRange cores_;
    bool is_whole_device_;
    unsigned long long id_;
    mutable std::mutex mutex_;
    std::unique_ptr<Stream> joint_;
};

}  // namespace cuda_shim
