#include "engine/shared_shadow.h"

namespace cuda_shim {

const Touch* SharedShadow::find_conflict(size_t offset, size_t bytes, const Touch& mine, bool writes,
                                         bool& wrote) const {
    for (size_t at = offset; at < offset + bytes; at++) {
        const Byte& byte = bytes_[at];
        wrote = conflicts(byte.write, mine);
        if (wrote) return &byte.write;
        if (!writes) continue;
        if (conflicts(byte.read, mine)) return &byte.read;
        if (conflicts(byte.earlier_read, mine)) return &byte.earlier_read;
    }
    return nullptr;
}

bool SharedShadow::any_written(size_t offset, size_t bytes) const {
    for (size_t at = offset; at < offset + bytes; at++) {
        if (order_.in_this_block(bytes_[at].write.time)) return true;
    }
    return false;
}

void SharedShadow::record(size_t offset, size_t bytes, const Touch& mine, bool reads, bool writes) {
    for (size_t at = offset; at < offset + bytes; at++) {
        Byte& byte = bytes_[at];
        if (writes) byte.write = mine;
        if (!reads) continue;
        if (byte.read.thread != mine.thread) byte.earlier_read = byte.read;
        byte.read = mine;
    }
}

}  // namespace cuda_shim
