// The functions of the runtime that return a struct and need no device.
namespace {

struct ChannelFormat {
    int x, y, z, w, kind;
};
struct Extent {
    size_t width, height, depth;
};
struct PitchedPointer {
    void* pointer;
    size_t pitch, width, height;
};

}  // namespace

CUDA_SHIM_EXPORT ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return {x, y, z, w, kind};
}
CUDA_SHIM_EXPORT Extent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
CUDA_SHIM_EXPORT Extent make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
CUDA_SHIM_EXPORT PitchedPointer make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height) {
    return {pointer, pitch, width, height};
}
