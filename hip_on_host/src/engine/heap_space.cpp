#include "engine/heap_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <new>

#include "common/address_space.h"

namespace cuda_shim {
namespace {

constexpr size_t kSpanBytes = 64u << 10;
constexpr size_t kUnit = 16;                 // slots are multiples of it
constexpr size_t kMaxExact = 1024;           // up to here there is a size for each unit
constexpr size_t kMaxSlot = kSpanBytes / 2;  // larger blocks have spans of their own
constexpr unsigned kStepsOfDoubling = 4;     // sizes between a power of two and the next
constexpr size_t kLeastRange = size_t{16} << 20;

struct SlotSize {
    unsigned number;  // index of the size class
    size_t bytes;
};

// The least size that holds `bytes`, which are less than a quarter of all addresses.
SlotSize slot_size(size_t bytes) {
    bytes = std::max(bytes, size_t{1});
    if (bytes <= kMaxExact) {
        const size_t units = (bytes + kUnit - 1) / kUnit;
        return {static_cast<unsigned>(units - 1), units * kUnit};
    }
    const unsigned power = 63u - static_cast<unsigned>(__builtin_clzll(bytes - 1));  // 2^power < bytes <= 2^(power + 1)
    const size_t step = (size_t{1} << power) / kStepsOfDoubling;
    const size_t steps = (bytes - (size_t{1} << power) + step - 1) / step;  // 1 to 4
    const unsigned exact = kMaxExact / kUnit;
    return {exact + (power - 10) * kStepsOfDoubling + static_cast<unsigned>(steps) - 1,
            (size_t{1} << power) + steps * step};
}

unsigned group_of_thread() {
    static std::atomic<unsigned> threads{0};
    static thread_local const unsigned group = threads.fetch_add(1, std::memory_order_relaxed);
    return group;
}

}  // namespace

struct HeapSpace::Span {
    static constexpr unsigned kBits = 64;

    Span(size_t place_of_span, size_t slot, unsigned count)
        : place(place_of_span),
          slot_bytes(slot),
          slots(count),
          words((count + kBits - 1) / kBits),
          used(new std::atomic<uint64_t>[words]) {
        for (unsigned i = 0; i < words; i++) used[i].store(0, std::memory_order_relaxed);
        if (count % kBits) used[words - 1].store(~uint64_t{0} << count % kBits, std::memory_order_relaxed);
    }

    const size_t place;
    const size_t slot_bytes;
    const unsigned slots;
    std::atomic<bool> full{false};  // a hint: counting free slots would take as long as finding one
    const unsigned words;
    const std::unique_ptr<std::atomic<uint64_t>[]> used;
    std::atomic<size_t> block_bytes{0};  // size of the block that has the span to itself
    Span* next = nullptr;
};

HeapSpace::HeapSpace() {
    // Blocks of kernels have to share a limit on addresses with the program's own.
    const size_t available = addresses_left();
    const size_t size = std::min(physical_memory_bytes(), available == SIZE_MAX ? available : available / 8);
    const ReservedAddresses range = reserve_addresses(size / kSpanBytes * kSpanBytes, kLeastRange);
    const size_t count = range.bytes / kSpanBytes;
    if (count == 0) return;
    void* table = mmap(nullptr, count * sizeof *spans_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED) {
        munmap(reinterpret_cast<void*>(range.begin), range.bytes);
        return;
    }
    begin_ = reinterpret_cast<char*>(range.begin);
    span_count_ = count;
    spans_ = static_cast<std::atomic<Span*>*>(table);  // zero is a null pointer
}

HeapSpace::~HeapSpace() {
    if (!begin_) return;
    munmap(begin_, span_count_ * kSpanBytes);
    munmap(spans_, span_count_ * sizeof *spans_);
}

size_t HeapSpace::charge(size_t bytes) { return bytes > kMaxSlot ? bytes : slot_size(bytes).bytes; }

char* HeapSpace::address_of(const Span& span) const { return begin_ + span.place * kSpanBytes; }

void* HeapSpace::take(size_t bytes) {
    if (bytes > span_count_ * kSpanBytes) return nullptr;
    const SlotSize slot = slot_size(bytes);
    SizeClass& spans = classes_[slot.number];
    std::atomic<Span*>& hint = spans.hints[group_of_thread() % SizeClass::kGroups];
    Span* span = hint.load(std::memory_order_acquire);
    void* block = span ? take_slot(*span) : nullptr;
    for (Span* other = spans.first.load(std::memory_order_acquire); !block && other; other = other->next) {
        block = take_slot(*(span = other));
    }
    if (!block) {
        span = add_span(spans, slot.bytes);
        block = span ? take_slot(*span) : nullptr;
    }
    if (!block) return nullptr;
    hint.store(span, std::memory_order_release);
    if (slot.bytes > kMaxSlot) span->block_bytes.store(bytes, std::memory_order_relaxed);
    return block;
}

HeapSpace::Span* HeapSpace::add_span(SizeClass& spans, size_t slot_bytes) {
    const size_t places = (slot_bytes + kSpanBytes - 1) / kSpanBytes;
    size_t place = next_span_.load(std::memory_order_relaxed);
    do {
        if (places > span_count_ - place) return nullptr;
    } while (!next_span_.compare_exchange_weak(place, place + places));
    if (mprotect(begin_ + place * kSpanBytes, places * kSpanBytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
    const size_t slots = std::max<size_t>(1, kSpanBytes / slot_bytes);
    auto* span = new Span(place, slot_bytes, static_cast<unsigned>(slots));
    spans_[place].store(span, std::memory_order_release);
    span->next = spans.first.load(std::memory_order_relaxed);
    while (!spans.first.compare_exchange_weak(span->next, span, std::memory_order_release)) {
    }
    return span;
}

void* HeapSpace::take_slot(Span& span) {
    if (span.full.load(std::memory_order_relaxed)) return nullptr;
    for (unsigned i = 0; i < span.words; i++) {
        uint64_t used = span.used[i].load(std::memory_order_relaxed);
        while (~used) {
            const auto bit = static_cast<unsigned>(__builtin_ctzll(~used));
            const uint64_t before = span.used[i].fetch_or(uint64_t{1} << bit, std::memory_order_acquire);
            if (!(before >> bit & 1)) {
                return address_of(span) + (i * Span::kBits + bit) * span.slot_bytes;
            }
            used = before;
        }
    }
    // In one order with give_back: either that sees the span full, or this sees the slot free.
    span.full.store(true);
    for (unsigned i = 0; i < span.words; i++) {
        if (~span.used[i].load()) span.full.store(false);
    }
    return nullptr;
}

size_t HeapSpace::give_back(void* block) {
    const auto offset = static_cast<size_t>(static_cast<char*>(block) - begin_);
    if (offset >= span_count_ * kSpanBytes) return 0;
    Span* span = spans_[offset / kSpanBytes].load(std::memory_order_acquire);
    if (!span) return 0;
    const size_t within = offset - span->place * kSpanBytes;
    const size_t slot = within / span->slot_bytes;
    if (within % span->slot_bytes || slot >= span->slots) return 0;
    size_t charged = span->slot_bytes;
    if (charged > kMaxSlot) {
        charged = span->block_bytes.exchange(0);
        if (charged == 0) return 0;
        madvise(block, span->slot_bytes, MADV_DONTNEED);
    }
    const uint64_t bit = uint64_t{1} << slot % Span::kBits;
    if (!(span->used[slot / Span::kBits].fetch_and(~bit) & bit)) return 0;
    if (span->full.load()) span->full.store(false);
    return charged;
}

}  // namespace cuda_shim
