// The arguments of a launch as its kernel gets them.
#pragma once
#include <vector>

#include "engine/host_addresses.h"
#include "hip/modules/code_object.h"

namespace cuda_shim {

// Keeps the program's own memory out of a kernel's reach: see HostAddresses. Device, managed, pinned and registered
// memory, variables and code of modules, and objects that the runtime gave out, stay as they are. An address in a
// number cannot be told from a number. The setting cpu_host_pointers turns it off.
class KernelArguments {
public:
    // `addresses`: one for each parameter, valid while this lives. May throw std::bad_alloc.
    KernelArguments(const Function& function, void* const* addresses);
    KernelArguments(const KernelArguments&) = delete;
    KernelArguments& operator=(const KernelArguments&) = delete;

    void* const* addresses() const { return copies_.empty() ? given_ : copies_.data(); }
    // Null where the kernel gets the arguments as they are.
    const HostAddresses* host_addresses() const { return host_addresses_.empty() ? nullptr : &host_addresses_; }

private:
    void visit_words(const Function& function, uint32_t parameter);
    void replace(const Function& function, uint32_t parameter, size_t offset, uintptr_t address);

    void* const* given_;
    std::vector<void*> copies_;
    std::vector<char> values_;
    HostAddresses host_addresses_;
};

// True if kernels may use the program's own memory.
bool host_pointers_allowed();

}  // namespace cuda_shim
