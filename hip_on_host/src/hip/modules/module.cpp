// Modules: loading images, finding kernels, variables and texture references in them.
#include <string.h>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/handle_table.h"
#include "hip/modules/code_object.h"
#include "hip/rocm.h"

namespace cuda_shim {
namespace {

Module* resolve(hipModule_t handle) {
    auto* module = reinterpret_cast<Module*>(handle);
    return live_handles<Module>().contains(module) ? module : nullptr;
}

hipError_t publish(std::shared_ptr<CodeObject> code, hipModule_t* handle) {
    code->bind_to_device();
    auto module = std::make_unique<Module>(std::move(code));
    live_handles<Module>().add(module.get());
    *handle = publish_handle(std::move(module));
    return hipSuccess;
}

hipError_t load_data(hipModule_t* handle, const void* image) {
    if (!handle || !image) return hipErrorInvalidValue;
    std::shared_ptr<CodeObject> code;
    CUDA_SHIM_TRY(CodeObject::load(image, 0, current_device().ordinal(), code));
    return publish(std::move(code), handle);
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipModuleLoad(hipModule_t* module, const char* fname) {
    return api(__func__, [&]() -> hipError_t {
        if (!module || !fname) return hipErrorInvalidValue;
        std::shared_ptr<CodeObject> code;
        CUDA_SHIM_TRY(CodeObject::load_file(fname, current_device().ordinal(), code));
        return publish(std::move(code), module);
    });
}

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
    return api(__func__, [&] { return load_data(module, image); });
}

// The options speak of a compiler that does not run here: images are machine code already.
hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned int, hipJitOption*, void**) {
    return api(__func__, [&] { return load_data(module, image); });
}

hipError_t hipModuleLoadFatBinary(hipModule_t* module, const void* fatbin) {
    return api(__func__, [&] { return load_data(module, fatbin); });
}

hipError_t hipModuleUnload(hipModule_t handle) {
    return api(__func__, [&]() -> hipError_t {
        std::unique_ptr<Module> module = claim_handle<Module>(handle);
        if (!module) return hipErrorInvalidResourceHandle;
        // Launches that wait in streams keep the code itself.
        module->code->retire();
        return hipSuccess;
    });
}

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t handle, const char* kname) {
    return api(__func__, [&]() -> hipError_t {
        if (!function || !kname || !*kname) return hipErrorInvalidValue;
        Module* module = resolve(handle);
        if (!module) return hipErrorInvalidResourceHandle;
        Function* target = module->code->function(kname);
        if (!target) return hipErrorNotFound;
        *function = target->handle();
        return hipSuccess;
    });
}

hipError_t hipModuleGetFunctionCount(unsigned int* count, hipModule_t handle) {
    return api(__func__, [&]() -> hipError_t {
        if (!count) return hipErrorInvalidValue;
        Module* module = resolve(handle);
        if (!module) return hipErrorInvalidResourceHandle;
        *count = static_cast<unsigned>(module->code->functions().size());
        return hipSuccess;
    });
}

hipError_t hipModuleGetGlobal(void** dptr, size_t* bytes, hipModule_t handle, const char* name) {
    return api(__func__, [&]() -> hipError_t {
        if ((!dptr && !bytes) || !name || !*name) return hipErrorInvalidValue;
        Module* module = resolve(handle);
        if (!module) return hipErrorInvalidResourceHandle;
        const CudaShimSymbol* symbol = module->code->variable(name);
        if (!symbol || symbol->kind == CUDA_SHIM_SYMBOL_TEXTURE_REFERENCE) return hipErrorNotFound;
        if (dptr) *dptr = symbol->address;
        if (bytes) *bytes = symbol->size;
        return hipSuccess;
    });
}

hipError_t hipModuleGetTexRef(textureReference** texRef, hipModule_t handle, const char* name) {
    return api(__func__, [&]() -> hipError_t {
        if (lacks_images()) return hipErrorNotSupported;
        if (!texRef || !name || !*name) return hipErrorInvalidValue;
        Module* module = resolve(handle);
        if (!module) return hipErrorInvalidResourceHandle;
        const CudaShimSymbol* symbol = module->code->variable(name);
        if (!symbol || symbol->kind != CUDA_SHIM_SYMBOL_TEXTURE_REFERENCE) return hipErrorNotFound;
        *texRef = static_cast<textureReference*>(symbol->address);
        return hipSuccess;
    });
}
