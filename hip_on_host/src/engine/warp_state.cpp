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
    for (LaneMask left = group; left; left &= left - 1) group_[lowest_lane(left)] = group;
}

LaneMask WarpState::complete_named_groups(bool patient) {
    LaneMask done = 0;
    for (LaneMask left = at_exchange; left; left &= left - 1) {
        const unsigned lane = lowest_lane(left);
        if (lane_bit(lane) & done) continue;
        const bool named = mask_[lane] != kUnnamedLanes;
        if (!named && spinning && patient) continue;
        LaneMask same = 0;
        for (LaneMask others = at_exchange & ~done; others; others &= others - 1) {
            const unsigned other = lowest_lane(others);
            if (mask_[other] == mask_[lane] && (named || site_[other] == site_[lane])) same |= lane_bit(other);
        }
        if (named && names_missing_lanes(mask_[lane], same)) continue;
        finish(same);
        done |= same;
    }
    return done;
}

LaneMask WarpState::complete_converged_groups(bool patient) {
    LaneMask done = 0;
    for (LaneMask left = at_exchange; left; left &= left - 1) {
        const unsigned lane = lowest_lane(left);
        if ((lane_bit(lane) & done) || !may_go_without_missing(mask_[lane], patient)) continue;
        LaneMask same = 0;
        for (LaneMask others = at_exchange & ~done; others; others &= others - 1) {
            const unsigned other = lowest_lane(others);
            if (mask_[other] == mask_[lane] && site_[other] == site_[lane]) same |= lane_bit(other);
        }
        finish(same);
        done |= same;
    }
    return done;
}

bool WarpState::complete_exchanges(bool patient) {
    LaneMask done;
    if (!mixed_) {
        const LaneMask mask = mask_[lowest_lane(at_exchange)];
        if (names_missing_lanes(mask, at_exchange) && !may_go_without_missing(mask, patient)) return false;
        done = at_exchange;
        finish(done);
    } else {
        done = complete_named_groups(patient);
        if (!done) done = complete_converged_groups(patient);
        if (!done) return false;
    }
    at_exchange &= ~done;
    phase_ ^= 1;  // the released lanes read the old half while they fill the new one
    for (LaneMask left = at_exchange; left; left &= left - 1) {
        const unsigned lane = lowest_lane(left);
        value_[phase_][lane] = value_[phase_ ^ 1][lane];
    }
    if (!at_exchange) mixed_ = false;
    return true;
}

}  // namespace cuda_shim
