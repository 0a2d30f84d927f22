// The encodings of debug information: numbers of fixed and of variable length, and texts.
#pragma once
#include <stdint.h>
#include <string.h>

#include <string>

namespace cuda_shim {

// Decodes a section of DWARF; past its end everything is zero and good() is false.
class DwarfReader {
public:
    DwarfReader(const char* begin, const char* end) : at_(begin), end_(end) {}

    bool good() const { return good_; }
    bool at_end() const { return at_ >= end_; }
    const char* position() const { return at_; }
    void move_to(const char* position) { at_ = position; }

    template <class T>
    T fixed() {
        T value = 0;
        if (!take(sizeof value)) return 0;
        memcpy(&value, at_ - sizeof value, sizeof value);
        return value;
    }
    uint64_t unsigned_number() {
        uint64_t value = 0;
        for (unsigned shift = 0; take(1); shift += 7) {
            const auto byte = static_cast<unsigned char>(at_[-1]);
            if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
            if (!(byte & 0x80)) break;
        }
        return value;
    }
    int64_t signed_number() {
        uint64_t value = 0;
        for (unsigned shift = 0; take(1);) {
            const auto byte = static_cast<unsigned char>(at_[-1]);
            if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
            shift += 7;
            if (byte & 0x80) continue;
            if ((byte & 0x40) && shift < 64) value |= ~uint64_t{0} << shift;
            break;
        }
        return static_cast<int64_t>(value);
    }
    std::string text() {
        const auto remaining = static_cast<size_t>(end_ - at_);
        const size_t length = at_end() ? 0 : strnlen(at_, remaining);
        if (at_end() || length == remaining) {
            good_ = false;
            at_ = end_;
            return "";
        }
        std::string result(at_, length);
        at_ += length + 1;
        return result;
    }

private:
    bool take(size_t bytes) {
        good_ = good_ && bytes <= static_cast<size_t>(end_ - at_);
        at_ = good_ ? at_ + bytes : end_;
        return good_;
    }

    const char* at_;
    const char* end_;
    bool good_ = true;
};

}  // namespace cuda_shim
