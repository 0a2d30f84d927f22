// The accesses of a block's threads to each byte of its shared memory, to find races and reads of unwritten bytes.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/thread_order.h"

namespace cuda_shim {

// A thread's access to a byte.
struct Touch {
    uint32_t time = 0;   // by ThreadOrder; 0: never
    uint32_t place = 0;  // return address, from the module's start
    uint16_t thread = 0;
    bool atomic = false;
    bool polls = false;  // through a volatile pointer
};

class SharedShadow {
public:
    explicit SharedShadow(const ThreadOrder& order) : order_(order) {}

    void resize(size_t bytes) { bytes_.resize(bytes); }
    void forget() { bytes_.assign(bytes_.size(), Byte{}); }

    // An earlier access to one of the bytes which nothing orders before `current`; null when there is none.
    // `wrote`: the earlier one was a write.
    const Touch* find_conflict(size_t offset, size_t bytes, const Touch& current, bool writes, bool& wrote) const;
    // True if a thread of this block wrote any of the bytes.
    bool any_written(size_t offset, size_t bytes) const;
    void record(size_t offset, size_t bytes, const Touch& current, bool reads, bool writes);

private:
    struct Byte {
        Touch write, read, earlier_read;  // reads by two different threads
    };

    // A loop may poll an atomic object through a volatile pointer. Two volatile accesses alone are a race.
    static bool synchronise(const Touch& one, const Touch& other) {
        return (one.atomic && (other.atomic || other.polls)) || (one.polls && other.atomic);
    }
    bool conflicts(const Touch& earlier, const Touch& current) const {
        return order_.in_this_block(earlier.time) && !synchronise(earlier, current) &&
               !order_.ordered(earlier.time, earlier.thread, current.thread);
    }

    const ThreadOrder& order_;
    std::vector<Byte> bytes_;
};

}  // namespace cuda_shim
