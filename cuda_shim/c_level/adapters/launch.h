// cuLaunchKernelEx: without attributes it is an ordinary launch; with some, Python decides which of them HIP has.
namespace {

struct LaunchConfig {
    unsigned int grid[3], block[3], shared_bytes;
    void *stream, *attributes;
    unsigned int attribute_count;
};

inline int launch_with_attributes(void* config, void* function, void* parameters, void* extra) {
    if (!config || extra) return ask_python;
    LaunchConfig given;
    memcpy(&given, config, sizeof given);
    if (given.attribute_count) return ask_python;
    return call_hip(HIP(hipModuleLaunchKernel), function, given.grid[0], given.grid[1], given.grid[2], given.block[0],
                    given.block[1], given.block[2], given.shared_bytes, given.stream, parameters, extra);
}

}  // namespace
