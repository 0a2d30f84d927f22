#include "hip/memory/imported_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "hip/contexts/device.h"
#include "hip/memory/memory_registry.h"

namespace cuda_shim {
namespace {

// Mapped for as long as an allocation refers to it.
class FileMapping {
public:
    FileMapping(void* base, size_t bytes) : base_(base), bytes_(bytes) {}
    ~FileMapping() { munmap(base_, bytes_); }
    FileMapping(const FileMapping&) = delete;
    FileMapping& operator=(const FileMapping&) = delete;

private:
    void* base_;
    size_t bytes_;
};

}  // namespace

hipError_t import_memory(const Descriptor& file, size_t offset, size_t bytes, const Device& device, void** out) {
    struct stat status;
    size_t end;
    if (!file.valid() || fstat(file.get(), &status) != 0 || bytes == 0) return hipErrorInvalidValue;
    if (__builtin_add_overflow(offset, bytes, &end) || end > static_cast<size_t>(status.st_size)) {
        return hipErrorInvalidValue;
    }
    // Mappings begin at whole pages.
    size_t lead = offset % static_cast<size_t>(sysconf(_SC_PAGESIZE));
    off_t start = static_cast<off_t>(offset - lead);
    void* mapped = mmap(nullptr, lead + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), start);
    if (mapped == MAP_FAILED) return hipErrorOutOfMemory;
    Allocation allocation;
    allocation.owner = std::make_shared<FileMapping>(mapped, lead + bytes);
    allocation.base = reinterpret_cast<uintptr_t>(mapped) + lead;
    allocation.size = allocation.capacity = bytes;
    allocation.kind = MemoryKind::Imported;
    allocation.device = device.ordinal();
    *out = reinterpret_cast<void*>(allocation.base);
    MemoryRegistry::get().add(std::move(allocation));
    return hipSuccess;
}

}  // namespace cuda_shim
