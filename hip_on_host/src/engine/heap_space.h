// The memory behind kernels' malloc: a separate range of addresses, with the blocks' bookkeeping outside of it, so that
// a kernel's wrong free or write reaches nothing else of the process.
//
// Spans of 64 KiB are cut into slots of one size; larger blocks have spans to themselves. Nothing is locked: a forked
// child finds every span whole, even if other threads were using it.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cuda_shim {

class HeapSpace {
public:
    HeapSpace();
    ~HeapSpace();
    HeapSpace(const HeapSpace&) = delete;
    HeapSpace& operator=(const HeapSpace&) = delete;

    // Bytes that a block of `bytes` counts for.
    static size_t charge(size_t bytes);
    // 16-byte aligned; null when there is no room. May throw std::bad_alloc.
    void* take(size_t bytes);
    // Returns the bytes that the block counted for; 0 when no block that is in use begins there.
    size_t give_back(void* block);

private:
    struct Span;
    // Spans of one size, and in which of them each of some groups of threads looks first.
    struct SizeClass {
        static constexpr unsigned kGroups = 8;
        std::atomic<Span*> first{nullptr};
        std::atomic<Span*> hints[kGroups] = {};
    };
    static constexpr unsigned kClasses = 256;

    Span* add_span(SizeClass& spans, size_t slot_bytes);
    void* take_slot(Span& span);
    char* address_of(const Span& span) const;

    char* begin_ = nullptr;
    size_t span_count_ = 0;
    std::atomic<size_t> next_span_{0};
    std::atomic<Span*>* spans_ = nullptr;  // by their first place in the range
    SizeClass classes_[kClasses];
};

}  // namespace cuda_shim
