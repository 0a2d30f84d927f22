#include "kernel_compiler/analyse/memory_use/stack_frame.h"

#include <algorithm>

namespace cuda_shim {
namespace {

// Arrays of words that NVIDIA's assembler selects from registers: measured with ptxas 13 and an H100.
constexpr uint64_t kMaxRegisterWordsInLoops = 4, kMaxWordAccessesInLoops = 6;
constexpr uint64_t kFewAccesses = 2, kMaxRegisterWordsForFew = 64;
constexpr uint64_t kSomeAccesses = 8, kMaxRegisterWordsForSome = 9;
constexpr uint64_t kFrameAlignment = 8;

uint64_t round_up(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

bool are_selected(uint64_t words, uint64_t reads, uint64_t writes, uint64_t in_loops) {
    if (in_loops) return words <= kMaxRegisterWordsInLoops && words * in_loops <= kMaxWordAccessesInLoops;
    const uint64_t accesses = reads + writes;
    if (reads == 0) return accesses <= kSomeAccesses;
    if (accesses <= kFewAccesses) return words <= kMaxRegisterWordsForFew;
    return accesses <= kSomeAccesses && words <= kMaxRegisterWordsForSome;
}

struct Extent {
    uint64_t end, alignment = 1;
    void add(const VariableSize& size) {
        end = round_up(end, size.alignment) + size.bytes;
        alignment = std::max(alignment, size.alignment);
    }
};

bool fits_registers(const StackScope& scope, const SizeOfVariable& size_of) {
    if (scope.buffer) return false;
    for (const std::unique_ptr<VariableUse>& variable : scope.variables)
        if (variable->needs_address() && !variable->fits_registers(size_of(variable->declaration).bytes)) return false;
    for (const std::unique_ptr<StackScope>& inner : scope.inner)
        if (!fits_registers(*inner, size_of)) return false;
    return true;
}

Extent extent_of(const StackScope& scope, Extent extent, const SizeOfVariable& size_of) {
    for (const std::unique_ptr<VariableUse>& variable : scope.variables) {
        if (!variable->needs_address()) continue;
        const VariableSize size = size_of(variable->declaration);
        if (size.bytes) extent.add(size);
    }
    Extent whole = extent;
    if (scope.buffer) whole.add({scope.buffer, kFrameAlignment});
    for (const std::unique_ptr<StackScope>& inner : scope.inner) {
        const Extent with_inner = extent_of(*inner, extent, size_of);
        whole.end = std::max(whole.end, with_inner.end);
        whole.alignment = std::max(whole.alignment, with_inner.alignment);
    }
    return whole;
}

}  // namespace

bool VariableUse::needs_address() const {
    if (escapes) return true;
    if (!read || indexed_reads + indexed_writes + indexed_in_loops == 0) return false;
    return written || !constant_elements;  // else it is a table in constant memory
}

bool VariableUse::fits_registers(uint64_t bytes) const {
    if (escapes || !words) return false;
    if (indexed_writes && !known_writes) return false;  // elements without a first value
    return are_selected(bytes / sizeof(uint32_t), indexed_reads, indexed_writes, indexed_in_loops);
}

uint64_t StackFrame::bytes(const SizeOfVariable& size_of) const {
    const bool in_registers = of_kernel && fits_registers(scope, size_of);
    const Extent extent = in_registers ? Extent{0} : extent_of(scope, {0}, size_of);
    uint64_t deepest = library_bytes;
    for (const std::shared_ptr<const StackFrame>& callee : callees) deepest = std::max(deepest, callee->bytes(size_of));
    return round_up(extent.end, std::max(kFrameAlignment, extent.alignment)) + deepest;
}

uint64_t SharedMemory::bytes(const SizeOfVariable& size_of) const {
    Extent extent{0};
    const auto add = [&](auto begin, auto end) {
        for (auto variable = begin; variable != end; ++variable) {
            if (!variable->second.read && !variable->second.escapes) continue;
            const VariableSize size = size_of(variable->first);
            if (size.bytes) extent.add(size);
        }
    };
    const auto own = variables.lower_bound(kernel), behind = variables.lower_bound(kernel_end);
    add(own, behind);
    add(variables.begin(), own);
    add(behind, variables.end());
    return extent.end;
}

}  // namespace cuda_shim
