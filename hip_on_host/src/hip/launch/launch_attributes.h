// The attributes that a stream or a kernel node carries.
#pragma once
#include <map>
#include <mutex>

#include "abi/hip_types.h"

namespace cuda_shim {

// accessPolicyMaxWindowSize: windows are hints, so this is the size that CUDA's devices have.
constexpr size_t kMaxWindowBytes = size_t{128} << 20;

class LaunchAttributes {
public:
    // hipErrorInvalidValue for a value that the attribute cannot have.
    hipError_t set(hipLaunchAttributeID attribute, const hipLaunchAttributeValue& value);
    // Zeros for one that was not set, and the automatic way to synchronise.
    hipLaunchAttributeValue get(hipLaunchAttributeID attribute) const;
    void copy_from(const LaunchAttributes& other);

private:
    mutable std::mutex mutex_;
    std::map<hipLaunchAttributeID, hipLaunchAttributeValue> values_;
};

}  // namespace cuda_shim
