#include "hip/streams/ipc_event.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cuda_shim {

std::shared_ptr<SharedEventState> SharedEventState::map(Descriptor file) {
    if (!file.valid()) return nullptr;
    void* memory = mmap(nullptr, sizeof(Cells), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED) return nullptr;
    return std::shared_ptr<SharedEventState>(new SharedEventState(std::move(file), static_cast<Cells*>(memory)));
}

std::shared_ptr<SharedEventState> SharedEventState::create() {
    return map(create_shared_memory("event", sizeof(Cells)));
}

std::shared_ptr<SharedEventState> SharedEventState::open(const SharedName& name) {
    return name.bytes == sizeof(Cells) ? map(open_shared_memory(name)) : nullptr;
}

SharedEventState::~SharedEventState() { munmap(cells_, sizeof(Cells)); }

void SharedEventState::complete() {
    cells_->completed.fetch_add(1, std::memory_order_release);
    cells_->wake.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &cells_->wake, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void SharedEventState::wait(uint64_t sequence) const {
    while (true) {
        uint32_t wake = cells_->wake.load(std::memory_order_acquire);
        if (cells_->completed.load(std::memory_order_acquire) >= sequence) return;
        syscall(SYS_futex, &cells_->wake, FUTEX_WAIT, wake, nullptr, nullptr, 0);
    }
}

}  // namespace cuda_shim
