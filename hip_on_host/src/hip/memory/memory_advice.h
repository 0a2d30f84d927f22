// Hints that hipMemAdvise and hipMemPrefetchAsync give about memory, kept page by page to be read back.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>

#include "abi/hip_types.h"

namespace cuda_shim {

struct MemoryAdvice {
    bool read_mostly = false;
    bool coarse_grain = false;
    int preferred_location = hipInvalidDeviceId;
    int last_prefetch = hipInvalidDeviceId;
    uint64_t accessed_by = 0;  // a bit for each device
    bool accessed_by_host = false;
};

// Addresses from `begin` to before `end`.
struct AddressRange {
    uintptr_t begin = 0;
    uintptr_t end = 0;
};

// The advice about every address; addresses without any call have none. Callers hold a lock.
class AdviceMap {
public:
    // Changes the advice of every part of the range.
    template <class Change>
    void change(AddressRange range, Change&& change) {
        split(range.begin);
        split(range.end);
        uintptr_t at = range.begin;
        auto piece = pieces_.lower_bound(at);
        while (at < range.end) {
            if (piece == pieces_.end() || piece->first > at) {
                uintptr_t end = piece == pieces_.end() || piece->first > range.end ? range.end : piece->first;
                piece = pieces_.emplace_hint(piece, at, Piece{end, {}});
            }
            change(piece->second.advice);
            at = piece->second.end;
            ++piece;
        }
    }

    // Shows the advice of every part of the range, in order.
    template <class Visit>
    void visit(AddressRange range, Visit&& visit) const {
        uintptr_t at = range.begin;
        auto piece = pieces_.upper_bound(at);
        if (piece != pieces_.begin() && std::prev(piece)->second.end > at) --piece;
        while (at < range.end) {
            bool spoken_of = piece != pieces_.end() && piece->first <= at;
            visit(spoken_of ? piece->second.advice : MemoryAdvice{});
            uintptr_t next = piece == pieces_.end() ? range.end : spoken_of ? piece->second.end : piece->first;
            if (spoken_of) ++piece;
            at = next;
        }
    }

    // Called when the memory is gone: the next allocation at its addresses has no advice.
    void forget(AddressRange range);

private:
    struct Piece {
        uintptr_t end;
        MemoryAdvice advice;
    };

    // Has no piece reach across the address.
    void split(uintptr_t address);

    std::map<uintptr_t, Piece> pieces_;  // by where they begin; they do not overlap
};

}  // namespace cuda_shim
