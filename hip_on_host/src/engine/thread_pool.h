// The worker threads that kernels, large copies and large fills share: one a core.
//
// Several host threads (streams) may have work open at once. The thread that opens work takes part in it to the end,
// so that progress never depends on a free worker, and nested use cannot deadlock.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace cuda_shim {

// Threads that take part in parallel work, the caller among them (CUDA_SHIM_CPU_THREADS).
unsigned worker_count();

// While it lives, work that this thread opens has at most `cores` threads, this one among them; 0 for all.
class CoreLimit {
public:
    explicit CoreLimit(unsigned cores);
    ~CoreLimit();
    CoreLimit(const CoreLimit&) = delete;
    CoreLimit& operator=(const CoreLimit&) = delete;
    // The calling thread's limit.
    static unsigned current();

private:
    unsigned before_;
};

// Calls body(first, last) for pieces of [0, count), each at least `grain` long but for the last, on several
// threads at once; returns when all are done. An exception out of `body` is thrown again here, once.
void parallel_for(size_t count, size_t grain, const std::function<void(size_t, size_t)>& body);

// Work that several threads take chunks from. Lives on the stack of the thread that opens it.
struct SharedWork {
    using Body = void (*)(void* context, SharedWork& work);  // takes chunks until none is left

    SharedWork(Body run, void* run_context, uint64_t item_count, uint64_t chunk_size)
        : body(run), context(run_context), count(item_count), chunk(chunk_size) {}

    // The next chunk [first, last); false when none is left.
    bool take(uint64_t& first, uint64_t& last) {
        if (next.load(std::memory_order_relaxed) >= count) return false;
        first = next.fetch_add(chunk, std::memory_order_relaxed);
        if (first >= count) return false;
        last = count - first > chunk ? first + chunk : count;
        return true;
    }
    // No thread takes another chunk: a fault or an exception ended the work.
    void stop() { next.store(count, std::memory_order_relaxed); }
    bool exhausted() const { return next.load(std::memory_order_relaxed) >= count; }
    uint64_t chunks() const { return (count + chunk - 1) / chunk; }

    const Body body;
    void* const context;
    const uint64_t count;
    const uint64_t chunk;
    std::atomic<uint64_t> next{0};
    std::atomic<uint32_t> helpers{0};  // workers inside `body`, the opener not counted
    uint32_t max_helpers = ~0u;        // by the limit of the thread that opens it
    uint32_t first_helpers = ~0u;      // until admit_all: a helper that has little to do costs more than it brings
    // The pool's, under its lock:
    uint32_t places = 0;  // for further helpers
    bool is_open = false;
    SharedWork* next_open = nullptr;
};

// Opens `work` to the workers, takes part in it, and returns when every helper has left it.
void run_shared(SharedWork& work);

// Ends the limit of first_helpers: each chunk of `work` may have a helper. The work's body calls it.
void admit_all(SharedWork& work);

}  // namespace cuda_shim
