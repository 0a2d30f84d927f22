// The reason that a kernel is not split.
#pragma once
#include <stdexcept>

namespace cuda_shim {

// Thrown where an analysis is not certain: the kernel then runs in a form that is always right.
class NotSplit : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace cuda_shim
