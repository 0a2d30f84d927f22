// Checks of barriers and warp operations: threads that wait at different places, or that never come.
#include "common/log.h"
#include "engine/access_checker.h"
#include "engine/faults.h"
#include "engine/fibre_block.h"
#include "engine/grid_barrier.h"

namespace cuda_shim {

AccessChecker::Meeting& AccessChecker::arrive(const CallSite& site) {
    settle_write();
    const unsigned thread = block_.current_thread();
    if (steps_.followed(thread)) steps_.print("waits at a barrier" + describe_site(place_in_program(site)));
    order_.arrive(thread);
    const uint32_t number = passed_barriers_[thread] + 1;
    Meeting& meeting = meetings_[number % 2];
    const uintptr_t place = place_in_program(site);
    if (meeting.number != number) meeting = {number, 0, thread, place};
    if (meeting.place != place) {
        stop(hipErrorLaunchFailure, "divergent-barrier",
             "divergent barrier: thread " + describe_thread(meeting.first_thread) +
                 " of the block waits at another one" + describe_site(meeting.place),
             {0, 0, 0, site});
    }
    meeting.arrived++;
    return meeting;
}

void AccessChecker::leave(const Meeting& meeting, const CallSite& site) {
    const uint32_t number = ++passed_barriers_[block_.current_thread()];
    if (number <= opened_barriers_) return;
    opened_barriers_ = number;
    order_.open_barrier();
    settle_unwritten_read();
    if (meeting.arrived < block_.thread_count()) warn_of_early_returns(meeting, site);
}

// CUDA leaves it undefined, but GPUs go on without threads that have returned, and many kernels count on it.
void AccessChecker::warn_of_early_returns(const Meeting& meeting, const CallSite& site) {
    if (kernel_->early_returns_logged.exchange(true, std::memory_order_relaxed)) return;
    log(LogLevel::Warn,
        "kernel %s: %u of the block's %u threads meet at the barrier%s, the others have returned before",
        kernel_->label.c_str(), meeting.arrived, block_.thread_count(), describe_site(place_in_program(site)).c_str());
}

int AccessChecker::barrier(bool predicate, const CallSite& site) {
    if (!reports_) return block_.barrier(predicate);
    const Meeting& meeting = arrive(site);
    const int result = block_.barrier(predicate);
    leave(meeting, site);
    return result;
}

void AccessChecker::grid_barrier(GridBarrier& grid, const CallSite& site) {
    if (!reports_) return block_.grid_barrier(grid);
    const Meeting& meeting = arrive(site);
    block_.grid_barrier(grid);
    if (meeting.number > opened_barriers_) epoch_++;  // the first of the block that goes on
    leave(meeting, site);
}

uint32_t AccessChecker::named_barrier(const NamedArrival& arrival, const CallSite& site) {
    if (!reports_) return block_.named_barrier(arrival);
    settle_write();
    const unsigned thread = block_.current_thread();
    if (steps_.followed(thread)) {
        steps_.print((arrival.waits ? "waits at barrier " : "arrives at barrier ") + std::to_string(arrival.number) +
                     describe_site(place_in_program(site)));
    }
    order_.arrive_at(arrival.number, thread, block_.thread_count());
    return block_.named_barrier(arrival);
}

void AccessChecker::open_named_barrier(unsigned number, const std::vector<uint16_t>& threads) {
    if (reports_) order_.open(number, threads, block_.thread_count());
}

const uint64_t* AccessChecker::exchange(uint64_t value, LaneMask mask, const CallSite& site, LaneMask* took_part) {
    const unsigned thread = block_.current_thread();
    if (!reports_) return block_.exchange(value, mask, site.place, took_part);
    settle_write();
    if (steps_.followed(thread)) steps_.print("meets its warp" + describe_site(place_in_program(site)));
    order_.arrive(thread);
    const auto* place = reinterpret_cast<const void*>(place_in_program(site));
    const uint64_t* values = block_.exchange(value, mask, place, took_part);
    check_lanes(mask, *took_part, site);
    order_.leave_warp_operation(thread, *took_part);
    return values;
}

// A warp operation waits for the lanes that it names. Here it goes on without those that do something else, a GPU may
// not: they would have to come to the same operation, or to have returned.
void AccessChecker::check_lanes(LaneMask mask, LaneMask took_part, const CallSite& site) {
    if (mask == kUnnamedLanes) return;
    const unsigned thread = block_.current_thread();
    const unsigned first = block_.first_lane_of_warp(thread);
    std::string text;
    if (!(mask & lane_bit(thread - first)))
        text = "is not among the lanes";
    else if (const LaneMask missing = mask & ~took_part & block_.living_lanes(thread))
        text = "waits for thread " + describe_thread(first + lowest_lane(missing)) + ", which does not come there,";
    if (text.empty()) return;
    stop(hipErrorLaunchFailure, "divergent-warp",
         "divergent warp operation: the thread " + text + " of its mask " + hexadecimal(mask), {0, 0, 0, site});
}

}  // namespace cuda_shim
