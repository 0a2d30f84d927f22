#include "engine/shared_shadow.h"

namespace cuda_shim {

const Touch* SharedShadow::find_conflict(size_t offset, size_t bytes, const Touch& current, bool writes,
                                         bool& wrote) const {
    for (size_t at = offset; at < offset + bytes; at++) {
        const Byte& byte = bytes_[at];
        wrote = conflicts(byte.write, current);
        if (wrote) return &byte.write;
        if (!writes) continue;
        if (conflicts(byte.read, current)) return &byte.read;
        if (conflicts(byte.earlier_read, current)) return &byte.earlier_read;
    }
    return nullptr;
}

bool SharedShadow::any_written(size_t offset, size_t bytes) const {
    for (size_t at = offset; at < offset + bytes; at++) {
        if (order_.in_this_block(bytes_[at].write.time)) return true;
    }
    return false;
}

void SharedShadow::record(size_t offset, size_t bytes, const Touch& current, bool reads, bool writes) {
    for (size_t at = offset; at < offset + bytes; at++) {
        Byte& byte = bytes_[at];
        if (writes) byte.write = current;
        if (!reads) continue;
        if (byte.read.thread != current.thread) byte.earlier_read = byte.read;
        byte.read = current;
    }
}

}  // namespace cuda_shim
