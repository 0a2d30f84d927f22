#include "hip/host_commands.h"

#include "hip/device.h"

namespace cuda_shim {

hipError_t CallbackCommand::run(Device& device) noexcept {
    callback_(stream_, device.sticky_error(), data_);
    return hipSuccess;
}

}  // namespace cuda_shim
