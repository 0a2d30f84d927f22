// Addresses of the program's own memory among a kernel's arguments. No GPU reaches that memory, and here it is the
// memory of the process that runs the kernel. So the kernel gets a marked address instead, through which every access
// is a fault; a kernel that does not use the pointer does not notice.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_shim {

// A bit that no address of a program has: x86-64's processors refuse such an address, or the system has nothing there;
// aarch64's look it up in the system's half of the addresses.
constexpr uintptr_t kHostAddressMark = uintptr_t{1} << 55;

constexpr bool is_marked(uintptr_t address) { return address >> 55 == 1; }

class HostAddresses {
public:
    void add(uint32_t parameter, uintptr_t address) { list_.push_back({parameter, address}); }
    bool empty() const { return list_.empty(); }
    // True if a fault may come from the use of one of them. `fault_address`: 0 where the processor does not tell.
    bool may_explain(uintptr_t fault_address) const;
    // The cause and the cure, for the log: "parameter 2 (x) holds 0x7f00, host memory ...". `names`: of all parameters,
    // with commas between them.
    std::string describe(const char* names) const;

private:
    struct HostAddress {
        uint32_t parameter;  // from 0
        uintptr_t address;
    };
    std::vector<HostAddress> list_;
};

}  // namespace cuda_shim
