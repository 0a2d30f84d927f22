// Pools of other processes: hipMemPoolExport*, hipMemPoolImport*.
//
// A pool's descriptor is a small file that says which pool it is. Its memory is shared piece by piece: exporting a
// pointer puts that allocation's pages into a file, importing one maps the file.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <type_traits>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/memory/imported_memory.h"
#include "hip/memory/ipc_memory.h"
#include "hip/memory/memory_pool.h"

namespace cuda_shim {
namespace {

constexpr uint32_t kPoolMagic = 0x50435550;     // "PUCP": a descriptor of a pool
constexpr uint32_t kPointerMagic = 0x58435550;  // "PUCX": an exported pointer

// The contents of a pool's descriptor.
struct PoolFile {
    uint32_t magic;
    PoolIdentity pool;
    PoolPlace place;
};

// The contents of hipMemPoolPtrExportData.
struct ExportedPointer {
    uint32_t magic;
    PoolIdentity pool;
    uint32_t unused;  // in place of padding, in which the compiler would leave bytes of the stack
    SharedName pages;
    uint64_t offset;
    uint64_t size;  // the allocation's, behind the offset
};
static_assert(sizeof(ExportedPointer) <= sizeof(hipMemPoolPtrExportData));
static_assert(std::has_unique_object_representations_v<ExportedPointer>, "its bytes are compared and shown to others");

hipError_t export_pool(void* out, hipMemPool_t handle, hipMemAllocationHandleType type) {
    MemoryPool* pool = MemoryPool::resolve(handle);
    bool allowed = pool && pool->shareable() && type == hipMemHandleTypePosixFileDescriptor;
    if (!out || !allowed) return hipErrorInvalidValue;
    PoolFile contents{kPoolMagic, pool->identity(), pool->place()};
    Descriptor file = create_shared_memory("pool", sizeof contents);
    if (!file.valid() || pwrite(file.get(), &contents, sizeof contents, 0) != sizeof contents) {
        return hipErrorOutOfMemory;
    }
    int descriptor = file.release();
    memcpy(out, &descriptor, sizeof descriptor);
    return hipSuccess;
}

hipError_t import_pool(hipMemPool_t* out, void* os_handle, hipMemAllocationHandleType type) {
    if (!out || type != hipMemHandleTypePosixFileDescriptor) return hipErrorInvalidValue;
    // The descriptor itself is passed in the place of a pointer; it stays the caller's.
    int descriptor = static_cast<int>(reinterpret_cast<intptr_t>(os_handle));
    PoolFile contents;
    bool read = pread(descriptor, &contents, sizeof contents, 0) == sizeof contents;
    if (!read || contents.magic != kPoolMagic || contents.place > PoolPlace::Managed) return hipErrorInvalidValue;
    *out = (new MemoryPool(current_device(), contents.pool, contents.place))->handle();
    return hipSuccess;
}

hipError_t export_pointer(hipMemPoolPtrExportData* out, void* pointer) {
    Allocation allocation;
    if (!out || !pointer || !MemoryRegistry::get().find(pointer, allocation)) return hipErrorInvalidValue;
    bool shareable = allocation.kind == MemoryKind::Pool && allocation.pool && allocation.pool->shareable();
    if (!shareable || allocation.release_pending) return hipErrorInvalidValue;
    uint64_t offset = reinterpret_cast<uintptr_t>(pointer) - allocation.base;
    ExportedPointer exported{kPointerMagic, allocation.pool->identity(), 0, {}, offset, allocation.size - offset};
    CUDA_SHIM_TRY(share_storage(allocation, exported.pages));
    memset(out, 0, sizeof *out);
    memcpy(out, &exported, sizeof exported);
    return hipSuccess;
}

hipError_t import_pointer(void** out, hipMemPool_t handle, const hipMemPoolPtrExportData* data) {
    MemoryPool* pool = MemoryPool::resolve(handle);
    if (!out || !pool || !pool->imported() || !data) return hipErrorInvalidValue;
    ExportedPointer exported;
    memcpy(&exported, data, sizeof exported);
    if (exported.magic != kPointerMagic || !(exported.pool == pool->identity())) return hipErrorInvalidValue;
    CUDA_SHIM_TRY(
        import_memory(open_shared_memory(exported.pages), exported.offset, exported.size, pool->device(), out));
    MemoryRegistry::get().update(*out, [&](Allocation& imported) { imported.pool_place = pool->place(); });
    return hipSuccess;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipMemPoolExportToShareableHandle(void* shared_handle, hipMemPool_t pool, hipMemAllocationHandleType type,
                                             unsigned int flags) {
    return api(__func__, [&] { return flags == 0 ? export_pool(shared_handle, pool, type) : hipErrorInvalidValue; });
}

hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t* pool, void* shared_handle, hipMemAllocationHandleType type,
                                               unsigned int flags) {
    return api(__func__, [&] { return flags == 0 ? import_pool(pool, shared_handle, type) : hipErrorInvalidValue; });
}

hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData* data, void* pointer) {
    return api(__func__, [&] { return export_pointer(data, pointer); });
}

hipError_t hipMemPoolImportPointer(void** pointer, hipMemPool_t pool, hipMemPoolPtrExportData* data) {
    return api(__func__, [&] { return import_pointer(pointer, pool, data); });
}
