// hipMemset and its forms. As in CUDA, the forms without a stream are in the null stream's order and return before
// the memory is set, unless the program can read that memory by itself: pinned, registered or managed memory is set
// when they return. The device of the stream must have access to the memory.
#include "hip/api.h"
#include "hip/memory/fill.h"
#include "hip/memory/memory_registry.h"
#include "hip/memory/peer_access.h"
#include "hip/rocm.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

hipError_t issue(const FillRegion& region, hipStream_t handle, Wait wait) {
    return with_stream(handle, [&](Stream& stream) {
        Allocation allocation;
        CUDA_SHIM_TRY(check_fill(region, &allocation));
        if (region.bytes() == 0) return stream.device().sticky_error();
        const bool is_reachable =
            may_write(stream.device(), allocation) || as_rocm(RocmDifference::MemsetsReachAllDevices);
        if (!is_reachable) return hipErrorInvalidValue;
        if (wait == Wait::Yes && allocation.host_visible()) return stream.run(FillCommand(region));
        return stream.submit(FillCommand(region));
    });
}

hipError_t linear(void* dst, unsigned value, unsigned element_bytes, size_t count, hipStream_t stream, Wait wait) {
    FillRegion region;
    region.dst = static_cast<char*>(dst);
    region.value = value;
    region.element_bytes = element_bytes;
    region.width = count;
    return issue(region, stream, wait);
}

hipError_t plane(void* dst, size_t pitch, unsigned value, unsigned element_bytes, size_t width, size_t height,
                 hipStream_t stream, Wait wait) {
    FillRegion region;
    region.dst = static_cast<char*>(dst);
    region.value = value;
    region.element_bytes = element_bytes;
    region.width = width;
    region.height = height;
    region.pitch = pitch;
    return issue(region, stream, wait);
}

hipError_t block(const hipPitchedPtr& dst, unsigned value, const hipExtent& extent, hipStream_t stream, Wait wait) {
    FillRegion region;
    region.dst = static_cast<char*>(dst.ptr);
    region.value = value;
    region.width = extent.width;
    region.height = extent.height;
    region.depth = extent.depth;
    region.pitch = dst.pitch;
    if (__builtin_mul_overflow(dst.pitch, dst.ysize, &region.slice)) return hipErrorInvalidValue;
    if (extent.depth > 1 && extent.height > dst.ysize) return hipErrorInvalidValue;
    return issue(region, stream, wait);
}

unsigned bits(int value) { return static_cast<unsigned>(value); }

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipMemset(void* dst, int value, size_t bytes) {
    return api(__func__, [&] { return linear(dst, bits(value), 1, bytes, nullptr, Wait::Yes); });
}

hipError_t hipMemset_spt(void* dst, int value, size_t bytes) {
    return api(__func__, [&] { return linear(dst, bits(value), 1, bytes, per_thread(nullptr), Wait::Yes); });
}

hipError_t hipMemsetAsync(void* dst, int value, size_t bytes, hipStream_t stream) {
    return api(__func__, [&] { return linear(dst, bits(value), 1, bytes, stream, Wait::No); });
}

hipError_t hipMemsetAsync_spt(void* dst, int value, size_t bytes, hipStream_t stream) {
    return api(__func__, [&] { return linear(dst, bits(value), 1, bytes, per_thread(stream), Wait::No); });
}

hipError_t hipMemsetD8(void* dst, unsigned char value, size_t count) {
    return api(__func__, [&] { return linear(dst, value, 1, count, nullptr, Wait::Yes); });
}

hipError_t hipMemsetD8Async(void* dst, unsigned char value, size_t count, hipStream_t stream) {
    return api(__func__, [&] { return linear(dst, value, 1, count, stream, Wait::No); });
}

hipError_t hipMemsetD16(void* dst, unsigned short value, size_t count) {
    return api(__func__, [&] { return linear(dst, value, 2, count, nullptr, Wait::Yes); });
}

hipError_t hipMemsetD16Async(void* dst, unsigned short value, size_t count, hipStream_t stream) {
    return api(__func__, [&] { return linear(dst, value, 2, count, stream, Wait::No); });
}

hipError_t hipMemsetD32(void* dst, int value, size_t count) {
    return api(__func__, [&] { return linear(dst, bits(value), 4, count, nullptr, Wait::Yes); });
}

hipError_t hipMemsetD32Async(void* dst, int value, size_t count, hipStream_t stream) {
    return api(__func__, [&] { return linear(dst, bits(value), 4, count, stream, Wait::No); });
}

hipError_t hipMemset2D(void* dst, size_t pitch, int value, size_t width, size_t height) {
    return api(__func__, [&] { return plane(dst, pitch, bits(value), 1, width, height, nullptr, Wait::Yes); });
}

hipError_t hipMemset2D_spt(void* dst, size_t pitch, int value, size_t width, size_t height) {
    return api(__func__,
               [&] { return plane(dst, pitch, bits(value), 1, width, height, per_thread(nullptr), Wait::Yes); });
}

hipError_t hipMemset2DAsync(void* dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream) {
    return api(__func__, [&] { return plane(dst, pitch, bits(value), 1, width, height, stream, Wait::No); });
}

hipError_t hipMemset2DAsync_spt(void* dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream) {
    return api(__func__,
               [&] { return plane(dst, pitch, bits(value), 1, width, height, per_thread(stream), Wait::No); });
}

hipError_t hipMemsetD2D8(void* dst, size_t pitch, unsigned char value, size_t width, size_t height) {
    return api(__func__, [&] { return plane(dst, pitch, value, 1, width, height, nullptr, Wait::Yes); });
}

hipError_t hipMemsetD2D8Async(void* dst, size_t pitch, unsigned char value, size_t width, size_t height,
                              hipStream_t stream) {
    return api(__func__, [&] { return plane(dst, pitch, value, 1, width, height, stream, Wait::No); });
}

hipError_t hipMemsetD2D16(void* dst, size_t pitch, unsigned short value, size_t width, size_t height) {
    return api(__func__, [&] { return plane(dst, pitch, value, 2, width, height, nullptr, Wait::Yes); });
}

hipError_t hipMemsetD2D16Async(void* dst, size_t pitch, unsigned short value, size_t width, size_t height,
                               hipStream_t stream) {
    return api(__func__, [&] { return plane(dst, pitch, value, 2, width, height, stream, Wait::No); });
}

hipError_t hipMemsetD2D32(void* dst, size_t pitch, unsigned int value, size_t width, size_t height) {
    return api(__func__, [&] { return plane(dst, pitch, value, 4, width, height, nullptr, Wait::Yes); });
}

hipError_t hipMemsetD2D32Async(void* dst, size_t pitch, unsigned int value, size_t width, size_t height,
                               hipStream_t stream) {
    return api(__func__, [&] { return plane(dst, pitch, value, 4, width, height, stream, Wait::No); });
}

hipError_t hipMemset3D(hipPitchedPtr dst, int value, hipExtent extent) {
    return api(__func__, [&] { return block(dst, bits(value), extent, nullptr, Wait::Yes); });
}

hipError_t hipMemset3D_spt(hipPitchedPtr dst, int value, hipExtent extent) {
    return api(__func__, [&] { return block(dst, bits(value), extent, per_thread(nullptr), Wait::Yes); });
}

hipError_t hipMemset3DAsync(hipPitchedPtr dst, int value, hipExtent extent, hipStream_t stream) {
    return api(__func__, [&] { return block(dst, bits(value), extent, stream, Wait::No); });
}

hipError_t hipMemset3DAsync_spt(hipPitchedPtr dst, int value, hipExtent extent, hipStream_t stream) {
    return api(__func__, [&] { return block(dst, bits(value), extent, per_thread(stream), Wait::No); });
}
