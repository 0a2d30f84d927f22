// The groups of lanes that exchange values.
//
// Lanes that name a mask wait for every living lane in it, at any call: compilers copy calls, so the place means
// nothing. Lanes that name no mask exchange with the lanes that wait at the same call. Programs also name the whole
// warp where a branch left some lanes out (a block reduction's last step); hardware lets them through, so such lanes go
// on with the lanes at the same call once no other lane of the warp can run.
#include "engine/warp_state.h"

namespace cuda_shim {

void WarpState::start(unsigned lanes) {
    all = alive = lanes == 64 ? ~LaneMask{0} : lane_bit(lanes) - 1;
    at_barrier = at_exchange = spinning = 0;
    mixed_ = false;
    phase_ = 0;
}

void WarpState::arrive(unsigned lane, uint64_t value, LaneMask mask, const void* site) {
    if (at_exchange) {
        const unsigned other = lowest_lane(at_exchange);
        mixed_ |= mask_[other] != mask || site_[other] != site;
    }
    value_[phase_][lane] = value;
    mask_[lane] = mask;
    site_[lane] = site;
    at_exchange |= lane_bit(lane);
}

void WarpState::finish(LaneMask group) {
    for (LaneMask rest = group; rest; rest &= rest - 1) group_[lowest_lane(rest)] = group;
}

LaneMask WarpState::complete_named_groups(bool patient) {
    LaneMask completed = 0;
    for (LaneMask rest = at_exchange; rest; rest &= rest - 1) {
        const unsigned lane = lowest_lane(rest);
        if (lane_bit(lane) & completed) continue;
        const bool has_mask = mask_[lane] != kUnnamedLanes;
        if (!has_mask && spinning && patient) continue;
        LaneMask group = 0;
        for (LaneMask others = at_exchange & ~completed; others; others &= others - 1) {
            const unsigned other = lowest_lane(others);
            if (mask_[other] == mask_[lane] && (has_mask || site_[other] == site_[lane])) group |= lane_bit(other);
        }
        if (has_mask && names_missing_lanes(mask_[lane], group)) continue;
        finish(group);
        completed |= group;
    }
    return completed;
}

LaneMask WarpState::complete_converged_groups(bool patient) {
    LaneMask completed = 0;
    for (LaneMask rest = at_exchange; rest; rest &= rest - 1) {
        const unsigned lane = lowest_lane(rest);
        if ((lane_bit(lane) & completed) || !may_go_without_missing(mask_[lane], patient)) continue;
        LaneMask group = 0;
        for (LaneMask others = at_exchange & ~completed; others; others &= others - 1) {
            const unsigned other = lowest_lane(others);
            if (mask_[other] == mask_[lane] && site_[other] == site_[lane]) group |= lane_bit(other);
        }
        finish(group);
        completed |= group;
    }
    return completed;
}

bool WarpState::complete_exchanges(bool patient) {
    LaneMask completed;
    if (!mixed_) {
        const LaneMask mask = mask_[lowest_lane(at_exchange)];
        if (names_missing_lanes(mask, at_exchange) && !may_go_without_missing(mask, patient)) return false;
        completed = at_exchange;
        finish(completed);
    } else {
        completed = complete_named_groups(patient);
        if (!completed) completed = complete_converged_groups(patient);
        if (!completed) return false;
    }
    at_exchange &= ~completed;
    phase_ ^= 1;  // the released lanes read the old half while they fill the new one
    for (LaneMask rest = at_exchange; rest; rest &= rest - 1) {
        const unsigned lane = lowest_lane(rest);
        value_[phase_][lane] = value_[phase_ ^ 1][lane];
    }
    if (!at_exchange) mixed_ = false;
    return true;
}

}  // namespace cuda_shim
