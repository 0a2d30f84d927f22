#include "engine/integer_division.h"

#if defined(__x86_64__)
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

namespace cuda_shim {
namespace {

// Registers by their numbers in instructions.
constexpr int kRegisters[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
constexpr int kNoIndex = 4, kNoBase = 5;

// `div` or `idiv`, as the program counter points at it.
class Division {
public:
    Division(greg_t* registers) : registers_(registers), at_(reinterpret_cast<const uint8_t*>(registers[REG_RIP])) {}

    bool decode() {
        if (*at_ == 0x66) width_ = 16, ++at_;
        if ((*at_ & 0xf0) == 0x40) extension_ = *at_++;
        if (extension_ & 8) width_ = 64;
        if (*at_ == 0xf6)
            width_ = 8;
        else if (*at_ != 0xf7)
            return false;
        ++at_;
        const int operation = (*at_ >> 3) & 7;
        if (operation != 6 && operation != 7) return false;
        read_divisor();
        return true;
    }

    // An NVIDIA GPU's: all ones and the dividend for a division by zero. Where 64-bit numbers have 32 bits, they are
    // divided as such. The least number by -1 is itself, without a rest.
    void finish() {
        const uint64_t dividend = low(static_cast<uint64_t>(registers_[REG_RAX]));
        uint64_t quotient = dividend, rest = 0;
        if (low(divisor_) == 0) {
            quotient = width_ == 64 && dividend >> 32 == 0 ? 0xffffffffu : low(~uint64_t{0});
            rest = dividend;
        }
        if (width_ == 8) {
            put(REG_RAX, 16, (rest << 8) | quotient);
        } else {
            put(REG_RAX, width_, quotient);
            put(REG_RDX, width_, rest);
        }
        registers_[REG_RIP] = reinterpret_cast<greg_t>(at_);
    }

private:
    uint64_t low(uint64_t value) const { return width_ == 64 ? value : value & ((uint64_t{1} << width_) - 1); }

    // A result of 32 bits clears those above it, a shorter one leaves them.
    void put(int where, int width, uint64_t value) {
        const uint64_t kept = width < 32 ? ~uint64_t{0} << width : 0;
        registers_[where] = static_cast<greg_t>((static_cast<uint64_t>(registers_[where]) & kept) | value);
    }

    uint64_t value(int number) const { return static_cast<uint64_t>(registers_[kRegisters[number]]); }

    template <class T>
    int64_t displacement() {
        T number;
        memcpy(&number, at_, sizeof number);
        at_ += sizeof number;
        return number;
    }

    void read_divisor() {
        const uint8_t form = *at_++;
        const int mode = form >> 6, low_bits = form & 7;
        if (mode == 3) {
            // Without an extension, the numbers 4 to 7 of bytes are second bytes of registers.
            const bool second = width_ == 8 && extension_ == 0 && low_bits >= 4;
            divisor_ = second ? value(low_bits - 4) >> 8 : value(low_bits | ((extension_ & 1) << 3));
            return;
        }
        uint64_t address = 0;
        bool is_relative = mode == 0 && low_bits == kNoBase;
        int base = low_bits;
        if (low_bits == 4) {  // a byte with base, index and scale follows
            const uint8_t parts = *at_++;
            const int index = ((parts >> 3) & 7) | ((extension_ & 2) << 2);
            if (index != kNoIndex) address = value(index) << (parts >> 6);
            base = parts & 7;
        }
        const bool has_base = !(mode == 0 && base == kNoBase);
        if (has_base) address += value(base | ((extension_ & 1) << 3));
        if (mode == 1) address += static_cast<uint64_t>(displacement<int8_t>());
        if (mode == 2 || !has_base) address += static_cast<uint64_t>(displacement<int32_t>());
        if (is_relative) address += reinterpret_cast<uintptr_t>(at_);
        memcpy(&divisor_, reinterpret_cast<const void*>(address), static_cast<size_t>(width_ / 8));
    }

    greg_t* const registers_;
    const uint8_t* at_;
    uint8_t extension_ = 0;
    int width_ = 32;
    uint64_t divisor_ = 0;
};

}  // namespace

bool divide_as_a_gpu(void* context) {
    Division division(static_cast<ucontext_t*>(context)->uc_mcontext.gregs);
    if (!division.decode()) return false;
    division.finish();
    return true;
}

}  // namespace cuda_shim
#else
namespace cuda_shim {

bool divide_as_a_gpu(void*) { return false; }  // others' divisions raise no signal

}  // namespace cuda_shim
#endif
