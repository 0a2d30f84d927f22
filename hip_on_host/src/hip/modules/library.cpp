// Libraries: modules that belong to no context, and kernels as handles of their own.
#include <algorithm>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/handle_table.h"
#include "hip/modules/code_object.h"
#include "hip/modules/function_attributes.h"
#include "hip/rocm.h"

namespace cuda_shim {
namespace {

// The library behind a handle, its image read.
hipError_t resolve_library(hipLibrary_t handle, Library*& library) {
    library = reinterpret_cast<Library*>(handle);
    if (!live_handles<Library>().contains(library)) return hipErrorInvalidResourceHandle;
    std::lock_guard<std::mutex> lock(library->mutex);
    return library->code ? hipSuccess
                         : CodeObject::load(library->unread_image, 0, library->device_of_image, library->code);
}

// hipLibrary_t of the code that each kernel came from.
hipLibrary_t library_of(const CodeObject& code) {
    hipLibrary_t match = nullptr;
    auto& libraries = live_handles<Library>();
    libraries.lock();
    libraries.for_each([&](Library& library) {
        if (library.code.get() == &code) match = reinterpret_cast<hipLibrary_t>(&library);
    });
    libraries.unlock();
    return match;
}

hipKernel_t kernel_handle(Function& function) { return reinterpret_cast<hipKernel_t>(&function); }

template <class... Contents>
hipError_t publish(hipLibrary_t* handle, Contents&&... contents) {
    auto* library = new Library(std::forward<Contents>(contents)...);
    live_handles<Library>().add(library);
    *handle = reinterpret_cast<hipLibrary_t>(library);
    return hipSuccess;
}

// The variable `name` if it is one of the wanted sort.
hipError_t find_variable(void** address, size_t* bytes, hipLibrary_t handle, const char* name, bool managed) {
    if ((!address && !bytes) || !name || !*name) return hipErrorInvalidValue;
    Library* library = nullptr;
    CUDA_SHIM_TRY(resolve_library(handle, library));
    const CudaShimSymbol* symbol = library->code->variable(name);
    if (!symbol || symbol->kind == CUDA_SHIM_SYMBOL_TEXTURE_REFERENCE) return hipErrorNotFound;
    if (managed != (symbol->kind == CUDA_SHIM_SYMBOL_MANAGED_VARIABLE)) return hipErrorNotFound;
    if (address) *address = symbol->address;
    if (bytes) *bytes = symbol->size;
    return hipSuccess;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

// The options speak of a compiler that does not run here, and of keeping images that are copied anyway.
hipError_t hipLibraryLoadData(hipLibrary_t* library, const void* code, hipJitOption*, void**, unsigned int jit_options,
                              hipLibraryOption_e*, void**, unsigned int) {
    return api(__func__, [&]() -> hipError_t {
        if (!library || !code) return hipErrorInvalidValue;
        if (as_rocm(RocmDifference::LazyLibraries)) {
            return jit_options ? hipErrorInvalidValue : publish(library, code, current_device().ordinal());
        }
        std::shared_ptr<CodeObject> code_object;
        CUDA_SHIM_TRY(CodeObject::load(code, 0, current_device().ordinal(), code_object));
        return publish(library, std::move(code_object));
    });
}

hipError_t hipLibraryLoadFromFile(hipLibrary_t* library, const char* fileName, hipJitOption*, void**, unsigned int,
                                  hipLibraryOption_e*, void**, unsigned int) {
    return api(__func__, [&]() -> hipError_t {
        if (!library || !fileName) return hipErrorInvalidValue;
        std::shared_ptr<CodeObject> code_object;
        CUDA_SHIM_TRY(CodeObject::load_file(fileName, current_device().ordinal(), code_object));
        return publish(library, std::move(code_object));
    });
}

hipError_t hipLibraryUnload(hipLibrary_t handle) {
    return api(__func__, [&]() -> hipError_t {
        std::unique_ptr<Library> library = claim_handle<Library>(handle);
        if (!library) return hipErrorInvalidResourceHandle;
        if (library->code) library->code->retire();
        return hipSuccess;
    });
}

hipError_t hipLibraryGetKernel(hipKernel_t* pKernel, hipLibrary_t handle, const char* name) {
    return api(__func__, [&]() -> hipError_t {
        if (!pKernel || !name || !*name) return hipErrorInvalidValue;
        Library* library = nullptr;
        CUDA_SHIM_TRY(resolve_library(handle, library));
        Function* function = library->code->function(name);
        if (!function) return hipErrorNotFound;
        *pKernel = kernel_handle(*function);
        return hipSuccess;
    });
}

hipError_t hipLibraryGetKernelCount(unsigned int* count, hipLibrary_t handle) {
    return api(__func__, [&]() -> hipError_t {
        if (!count) return hipErrorInvalidValue;
        Library* library = nullptr;
        CUDA_SHIM_TRY(resolve_library(handle, library));
        *count = static_cast<unsigned>(library->code->functions().size());
        return hipSuccess;
    });
}

hipError_t hipLibraryEnumerateKernels(hipKernel_t* kernels, unsigned int numKernels, hipLibrary_t handle) {
    return api(__func__, [&]() -> hipError_t {
        if (!kernels) return hipErrorInvalidValue;
        Library* library = nullptr;
        CUDA_SHIM_TRY(resolve_library(handle, library));
        const auto& functions = library->code->functions();
        const size_t count = std::min<size_t>(numKernels, functions.size());
        for (size_t i = 0; i < count; i++) kernels[i] = kernel_handle(*functions[i]);
        return hipSuccess;
    });
}

hipError_t hipLibraryGetGlobal(void** dptr, size_t* bytes, hipLibrary_t library, const char* name) {
    return api(__func__, [&] { return find_variable(dptr, bytes, library, name, false); });
}

hipError_t hipLibraryGetManaged(void** dptr, size_t* bytes, hipLibrary_t library, const char* name) {
    return api(__func__, [&] { return find_variable(dptr, bytes, library, name, true); });
}

hipError_t hipKernelGetLibrary(hipLibrary_t* library, hipKernel_t kernel) {
    return api(__func__, [&]() -> hipError_t {
        if (!library) return hipErrorInvalidValue;
        const Function* function = Function::resolve(kernel);
        if (!function) return hipErrorInvalidResourceHandle;
        *library = library_of(function->code);
        return *library ? hipSuccess : hipErrorNotFound;  // a kernel that a module loaded
    });
}

hipError_t hipKernelGetFunction(hipFunction_t* pFunc, hipKernel_t kernel) {
    return api(__func__, [&]() -> hipError_t {
        if (!pFunc) return hipErrorInvalidValue;
        Function* function = Function::resolve(kernel);
        if (!function) return hipErrorInvalidResourceHandle;
        *pFunc = function->handle();
        return hipSuccess;
    });
}

hipError_t hipKernelGetName(const char** name, hipKernel_t kernel) {
    return api(__func__, [&]() -> hipError_t {
        if (!name || !kernel) return hipErrorInvalidValue;
        const Function* function = Function::resolve(kernel);
        if (!function) return hipErrorInvalidResourceHandle;
        *name = function->name.c_str();
        return hipSuccess;
    });
}

hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
    return api(__func__, [&]() -> hipError_t {
        if (!paramOffset) return hipErrorInvalidValue;
        const Function* function = Function::resolve(kernel);
        if (!function) return hipErrorInvalidResourceHandle;
        if (paramIndex >= function->symbol.parameter_count) return hipErrorInvalidValue;
        *paramOffset = function->symbol.parameter_offset[paramIndex];
        if (paramSize) *paramSize = function->symbol.parameter_size[paramIndex];
        return hipSuccess;
    });
}

hipError_t hipKernelGetAttribute(int* pi, hipFunction_attribute attrib, hipKernel_t kernel, int dev) {
    return api(__func__, [&]() -> hipError_t {
        if (!pi) return hipErrorInvalidValue;
        const Function* function = Function::resolve(kernel);
        if (!function) return hipErrorInvalidResourceHandle;
        const Device* device = device_at(dev);
        if (!device) return hipErrorInvalidDevice;
        return get_function_attribute(*function, *device, attrib, *pi);
    });
}

hipError_t hipKernelSetAttribute(hipFunction_attribute attrib, int value, hipKernel_t kernel, int dev) {
    return api(__func__, [&]() -> hipError_t {
        Function* function = Function::resolve(kernel);
        if (!function) return hipErrorInvalidResourceHandle;
        const Device* device = device_at(dev);
        if (!device) return hipErrorInvalidDevice;
        return set_function_attribute(*function, *device, attrib, value);
    });
}
