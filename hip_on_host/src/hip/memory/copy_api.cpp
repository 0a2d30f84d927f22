// hipMemcpy and its plain, directed, peer, 2D and 3D forms. Copies of arrays and symbols are in files of their own.
#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/memory/copy.h"

namespace cuda_shim {
namespace {

hipError_t peer(void* dst, int dst_device, const void* src, int src_device, size_t bytes, hipStream_t stream,
                Wait wait) {
    if (!device_at(dst_device) || !device_at(src_device)) return hipErrorInvalidDevice;
    return copy_linear(dst, src, bytes, hipMemcpyDeviceToDevice, stream, wait);
}

hipError_t pitched(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
                   hipMemcpyKind kind, hipStream_t stream, Wait wait) {
    CopyPlan plan;
    CUDA_SHIM_TRY(plan_2d(dst, dst_pitch, src, src_pitch, width, height, kind, plan));
    return copy_in_stream(stream, plan, wait);
}

hipError_t block(const hipMemcpy3DParms* params, hipStream_t stream, Wait wait) {
    if (!params) return hipErrorInvalidValue;
    CopyPlan plan;
    CUDA_SHIM_TRY(plan_3d(*params, plan));
    return copy_in_stream(stream, plan, wait, params);
}

hipError_t driver_block(const HIP_MEMCPY3D* params, hipStream_t stream, Wait wait) {
    if (!params) return hipErrorInvalidValue;
    CopyPlan plan;
    CUDA_SHIM_TRY(plan_driver_3d(*params, plan));
    return copy_in_stream(stream, plan, wait);
}

hipError_t driver_plane(const hip_Memcpy2D* params, hipStream_t stream, Wait wait) {
    if (!params) return hipErrorInvalidValue;
    HIP_MEMCPY3D wide = widen(*params);
    return driver_block(&wide, stream, wait);
}

hipError_t peer_block(const hipMemcpy3DPeerParms* p, hipStream_t stream, Wait wait) {
    if (!p) return hipErrorInvalidValue;
    if (!device_at(p->srcDevice) || !device_at(p->dstDevice)) return hipErrorInvalidDevice;
    hipMemcpy3DParms params{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                            p->dstPos,   p->dstPtr, p->extent, hipMemcpyDeviceToDevice};
    return block(&params, stream, wait);
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipMemcpy(void* dst, const void* src, size_t bytes, hipMemcpyKind kind) {
    return api(__func__, [&] { return copy_linear(dst, src, bytes, kind, nullptr, Wait::Yes); });
}

hipError_t hipMemcpy_spt(void* dst, const void* src, size_t bytes, hipMemcpyKind kind) {
    return api(__func__, [&] { return copy_linear(dst, src, bytes, kind, per_thread(nullptr), Wait::Yes); });
}

hipError_t hipMemcpyWithStream(void* dst, const void* src, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
    return api(__func__, [&] { return copy_linear(dst, src, bytes, kind, stream, Wait::Yes); });
}

hipError_t hipMemcpyAsync(void* dst, const void* src, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
    return api(__func__, [&] { return copy_linear(dst, src, bytes, kind, stream, Wait::No); });
}

hipError_t hipMemcpyAsync_spt(void* dst, const void* src, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
    return api(__func__, [&] { return copy_linear(dst, src, bytes, kind, per_thread(stream), Wait::No); });
}

hipError_t hipMemcpyHtoD(void* dst, const void* src, size_t bytes) {
    return api(__func__, [&] { return copy_linear(dst, src, bytes, hipMemcpyHostToDevice, nullptr, Wait::Yes); });
}

hipError_t hipMemcpyDtoH(void* dst, void* src, size_t bytes) {
    return api(__func__, [&] { return copy_linear(dst, src, bytes, hipMemcpyDeviceToHost, nullptr, Wait::Yes); });
}

hipError_t hipMemcpyDtoD(void* dst, void* src, size_t bytes) {
    return api(__func__, [&] { return copy_linear(dst, src, bytes, hipMemcpyDeviceToDevice, nullptr, Wait::Yes); });
}

hipError_t hipMemcpyHtoDAsync(void* dst, const void* src, size_t bytes, hipStream_t stream) {
    return api(__func__, [&] { return copy_linear(dst, src, bytes, hipMemcpyHostToDevice, stream, Wait::No); });
}

hipError_t hipMemcpyDtoHAsync(void* dst, void* src, size_t bytes, hipStream_t stream) {
    return api(__func__, [&] { return copy_linear(dst, src, bytes, hipMemcpyDeviceToHost, stream, Wait::No); });
}

hipError_t hipMemcpyDtoDAsync(void* dst, void* src, size_t bytes, hipStream_t stream) {
    return api(__func__, [&] { return copy_linear(dst, src, bytes, hipMemcpyDeviceToDevice, stream, Wait::No); });
}

hipError_t hipMemcpyPeer(void* dst, int dst_device, const void* src, int src_device, size_t bytes) {
    return api(__func__, [&] { return peer(dst, dst_device, src, src_device, bytes, nullptr, Wait::Yes); });
}

hipError_t hipMemcpyPeerAsync(void* dst, int dst_device, const void* src, int src_device, size_t bytes,
                              hipStream_t stream) {
    return api(__func__, [&] { return peer(dst, dst_device, src, src_device, bytes, stream, Wait::No); });
}

hipError_t hipMemcpy2D(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
                       hipMemcpyKind kind) {
    return api(__func__,
               [&] { return pitched(dst, dst_pitch, src, src_pitch, width, height, kind, nullptr, Wait::Yes); });
}

hipError_t hipMemcpy2D_spt(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
                           hipMemcpyKind kind) {
    return api(__func__, [&] {
        return pitched(dst, dst_pitch, src, src_pitch, width, height, kind, per_thread(nullptr), Wait::Yes);
    });
}

hipError_t hipMemcpy2DAsync(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
                            hipMemcpyKind kind, hipStream_t stream) {
    return api(__func__,
               [&] { return pitched(dst, dst_pitch, src, src_pitch, width, height, kind, stream, Wait::No); });
}

hipError_t hipMemcpy2DAsync_spt(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width,
                                size_t height, hipMemcpyKind kind, hipStream_t stream) {
    return api(__func__, [&] {
        return pitched(dst, dst_pitch, src, src_pitch, width, height, kind, per_thread(stream), Wait::No);
    });
}

hipError_t hipMemcpy3D(const hipMemcpy3DParms* params) {
    return api(__func__, [&] { return block(params, nullptr, Wait::Yes); });
}

hipError_t hipMemcpy3D_spt(const hipMemcpy3DParms* params) {
    return api(__func__, [&] { return block(params, per_thread(nullptr), Wait::Yes); });
}

hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* params, hipStream_t stream) {
    return api(__func__, [&] { return block(params, stream, Wait::No); });
}

hipError_t hipMemcpy3DAsync_spt(const hipMemcpy3DParms* params, hipStream_t stream) {
    return api(__func__, [&] { return block(params, per_thread(stream), Wait::No); });
}

hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms* params) {
    return api(__func__, [&] { return peer_block(params, nullptr, Wait::Yes); });
}

hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms* params, hipStream_t stream) {
    return api(__func__, [&] { return peer_block(params, stream, Wait::No); });
}

hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D* params) {
    return api(__func__, [&] { return driver_block(params, nullptr, Wait::Yes); });
}

hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* params, hipStream_t stream) {
    return api(__func__, [&] { return driver_block(params, stream, Wait::No); });
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D* params) {
    return api(__func__, [&] { return driver_plane(params, nullptr, Wait::Yes); });
}

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* params, hipStream_t stream) {
    return api(__func__, [&] { return driver_plane(params, stream, Wait::No); });
}

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* params) {
    return api(__func__, [&] { return driver_plane(params, nullptr, Wait::Yes); });
}
