// Peer access. All virtual devices share one memory, so access always works; HIP's rules for enabling and disabling it
// are kept, so that programs behave as they would on several GPUs.
#include "hip/api.h"
#include "hip/contexts/context.h"
#include "hip/contexts/device.h"

namespace cuda_shim {
namespace {

hipError_t enable(Device& device, int peer, unsigned flags) {
    if (flags != 0) return hipErrorInvalidValue;
    if (!device_at(peer) || peer == device.ordinal()) return hipErrorInvalidDevice;
    std::lock_guard<std::mutex> lock(device.mutex());
    return device.state().peers.insert(peer).second ? hipSuccess : hipErrorPeerAccessAlreadyEnabled;
}

hipError_t disable(Device& device, int peer) {
    if (!device_at(peer) || peer == device.ordinal()) return hipErrorInvalidDevice;
    std::lock_guard<std::mutex> lock(device.mutex());
    return device.state().peers.erase(peer) ? hipSuccess : hipErrorPeerAccessNotEnabled;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipDeviceCanAccessPeer(int* can_access, int device, int peer) {
    return api(__func__, [&] {
        if (!can_access) return hipErrorInvalidValue;
        if (!device_at(device) || !device_at(peer)) return hipErrorInvalidDevice;
        *can_access = device != peer;
        return hipSuccess;
    });
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags) {
    return api(__func__, [&] { return enable(current_device(), peer, flags); });
}

hipError_t hipDeviceDisablePeerAccess(int peer) {
    return api(__func__, [&] { return disable(current_device(), peer); });
}

hipError_t hipCtxEnablePeerAccess(hipCtx_t peer, unsigned int flags) {
    return api(__func__, [&] {
        Context* context = Context::resolve(peer);
        return context ? enable(current_device(), context->device().ordinal(), flags) : hipErrorInvalidContext;
    });
}

hipError_t hipCtxDisablePeerAccess(hipCtx_t peer) {
    return api(__func__, [&] {
        Context* context = Context::resolve(peer);
        return context ? disable(current_device(), context->device().ordinal()) : hipErrorInvalidContext;
    });
}
