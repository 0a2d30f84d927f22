#include "hip/memory/ipc_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "common/log.h"
#include "engine/global_shadow.h"
#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/handle_table.h"
#include "hip/memory/host_memory.h"
#include "hip/memory/shared_memory.h"
#include "hip/streams/event.h"
#include "hip/streams/ipc_event.h"

namespace cuda_shim {
namespace {

constexpr uint32_t kMemoryMagic = 0x4d435550;  // "PUCM": a handle of memory
constexpr uint32_t kEventMagic = 0x45435550;   // "PUCE": a handle of an event

// The contents of a handle's 64 bytes.
struct HandleContents {
    uint32_t magic;
    uint32_t flags;
    SharedName name;
    uint64_t size;  // the allocation's; the file has whole pages
};
static_assert(sizeof(HandleContents) <= sizeof(hipIpcMemHandle_t) && sizeof(hipIpcMemHandle_t) == 64);

template <class Handle>
void write_handle(const HandleContents& contents, Handle& handle) {
    memset(&handle, 0, sizeof handle);
    memcpy(&handle, &contents, sizeof contents);
}

template <class Handle>
bool read_handle(const Handle& handle, uint32_t magic, HandleContents& contents) {
    memcpy(&contents, &handle, sizeof contents);
    return contents.magic == magic;
}

// The file behind an allocation that was shared; kept by the allocation.
struct SharedPages {
    Descriptor file;
    size_t bytes;
};

struct OpenedMemory {
    void* base;
    size_t bytes;
    int references;
};

std::mutex opened_mutex;

// Opened memory by process and inode, which no two files have in common.
std::map<std::pair<int32_t, uint64_t>, OpenedMemory>& opened_memory() {
    static auto* const table = new std::map<std::pair<int32_t, uint64_t>, OpenedMemory>;
    return *table;
}

size_t page_bytes(size_t bytes) {
    size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
}

// Copies the pages into a file and maps the file in their place.
std::shared_ptr<SharedPages> move_to_file(const Allocation& allocation) {
    auto pages = std::make_shared<SharedPages>();
    pages->bytes = page_bytes(allocation.capacity);
    pages->file = create_shared_memory("memory", pages->bytes);
    if (!pages->file.valid()) return nullptr;
    void* copy = mmap(nullptr, pages->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, pages->file.get(), 0);
    if (copy == MAP_FAILED) return nullptr;
    void* base = reinterpret_cast<void*>(allocation.base);
    memcpy(copy, base, allocation.size);
    note_write(base, allocation.size);  // other processes may, from now on
    // Moving the mapping replaces the old pages at once.
    if (mremap(copy, pages->bytes, pages->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, base) == MAP_FAILED) {
        munmap(copy, pages->bytes);
        return nullptr;
    }
    return pages;
}

}  // namespace

hipError_t share_storage(const Allocation& allocation, SharedName& name) {
    auto pages = std::static_pointer_cast<SharedPages>(allocation.owner);
    if (!pages) {
        // Nothing may write while the pages move.
        device_at(allocation.device)->wait_for_all();
        pages = move_to_file(allocation);
        if (!pages) return hipErrorOutOfMemory;
        void* base = reinterpret_cast<void*>(allocation.base);
        MemoryRegistry::get().update(base, [&](Allocation& entry) { entry.owner = pages; });
    }
    return name_shared_memory(pages->file, name) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t share_allocation(void* pointer, hipIpcMemHandle_t& handle) {
    Allocation allocation;
    bool is_registered = pointer && MemoryRegistry::get().find(pointer, allocation);
    if (!is_registered || allocation.kind != MemoryKind::Device) return hipErrorInvalidValue;
    HandleContents contents{kMemoryMagic, 0, {}, allocation.size};
    CUDA_SHIM_TRY(share_storage(allocation, contents.name));
    write_handle(contents, handle);
    return hipSuccess;
}

void unshare_storage(const Allocation& allocation) {
    auto* pages = static_cast<SharedPages*>(allocation.owner.get());
    if (!pages || !allocation.own_pages) return;
    // The heap, or munmap, gets back private pages as it gave them out.
    void* fresh = mmap(reinterpret_cast<void*>(allocation.base), pages->bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (fresh == MAP_FAILED) log(LogLevel::Warn, "freed memory stays shared with other processes: %s", strerror(errno));
}

hipError_t open_shared_allocation(const hipIpcMemHandle_t& handle, int device, void*& base) {
    HandleContents contents;
    if (!read_handle(handle, kMemoryMagic, contents)) return hipErrorInvalidValue;
    if (owned_by_this_process(contents.name)) return hipErrorInvalidContext;
    if (contents.size == 0 || contents.size > contents.name.bytes) return hipErrorInvalidValue;
    std::lock_guard<std::mutex> lock(opened_mutex);
    OpenedMemory& entry = opened_memory()[{contents.name.process, contents.name.inode}];
    if (entry.references == 0) {
        Descriptor file = open_shared_memory(contents.name);
        void* mapped = MAP_FAILED;
        if (file.valid())
            mapped = mmap(nullptr, contents.name.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
        if (mapped == MAP_FAILED) {
            opened_memory().erase({contents.name.process, contents.name.inode});
            return hipErrorInvalidValue;
        }
        entry = {mapped, static_cast<size_t>(contents.name.bytes), 0};
        Allocation allocation;
        allocation.base = reinterpret_cast<uintptr_t>(mapped);
        allocation.size = static_cast<size_t>(contents.size);
        allocation.kind = MemoryKind::Ipc;
        allocation.device = device;
        MemoryRegistry::get().add(allocation);
    }
    ++entry.references;
    base = entry.base;
    return hipSuccess;
}

hipError_t close_shared_allocation(void* base) {
    Allocation allocation;
    if (!MemoryRegistry::get().find_base(base, allocation) || allocation.kind != MemoryKind::Ipc) {
        return hipErrorInvalidValue;
    }
    device_at(allocation.device)->wait_for_all();
    std::lock_guard<std::mutex> lock(opened_mutex);
    for (auto entry = opened_memory().begin(); entry != opened_memory().end(); ++entry) {
        if (entry->second.base != base) continue;
        if (--entry->second.references == 0) {
            MemoryRegistry::get().remove(base);
            munmap(base, entry->second.bytes);
            opened_memory().erase(entry);
        }
        return hipSuccess;
    }
    return hipErrorInvalidValue;
}

namespace {

hipError_t event_handle(hipIpcEventHandle_t* out, hipEvent_t handle) {
    Event* event = Event::resolve(handle);
    if (!out) return hipErrorInvalidValue;
    if (!event) return hipErrorInvalidHandle;
    if (!event->shared_state()) return hipErrorInvalidConfiguration;  // not made with hipEventInterprocess
    HandleContents contents{kEventMagic, event->flags(), {}, 0};
    if (!event->shared_state()->name(contents.name)) return hipErrorInvalidValue;
    write_handle(contents, *out);
    return hipSuccess;
}

hipError_t open_event(hipEvent_t* out, const hipIpcEventHandle_t& handle) {
    HandleContents contents;
    if (!out || !read_handle(handle, kEventMagic, contents)) return hipErrorInvalidValue;
    if (owned_by_this_process(contents.name)) return hipErrorInvalidContext;
    std::shared_ptr<SharedEventState> state = SharedEventState::open(contents.name);
    if (!state) return hipErrorInvalidValue;
    auto event = std::make_unique<Event>(current_device().ordinal(), contents.flags);
    event->attach_shared_state(std::move(state));
    *out = publish_handle(std::move(event));
    return hipSuccess;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_st* handle, void* pointer) {
    return api(__func__, [&] { return handle ? share_allocation(pointer, *handle) : hipErrorInvalidValue; });
}

hipError_t hipIpcOpenMemHandle(void** pointer, hipIpcMemHandle_st handle, unsigned int flags) {
    return api(__func__, [&] {
        if (!pointer || flags != hipIpcMemLazyEnablePeerAccess) return hipErrorInvalidValue;
        return open_shared_allocation(handle, current_device().ordinal(), *pointer);
    });
}

hipError_t hipIpcCloseMemHandle(void* pointer) {
    return api(__func__, [&] { return pointer ? close_shared_allocation(pointer) : hipErrorInvalidValue; });
}

hipError_t hipIpcGetEventHandle(hipIpcEventHandle_st* handle, hipEvent_t event) {
    return api(__func__, [&] { return event_handle(handle, event); });
}

hipError_t hipIpcOpenEventHandle(hipEvent_t* event, hipIpcEventHandle_st handle) {
    return api(__func__, [&] { return open_event(event, handle); });
}
