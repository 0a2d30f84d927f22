// Why a kernel is not taken apart.
#pragma once
#include <stdexcept>

namespace cuda_shim {

// Thrown by whatever is not certain: the kernel runs in a form that is always right then.
class NotSplit : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace cuda_shim
