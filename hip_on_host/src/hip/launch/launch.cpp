// The functions that launch kernels.
#include "common/settings.h"
#include "hip/api.h"
#include "hip/launch/clusters.h"
#include "hip/launch/launch_command.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

struct LaunchRequest {
    const void* function;
    Extent3 grid, block;
    size_t dynamic_shared_bytes;
    hipStream_t stream;
    void** params;
    void** extra = nullptr;
    bool cooperative = false;
    std::optional<Extent3> cluster = {};
};

Extent3 extent(const dim3& from) { return {from.x, from.y, from.z}; }

// The error for an invalid function depends on the family of calls, which take a handle of a module or an address.
hipError_t launch(const LaunchRequest& request, hipError_t no_such_function) {
    Function* function = Function::resolve(request.function);
    if (!function) return no_such_function;
    return with_stream(request.stream, [&](Stream& stream) {
        if (!function->code.runs_on(stream.device().ordinal())) return hipErrorInvalidResourceHandle;
        LaunchCommand command;
        CUDA_SHIM_TRY(command.prepare(*function, request.grid, request.block, request.dynamic_shared_bytes,
                                      request.cooperative, request.params, request.extra, request.cluster));
        if (settings().serialize_kernels && !stream.capture()) return stream.run(std::move(command));
        return stream.submit(std::move(command));
    });
}

// Only two of the supported attributes change the results: the cooperative one and the cluster's size.
hipError_t read_attributes(const hipLaunchAttribute_st* attributes, unsigned count, LaunchRequest& request) {
    if (count && !attributes) return hipErrorInvalidValue;
    request.cluster = asked_cluster(attributes, count);
    for (unsigned i = 0; i < count; i++) {
        if (attributes[i].id == hipLaunchAttributeCooperative) request.cooperative = attributes[i].val.cooperative != 0;
    }
    return hipSuccess;
}

template <class Params, class One>
hipError_t launch_each(const char* function, Params* list, unsigned count, One&& one) {
    return api(function, [&]() -> hipError_t {
        if (!list || count == 0 || count > static_cast<unsigned>(device_count())) return hipErrorInvalidValue;
        for (unsigned i = 0; i < count; i++) CUDA_SHIM_TRY(one(list[i]));
        return hipSuccess;
    });
}

hipError_t launch_address(const void* function, const dim3& grid, const dim3& block, void** params, size_t shared,
                          hipStream_t stream, bool cooperative) {
    return launch({function, extent(grid), extent(block), shared, stream, params, nullptr, cooperative},
                  hipErrorInvalidDeviceFunction);
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                 unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                 unsigned int sharedMemBytes, hipStream_t stream, void** kernelParams, void** extra) {
    return api(__func__, [&] {
        return launch({f,
                       {gridDimX, gridDimY, gridDimZ},
                       {blockDimX, blockDimY, blockDimZ},
                       sharedMemBytes,
                       stream,
                       kernelParams,
                       extra},
                      hipErrorInvalidResourceHandle);
    });
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                            unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                            unsigned int blockDimZ, unsigned int sharedMemBytes, hipStream_t stream,
                                            void** kernelParams) {
    return api(__func__, [&] {
        return launch({f,
                       {gridDimX, gridDimY, gridDimZ},
                       {blockDimX, blockDimY, blockDimZ},
                       sharedMemBytes,
                       stream,
                       kernelParams,
                       nullptr,
                       true},
                      hipErrorInvalidResourceHandle);
    });
}

hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams_t* list, unsigned int count,
                                                       unsigned int) {
    return launch_each(__func__, list, count, [](const hipFunctionLaunchParams_t& one) {
        return launch({one.function,
                       {one.gridDimX, one.gridDimY, one.gridDimZ},
                       {one.blockDimX, one.blockDimY, one.blockDimZ},
                       one.sharedMemBytes,
                       one.hStream,
                       one.kernelParams,
                       nullptr,
                       true},
                      hipErrorInvalidResourceHandle);
    });
}

hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG_st* config, hipFunction_t f, void** params, void** extra) {
    return api(__func__, [&]() -> hipError_t {
        if (!config) return hipErrorInvalidValue;
        LaunchRequest request{f,
                              {config->gridDimX, config->gridDimY, config->gridDimZ},
                              {config->blockDimX, config->blockDimY, config->blockDimZ},
                              config->sharedMemBytes,
                              config->hStream,
                              params,
                              extra};
        CUDA_SHIM_TRY(read_attributes(config->attrs, config->numAttrs, request));
        return launch(request, hipErrorInvalidResourceHandle);
    });
}

// A program that hip-python serves has no host stubs: the address that these take is a hipFunction_t or hipKernel_t.
hipError_t hipLaunchKernel(const void* function_address, dim3 numBlocks, dim3 dimBlocks, void** args,
                           size_t sharedMemBytes, hipStream_t stream) {
    return api(__func__, [&] {
        return launch_address(function_address, numBlocks, dimBlocks, args, sharedMemBytes, stream, false);
    });
}

hipError_t hipLaunchKernel_spt(const void* function_address, dim3 numBlocks, dim3 dimBlocks, void** args,
                               size_t sharedMemBytes, hipStream_t stream) {
    return api(__func__, [&] {
        return launch_address(function_address, numBlocks, dimBlocks, args, sharedMemBytes, per_thread(stream), false);
    });
}

hipError_t hipLaunchCooperativeKernel(const void* f, dim3 gridDim, dim3 blockDimX, void** kernelParams,
                                      unsigned int sharedMemBytes, hipStream_t stream) {
    return api(__func__,
               [&] { return launch_address(f, gridDim, blockDimX, kernelParams, sharedMemBytes, stream, true); });
}

hipError_t hipLaunchCooperativeKernel_spt(const void* f, dim3 gridDim, dim3 blockDim, void** kernelParams,
                                          uint32_t sharedMemBytes, hipStream_t hStream) {
    return api(__func__, [&] {
        return launch_address(f, gridDim, blockDim, kernelParams, sharedMemBytes, per_thread(hStream), true);
    });
}

hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams_t* list, int count, unsigned int) {
    return launch_each(__func__, list, static_cast<unsigned>(count), [](const hipLaunchParams_t& one) {
        return launch_address(one.func, one.gridDim, one.blockDim, one.args, one.sharedMem, one.stream, true);
    });
}

hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams_t* list, int count, unsigned int) {
    return launch_each(__func__, list, static_cast<unsigned>(count), [](const hipLaunchParams_t& one) {
        return launch_address(one.func, one.gridDim, one.blockDim, one.args, one.sharedMem, one.stream, false);
    });
}

hipError_t hipLaunchKernelExC(const hipLaunchConfig_st* config, const void* fPtr, void** args) {
    return api(__func__, [&]() -> hipError_t {
        if (!config) return hipErrorInvalidValue;
        LaunchRequest request{
            fPtr, extent(config->gridDim), extent(config->blockDim), config->dynamicSmemBytes, config->stream, args};
        CUDA_SHIM_TRY(read_attributes(config->attrs, config->numAttrs, request));
        return launch(request, hipErrorInvalidDeviceFunction);
    });
}

hipError_t hipExtLaunchKernel(const void* function_address, dim3 numBlocks, dim3 dimBlocks, void** args,
                              size_t sharedMemBytes, hipStream_t stream, hipEvent_t startEvent, hipEvent_t stopEvent,
                              int) {
    if (startEvent) CUDA_SHIM_TRY(hipEventRecord(startEvent, stream));
    CUDA_SHIM_TRY(hipLaunchKernel(function_address, numBlocks, dimBlocks, args, sharedMemBytes, stream));
    return stopEvent ? hipEventRecord(stopEvent, stream) : hipSuccess;
}

hipError_t hipGetFuncBySymbol(hipFunction_t* functionPtr, const void* symbolPtr) {
    return api(__func__, [&]() -> hipError_t {
        if (!functionPtr) return hipErrorInvalidValue;
        Function* function = Function::resolve(symbolPtr);
        if (!function) return hipErrorInvalidDeviceFunction;
        *functionPtr = function->handle();
        return hipSuccess;
    });
}
