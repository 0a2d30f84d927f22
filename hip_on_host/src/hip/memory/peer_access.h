// The right of a device to write to memory of another.
#pragma once

namespace cuda_shim {

class Device;
struct Allocation;

// Memory of a pool and mapped memory have access rights of their own, a module's variables are their device's alone,
// and other memory follows hipDeviceEnablePeerAccess. All devices may write to memory that the program can read by
// itself.
bool may_write(Device& device, const Allocation& allocation);

}  // namespace cuda_shim
