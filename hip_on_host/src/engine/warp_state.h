// One warp of a block that runs on fibres: its living lanes, the reasons for which lanes wait, and the exchanged
// values.
#pragma once
#include <cstdint>

#include "abi/kernel_module.h"

namespace cuda_shim {

using LaneMask = uint64_t;

inline LaneMask lane_bit(unsigned lane) { return LaneMask{1} << lane; }
inline LaneMask lanes_below(unsigned lane) { return lane_bit(lane) - 1; }  // lane < 64
inline LaneMask lanes_above(unsigned lane) { return ~(lanes_below(lane) | lane_bit(lane)); }
inline unsigned lowest_lane(LaneMask lanes) { return static_cast<unsigned>(__builtin_ctzll(lanes)); }

// An exchange that names no lanes: all that are converged take part (__activemask, shuffles without _sync).
constexpr LaneMask kUnnamedLanes = ~LaneMask{0};

struct WarpState {
    LaneMask all = 0;          // lanes that the block gave this warp
    LaneMask alive = 0;        // lanes whose thread has not returned
    LaneMask at_barrier = 0;   // waiting at the block's barrier
    LaneMask at_exchange = 0;  // waiting in a warp operation
    LaneMask spinning = 0;     // waiting for memory that others write, after enough rounds for now

    void start(unsigned lanes);
    LaneMask ready() const { return alive & ~(at_barrier | at_exchange | spinning); }

    // Lane `lane` offers `value` in the operation called from `site`, and waits.
    void arrive(unsigned lane, uint64_t value, LaneMask mask, const void* site);
    // After waiting: the values of all lanes, and the lanes that took part with `lane`. Both stay until the
    // lane waits again.
    const uint64_t* values() const { return value_[phase_ ^ 1]; }
    LaneMask group_of(unsigned lane) const { return group_[lane]; }

    // No lane of the warp can run: completes the operations that can be completed. False when none can: the waiting
    // lanes name lanes that cannot come. Lanes that spin may come later, also to an operation that names no mask; if
    // nothing else is left (not `patient`), such an operation goes on without them.
    bool complete_exchanges(bool patient);

private:
    bool names_missing_lanes(LaneMask mask, LaneMask present) const { return (mask & alive & ~present) != 0; }
    bool may_go_without_missing(LaneMask mask, bool patient) const {
        return (mask & all) == all && (!spinning || (mask == kUnnamedLanes && !patient));
    }
    void finish(LaneMask group);
    LaneMask complete_named_groups(bool patient);
    LaneMask complete_converged_groups(bool patient);

    bool mixed_ = false;  // lanes that wait differ in mask or call site
    unsigned phase_ = 0;  // half of `value_` that arriving lanes fill
    LaneMask mask_[CUDA_SHIM_MAX_WARP_SIZE];
    const void* site_[CUDA_SHIM_MAX_WARP_SIZE];
    LaneMask group_[CUDA_SHIM_MAX_WARP_SIZE];
    uint64_t value_[2][CUDA_SHIM_MAX_WARP_SIZE];
};

}  // namespace cuda_shim
