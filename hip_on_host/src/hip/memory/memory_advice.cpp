#include "hip/memory/memory_advice.h"

namespace cuda_shim {

void AdviceMap::split(uintptr_t address) {
    auto after = pieces_.lower_bound(address);
    if (after == pieces_.begin()) return;
    Piece& before = std::prev(after)->second;
    if (before.end <= address) return;
    Piece rest = before;
    before.end = address;
    pieces_.emplace_hint(after, address, rest);
}

void AdviceMap::forget(AddressRange range) {
    if (pieces_.empty()) return;
    split(range.begin);
    split(range.end);
    pieces_.erase(pieces_.lower_bound(range.begin), pieces_.lower_bound(range.end));
}

}  // namespace cuda_shim
