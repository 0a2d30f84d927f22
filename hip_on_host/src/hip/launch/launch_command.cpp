#include "hip/launch/launch_command.h"

#include <string.h>

#include "common/log.h"
#include "engine/thread_pool.h"
#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/launch/clusters.h"
#include "hip/launch/kernel_arguments.h"
#include "hip/launch/kernel_command.h"
#include "hip/launch/occupancy.h"
#include "hip/modules/function_attributes.h"
#include "hip/rocm.h"

namespace cuda_shim {
namespace {

// Launches expected to take less run on the calling thread.
constexpr uint64_t kCheapNanoseconds = 20'000;
constexpr uint64_t kMaxBlocksX = INT32_MAX;
constexpr uint64_t kMaxBlocksYZ = 65535;

hipError_t check_extents(const Function& function, const Extent3& grid, const Extent3& block) {
    if (!grid.count() || !block.count()) {
        return as_rocm(RocmDifference::EmptyGridsMisconfigure) ? hipErrorInvalidConfiguration : hipErrorInvalidValue;
    }
    if (grid.x > kMaxBlocksX || grid.y > kMaxBlocksYZ || grid.z > kMaxBlocksYZ) return hipErrorInvalidValue;
    if (uint64_t{grid.x} * block.x > UINT32_MAX && as_rocm(RocmDifference::WorkItemsOf32Bits)) {
        return hipErrorInvalidConfiguration;
    }
    const hipDeviceProp_t& limits = current_device().properties();
    for (uint32_t side : {block.x, block.y, block.z}) {
        if (side > kMaxThreadsPerBlock) return hipErrorInvalidConfiguration;
    }
    if (block.z > static_cast<uint32_t>(limits.maxThreadsDim[2])) return hipErrorInvalidConfiguration;
    if (block.count() > kMaxThreadsPerBlock) return hipErrorInvalidConfiguration;
    if (block.count() > function.symbol.max_threads_per_block) {
        log(LogLevel::Info, "kernel %s is bound to %u threads a block and was launched with %llu",
            function.label.c_str(), function.symbol.max_threads_per_block,
            static_cast<unsigned long long>(block.count()));
        return as_rocm(RocmDifference::LaunchBoundsFailLaunches) ? hipErrorLaunchFailure : hipErrorInvalidConfiguration;
    }
    return hipSuccess;
}

hipError_t check_cooperative(const Function& function, const Extent3& grid, const Extent3& block, size_t shared) {
    const uint64_t resident = max_resident_blocks(function, static_cast<uint32_t>(block.count()), shared);
    return grid.count() <= resident ? hipSuccess : hipErrorCooperativeLaunchTooLarge;
}

}  // namespace

hipError_t LaunchCommand::prepare(Function& function, Extent3 grid, Extent3 block, size_t dynamic_shared_bytes,
                                  bool cooperative, void** params, void** extra,
                                  const std::optional<Extent3>& cluster) {
    CUDA_SHIM_TRY(check_extents(function, grid, block));
    const Device& device = current_device();
    const bool too_much = function.symbol.static_shared_bytes > device.properties().sharedMemPerBlockOptin ||
                          dynamic_shared_bytes > max_dynamic_shared(function, device);
    if (too_much) return hipErrorInvalidValue;
    if (cooperative) CUDA_SHIM_TRY(check_cooperative(function, grid, block, dynamic_shared_bytes));
    CUDA_SHIM_TRY(choose_cluster(function, grid, cooperative, cluster, cluster_));
    if (params && extra) return hipErrorInvalidValue;
    if (!params && !extra && function.symbol.parameter_count) return hipErrorInvalidValue;
    function_ = &function;
    grid_ = grid;
    block_ = block;
    dynamic_shared_bytes_ = static_cast<uint32_t>(dynamic_shared_bytes);
    cooperative_ = cooperative;
    args_ = params;
    if (extra) return read_extra(extra);
    // The shim ends its lists of addresses with a null one, so that a parameter without a value shows.
    for (uint32_t i = 0; i < function.symbol.parameter_count; i++) {
        if (!params[i]) return hipErrorInvalidValue;
    }
    return hipSuccess;
}

hipError_t LaunchCommand::read_extra(void** extra) {
    constexpr size_t kMaxEntries = 16;
    const char* buffer = nullptr;
    const size_t* bytes = nullptr;
    for (size_t i = 0;; i += 2) {
        if (i >= kMaxEntries) return hipErrorInvalidValue;
        const auto key = reinterpret_cast<intptr_t>(extra[i]);
        if (key == HIP_LAUNCH_PARAM_END) break;
        if (key == HIP_LAUNCH_PARAM_BUFFER_POINTER) {
            buffer = static_cast<const char*>(extra[i + 1]);
        } else if (key == HIP_LAUNCH_PARAM_BUFFER_SIZE) {
            bytes = static_cast<const size_t*>(extra[i + 1]);
        } else {
            return hipErrorInvalidValue;
        }
    }
    const CudaShimSymbol& symbol = function_->symbol;
    if (symbol.parameter_count == 0) return hipSuccess;
    if (!buffer || !bytes) return hipErrorInvalidValue;
    auto owned = std::make_shared<Owned>();
    const uint32_t last = symbol.parameter_count - 1;
    const size_t required_bytes = symbol.parameter_offset[last] + size_t{symbol.parameter_size[last]};
    if (required_bytes > *bytes) return hipErrorInvalidValue;
    owned->values.assign(buffer, buffer + required_bytes);
    for (uint32_t i = 0; i < symbol.parameter_count; i++) {
        owned->addresses.push_back(owned->values.data() + symbol.parameter_offset[i]);
    }
    args_ = owned->addresses.data();
    owned->code = function_->code.shared_from_this();
    owned_ = std::move(owned);
    return hipSuccess;
}

void LaunchCommand::own_arguments() {
    if (owned_) return;
    const CudaShimSymbol& symbol = function_->symbol;
    auto owned = std::make_shared<Owned>();
    owned->code = function_->code.shared_from_this();
    const uint32_t count = symbol.parameter_count;
    if (count) owned->values.resize(symbol.parameter_offset[count - 1] + size_t{symbol.parameter_size[count - 1]});
    for (uint32_t i = 0; i < count; i++) {
        char* copy = owned->values.data() + symbol.parameter_offset[i];
        memcpy(copy, args_[i], symbol.parameter_size[i]);
        owned->addresses.push_back(copy);
    }
    args_ = owned->addresses.data();
    owned_ = std::move(owned);
}

CommandPtr LaunchCommand::clone() const {
    auto copy = std::make_unique<LaunchCommand>(*this);
    copy->own_arguments();  // shared where they are owned already: they never change
    return copy;
}

bool LaunchCommand::cheap() const {
    const uint64_t per_block = function_->nanoseconds_per_block.load(std::memory_order_relaxed);
    // A launch must return even if its kernel waits: this thread may have to do the work that the kernel waits for.
    if (function_->symbol.may_wait) return false;
    if (!per_block || cooperative_ || cluster_.count() > 1) return false;
    return per_block <= kCheapNanoseconds * worker_count() / grid_.count();
}

hipError_t LaunchCommand::execute(Device& device) {
    if (hipError_t sticky = device.sticky_error()) return sticky;  // the error of earlier work
    KernelLaunch launch;
    launch.kernel = function_;
    launch.grid = grid_;
    launch.block = block_;
    launch.dynamic_shared_bytes = dynamic_shared_bytes_;
    launch.cooperative = cooperative_;
    const KernelArguments arguments(*function_, args_);
    launch.args = arguments.addresses();
    launch.host_addresses = arguments.host_addresses();
    launch.cluster = cluster_;
    launch.device = device.ordinal();
    launch.call = origin.place;
    if (function_->symbol.may_wait && cluster_.count() == 1) {
        launch.resident_blocks =
            max_resident_blocks(*function_, static_cast<uint32_t>(block_.count()), dynamic_shared_bytes_);
    }
    return run_kernel(launch);
}

hipError_t LaunchCommand::set_cooperative(bool cooperative) {
    if (cooperative && cluster_.count() > 1) return hipErrorNotSupported;
    if (cooperative) CUDA_SHIM_TRY(check_cooperative(*function_, grid_, block_, dynamic_shared_bytes_));
    cooperative_ = cooperative;
    return hipSuccess;
}

void LaunchCommand::describe(hipKernelNodeParams& params) const {
    params.func = function_->handle();
    params.gridDim = {grid_.x, grid_.y, grid_.z};
    params.blockDim = {block_.x, block_.y, block_.z};
    params.sharedMemBytes = dynamic_shared_bytes_;
    params.kernelParams = const_cast<void**>(args_);
    params.extra = nullptr;
}

hipError_t make_kernel_command(const hipKernelNodeParams& params, CommandPtr& command) {
    Function* function = Function::resolve(params.func);
    if (!function) return hipErrorInvalidDeviceFunction;
    auto launch = std::make_unique<LaunchCommand>();
    CUDA_SHIM_TRY(launch->prepare(*function, {params.gridDim.x, params.gridDim.y, params.gridDim.z},
                                  {params.blockDim.x, params.blockDim.y, params.blockDim.z}, params.sharedMemBytes,
                                  false, params.kernelParams, params.extra));
    launch->own_arguments();
    command = std::move(launch);
    return hipSuccess;
}

void describe_kernel_command(const Command& command, hipKernelNodeParams& params) {
    static_cast<const LaunchCommand&>(command).describe(params);
}

bool is_cooperative(const Command& command) { return static_cast<const LaunchCommand&>(command).cooperative(); }

hipError_t set_cooperative(Command& command, bool cooperative) {
    return static_cast<LaunchCommand&>(command).set_cooperative(cooperative);
}

const char* kernel_command_name(const Command& command) {
    return static_cast<const LaunchCommand&>(command).function().name.c_str();
}

}  // namespace cuda_shim
