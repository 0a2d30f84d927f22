// Memory of other APIs (a Vulkan device of the same host, another program), handed over as a file descriptor.
//
// HIP serves no external semaphores on Linux (not_supported.cpp).
#include <sys/stat.h>

#include <memory>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/handle_table.h"
#include "hip/memory/imported_memory.h"

namespace cuda_shim {
namespace {

class ExternalMemory {
public:
    ExternalMemory(Descriptor file, size_t bytes) : file_(std::move(file)), bytes_(bytes) {
        live_handles<ExternalMemory>().add(this);
    }
    ~ExternalMemory() { live_handles<ExternalMemory>().remove(this); }
    ExternalMemory(const ExternalMemory&) = delete;
    ExternalMemory& operator=(const ExternalMemory&) = delete;

    static ExternalMemory* resolve(hipExternalMemory_t handle) {
        auto* memory = static_cast<ExternalMemory*>(handle);
        return live_handles<ExternalMemory>().contains(memory) ? memory : nullptr;
    }

    const Descriptor& file() const { return file_; }
    size_t bytes() const { return bytes_; }

private:
    Descriptor file_;
    size_t bytes_;
};

bool holds(int descriptor, size_t bytes) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && status.st_size > 0 && bytes <= static_cast<size_t>(status.st_size);
}

hipError_t import_external(hipExternalMemory_t* out, const hipExternalMemoryHandleDesc* description) {
    if (!out || !description || description->size == 0) return hipErrorInvalidValue;
    bool is_valid_type = description->type >= hipExternalMemoryHandleTypeOpaqueFd &&
                         description->type <= hipExternalMemoryHandleTypeNvSciBuf;
    if (!is_valid_type) return hipErrorInvalidValue;
    if (description->type != hipExternalMemoryHandleTypeOpaqueFd) return hipErrorNotSupported;  // Windows, NvSci
    int descriptor = description->handle.fd;
    if (!holds(descriptor, description->size)) return hipErrorInvalidValue;
    // The descriptor belongs to the import from now on.
    *out = new ExternalMemory(Descriptor(descriptor), description->size);
    return hipSuccess;
}

hipError_t map_buffer(void** out, hipExternalMemory_t handle, const hipExternalMemoryBufferDesc* description) {
    ExternalMemory* memory = ExternalMemory::resolve(handle);
    if (!out || !memory || !description || description->flags != 0) return hipErrorInvalidValue;
    size_t end;
    bool inside = !__builtin_add_overflow(description->offset, description->size, &end) && end <= memory->bytes();
    if (!inside) return hipErrorInvalidValue;
    return import_memory(memory->file(), description->offset, description->size, current_device(), out);
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipImportExternalMemory(hipExternalMemory_t* memory, const hipExternalMemoryHandleDesc* description) {
    return api(__func__, [&] { return import_external(memory, description); });
}

// The buffer lives until hipFree, even when the import is destroyed before.
hipError_t hipExternalMemoryGetMappedBuffer(void** pointer, hipExternalMemory_t memory,
                                            const hipExternalMemoryBufferDesc* description) {
    return api(__func__, [&] { return map_buffer(pointer, memory, description); });
}

hipError_t hipDestroyExternalMemory(hipExternalMemory_t handle) {
    return api(__func__, [&] { return claim_handle<ExternalMemory>(handle) ? hipSuccess : hipErrorInvalidValue; });
}
