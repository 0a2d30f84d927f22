// Checks of global memory: reads of bytes that were never written, and unordered accesses of two threads of a launch,
// one of them a write that changes the value.
#include <string.h>

#include "engine/access_checker.h"
#include "engine/faults.h"
#include "engine/fibre_block.h"

namespace cuda_shim {
namespace {

std::string describe_access(uint32_t kind, uint64_t bytes) {
    const char* what = kind & CUDA_SHIM_ACCESS_ATOMIC  ? "atomic operation on "
                       : kind & CUDA_SHIM_ACCESS_WRITE ? "write of "
                                                       : "read of ";
    return what + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

}  // namespace

// A write that leaves memory as it is does no harm, so writes are judged when they are done.
void AccessChecker::check_global(const Access& access) {
    const unsigned thread = block_.current_thread();
    LaunchSync& sync = *running_->sync();
    uint32_t before = sync.now();
    if (access.synchronises()) {
        block_sync_ = thread_sync_[thread] = sync.operate(block_number_);
        before = block_sync_ - 1;
    }
    const GlobalTouch current{epoch_,
                              block_number_,
                              order_.now(),
                              before,
                              module_->offset_of(place_in_program(access.site)),
                              0,
                              static_cast<uint16_t>(thread),
                              access.synchronises()};
    if (access.reads() || access.bytes > sizeof bytes_before_global_write_)
        return judge_global(access, current, calls_from(access.site));
    note_write(reinterpret_cast<const void*>(access.address), access.bytes);
    pending_write_ = access;
    pending_touch_ = current;
    pending_calls_ = calls_from(access.site);
    pending_calls_.thread = static_cast<int>(thread);
    memcpy(bytes_before_global_write_, reinterpret_cast<const void*>(access.address), access.bytes);
}

void AccessChecker::settle_global_write() {
    const Access write = pending_write_;
    pending_write_.bytes = 0;
    if (memcmp(bytes_before_global_write_, reinterpret_cast<const void*>(write.address), write.bytes) == 0) return;
    judge_global(write, pending_touch_, pending_calls_);
}

void AccessChecker::judge_global(const Access& access, const GlobalTouch& current, const CallChain& calls) {
    const GlobalAnswer answer =
        check_global_access({access.address, access.bytes, access.reads(), access.writes(), current}, *this);
    if (answer.unwritten) {
        finding_ =
            describe_access(access.kind, access.bytes) + " that nobody has written, " + describe_global(access.address);
        stop_kernel(hipErrorLaunchFailure, finding_.c_str(), calls, "global-unwritten", access.address, access.bytes);
    }
    if (!answer.conflict) return;
    finding_ = describe_global_race(access, answer);
    stop_kernel(hipErrorLaunchFailure, finding_.c_str(), calls, "global-race", access.address, access.bytes);
}

// Both accesses belong to the running launch and its current epoch.
bool AccessChecker::conflicts(const GlobalTouch& earlier, const GlobalTouch& current) const {
    if (earlier.atomic && current.atomic) return false;
    if (earlier.block != current.block) {
        const bool ordered = running_->sync()->last_of(earlier.block) > earlier.sync && block_sync_ > earlier.sync;
        return !ordered;
    }
    if (earlier.thread == current.thread || order_.ordered(earlier.time, earlier.thread, current.thread)) return false;
    return !(thread_sync_[earlier.thread] > earlier.sync && thread_sync_[current.thread] > earlier.sync);
}

std::string AccessChecker::describe_global_race(const Access& access, const GlobalAnswer& answer) const {
    const GlobalTouch& earlier = answer.earlier;
    const bool same_block = earlier.block == block_number_;
    std::string who = "thread " + describe_thread(earlier.thread);
    if (!same_block) who += " of block " + block_.describe_block(earlier.block);
    return "race on global memory: " + describe_access(access.kind, access.bytes) + " " +
           describe_global(access.address) + ", which " + who + (answer.wrote ? " wrote" : " read") +
           describe_site(module_->address_of(earlier.place)) +
           (same_block ? " with no barrier in between" : " in the same launch");
}

std::string AccessChecker::describe_global(uintptr_t address) const {
    NearestMemory nearest(address);
    memory_lookup().consider(nearest);
    return nearest.describe();
}

// Prints the program's own steps, not the accesses that bring it its arguments and indices.
void AccessChecker::print_step(const Access& access) {
    const bool in_static = static_shared_.contains(access.address);
    if (in_static && module_->thread_locals()[last_variable_].name == kThreadState) return;
    if (!module_->is_of_program(place_in_program(access.site))) return;
    const std::string where = describe_site(place_in_program(access.site));
    NearestMemory nearest(access.address);
    consider_shared(nearest);
    memory_lookup().consider(nearest);
    const std::string what = nearest.describe();
    steps_.print(describe_access(access.kind, access.bytes) + where + (what.empty() ? "" : ", " + what), access.address,
                 access.bytes, access.writes());
}

}  // namespace cuda_shim
