// The workers' copies of a module's thread-local variables: the variables that kernels declare __shared__, and the
// index of the running thread. The C library would put them into the process's heap; here each copy ends at a guard.
//
// A module has a number. Each thread has a table with the address of its copy, or null, by number: the module reads it
// (shared_variables.h of the prelude), and asks for a copy where there is none.
#pragma once
#include <cstddef>
#include <cstdint>

#include "abi/kernel_module.h"

namespace cuda_shim {

// The variables of one module, for as long as it is mapped.
class SharedVariables {
public:
    // The first `initial_bytes` of a copy's `bytes` have initial values; the rest is zero.
    struct Image {
        const char* initial = nullptr;
        size_t initial_bytes = 0;
        size_t bytes = 0;
        size_t alignment = 1;
    };

    // From here on the module finds its variables here. Throws std::bad_alloc where too many modules are mapped.
    SharedVariables(const Image& image, CudaShimThreadLocals& module);
    // Ends all threads' copies. No kernel of the module runs.
    ~SharedVariables();
    SharedVariables(const SharedVariables&) = delete;
    SharedVariables& operator=(const SharedVariables&) = delete;

    // The calling thread's copy. Throws std::bad_alloc.
    char* of_this_thread() const;
    size_t bytes() const { return image_.bytes; }

private:
    static void* make_copy(const void* variables);

    const Image image_;
    const size_t number_;
};

}  // namespace cuda_shim
