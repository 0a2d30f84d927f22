// A kernel launch as a command of a stream: checked when it is made, run when its turn comes.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "hip/modules/code_object.h"
#include "hip/streams/command.h"

namespace cuda_shim {

class LaunchCommand final : public Command {
public:
    // Makes HIP's checks of a launch, and reads where the arguments are (`params`, or the packed buffer of `extra`,
    // HIP_LAUNCH_PARAM_*). hipErrorInvalidValue, hipErrorInvalidConfiguration, hipErrorCooperativeLaunchTooLarge;
    // hipErrorInvalidClusterSize where the grid cannot be divided into clusters. `cluster`: in blocks, as the launch
    // asks for it; without one, the kernel's required cluster.
    hipError_t prepare(Function& function, Extent3 grid, Extent3 block, size_t dynamic_shared_bytes, bool cooperative,
                       void** params, void** extra, const std::optional<Extent3>& cluster = {});

    hipError_t execute(Device& device) override;
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeKernel; }
    CommandPtr clone() const override;
    bool cheap() const override;
    void own_arguments() override;
    Activity activity() const override { return {"kernel", function_->symbol.source_name, 0}; }

    bool cooperative() const { return cooperative_; }
    // hipErrorCooperativeLaunchTooLarge when the grid cannot be on the device at once.
    hipError_t set_cooperative(bool cooperative);
    void describe(hipKernelNodeParams& params) const;
    const Function& function() const { return *function_; }

private:
    // Copies of the arguments, and the code that they are for, for a launch that outlives its call.
    struct Owned {
        std::shared_ptr<CodeObject> code;
        std::vector<char> values;
        std::vector<void*> addresses;
    };

    hipError_t read_extra(void** extra);

    Function* function_ = nullptr;
    Extent3 grid_, block_;
    uint32_t dynamic_shared_bytes_ = 0;
    bool cooperative_ = false;
    Extent3 cluster_;
    void* const* args_ = nullptr;  // the caller's, or owned
    std::shared_ptr<const Owned> owned_;
};

}  // namespace cuda_shim
