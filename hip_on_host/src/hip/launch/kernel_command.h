// Kernel launches as commands, for graphs. Implemented in launch_command.cpp.
#pragma once
#include "abi/hip_types.h"
#include "hip/streams/command.h"

namespace cuda_shim {

// Makes a command that owns a copy of its arguments, for a graph's kernel node or a captured launch. `params.func` is a
// hipFunction_t. Errors as hipModuleLaunchKernel's.
hipError_t make_kernel_command(const hipKernelNodeParams& params, CommandPtr& command);

// The parameters that a kernel command was made with; pointers stay valid while the command lives.
void describe_kernel_command(const Command& command, hipKernelNodeParams& params);

// True if a kernel command launches cooperatively (hipLaunchAttributeCooperative of its node).
bool is_cooperative(const Command& command);
// hipErrorCooperativeLaunchTooLarge when the grid cannot be on the device at once.
hipError_t set_cooperative(Command& command, bool cooperative);

// The kernel's name, for graph pictures; valid while the module is loaded.
const char* kernel_command_name(const Command& command);

}  // namespace cuda_shim
