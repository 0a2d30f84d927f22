#include "engine/thread_pool.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "common/once.h"
#include "common/settings.h"
#include "engine/faults.h"
#include "engine/futex.h"
#include "engine/per_process.h"
#include "engine/worker_thread.h"

namespace cuda_shim {
namespace {

// About 20 µs of spinning before a worker sleeps: the next of a run of small launches finds it awake. They count from
// the worker's last work, so that of many workers only those that the launches have places for stay awake.
constexpr int kSpinsBeforeSleep = 1000;

// Held for some instructions: a thread that finds it taken spins for a moment, instead of a sleep that takes longer
// than a small launch.
class BriefMutex {
public:
    void lock() { pthread_mutex_lock(&mutex_); }
    void unlock() { pthread_mutex_unlock(&mutex_); }

private:
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    pthread_mutex_t mutex_ = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
#else
    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
#endif
};

// The limit for work that the thread opens.
thread_local unsigned core_limit = 0;

class ThreadPool {
public:
    void run(SharedWork& work) {
        open(work);
        work.body(work.context, work);
        close(work);
    }
    void admit_all(SharedWork& work);

private:
    void start_workers();
    void open(SharedWork& work);
    void close(SharedWork& work);
    void leave(SharedWork& work);
    void add_places(SharedWork& work, uint64_t helpers);
    void publish(uint64_t places);
    SharedWork* join();
    SharedWork* find_place();
    void serve();
    void wait_for_work(uint32_t published, int& spins);
    static void* thread_main(void* pool);

    BriefMutex mutex_;            // guards open_ and the joining of work
    SharedWork* open_ = nullptr;  // newest first
    // Places of all open work, less the workers that are about to take one: of many that spin, only as many wait for
    // the lock as there are places. The thread that opened the work needs the lock, too.
    std::atomic<int64_t> free_places_{0};
    std::atomic<uint32_t> published_{0};  // futex: grows with every opening
    std::atomic<uint32_t> sleepers_{0};
    std::atomic<uint32_t> spinners_{0};  // workers that look at published_ once more before they sleep
    std::atomic<uint32_t> finished_{0};  // futex: grows when the last helper leaves some work
    std::atomic<uint32_t> finish_waiters_{0};
    Once started_;
};

void ThreadPool::start_workers() {
    keep_library_loaded();
    for (unsigned i = 1; i < worker_count(); i++) {
        pthread_t thread;
        if (!start_worker_thread(thread, thread_main, this)) break;  // fewer workers still work
        pthread_detach(thread);
    }
}

void ThreadPool::open(SharedWork& work) {
    started_.run([this] { start_workers(); });
    uint32_t places;
    {
        std::lock_guard<BriefMutex> lock(mutex_);
        work.next_open = open_;
        work.is_open = true;
        open_ = &work;
        add_places(work, std::min(work.first_helpers, work.max_helpers));
        places = work.places;
    }
    publish(places);
}

// No more than other threads have chunks.
void ThreadPool::add_places(SharedWork& work, uint64_t helpers) {
    const uint64_t useful = std::min<uint64_t>({helpers, work.chunks() - 1, worker_count() - 1});
    const uint64_t already = uint64_t{work.places} + work.helpers.load(std::memory_order_relaxed);
    if (useful <= already) return;
    work.places += static_cast<uint32_t>(useful - already);
    free_places_.fetch_add(static_cast<int64_t>(useful - already), std::memory_order_relaxed);
}

// Wakes workers for the places that are more than the workers that are awake and free.
void ThreadPool::publish(uint64_t places) {
    if (!places) return;
    published_.fetch_add(1, std::memory_order_seq_cst);
    const int64_t spinning = spinners_.load(std::memory_order_seq_cst);
    const int64_t asleep = sleepers_.load(std::memory_order_seq_cst);
    const int64_t missing = free_places_.load(std::memory_order_relaxed) - spinning;
    if (asleep && missing > 0) futex_wake(published_, static_cast<int>(std::min(asleep, missing)));
}

void ThreadPool::admit_all(SharedWork& work) {
    uint32_t places;
    {
        std::lock_guard<BriefMutex> lock(mutex_);
        if (!work.is_open) return;
        add_places(work, work.max_helpers);
        places = work.places;
    }
    publish(places);
}

void ThreadPool::close(SharedWork& work) {
    {
        std::lock_guard<BriefMutex> lock(mutex_);
        for (SharedWork** link = &open_; *link; link = &(*link)->next_open) {
            if (*link != &work) continue;
            *link = work.next_open;
            break;
        }
        work.is_open = false;
        free_places_.fetch_sub(work.places, std::memory_order_relaxed);
    }
    // From here no thread joins. The helpers are in their last chunk: spin first, sleep when it is a long one.
    for (int spin = 0; work.helpers.load(std::memory_order_acquire); spin++) {
        if (spin < kSpinsBeforeSleep) {
            relax_cpu();
            continue;
        }
        finish_waiters_.fetch_add(1, std::memory_order_seq_cst);
        const uint32_t finished = finished_.load(std::memory_order_seq_cst);
        if (work.helpers.load(std::memory_order_seq_cst)) futex_wait(finished_, finished);
        finish_waiters_.fetch_sub(1, std::memory_order_relaxed);
    }
}

SharedWork* ThreadPool::join() {
    if (free_places_.load(std::memory_order_relaxed) <= 0) return nullptr;
    SharedWork* work = nullptr;
    if (free_places_.fetch_sub(1, std::memory_order_relaxed) > 0) work = find_place();
    // Without a place: the work was closed or is exhausted, and its places are its own to give up.
    if (!work) free_places_.fetch_add(1, std::memory_order_relaxed);
    return work;
}

SharedWork* ThreadPool::find_place() {
    std::lock_guard<BriefMutex> lock(mutex_);
    for (SharedWork* work = open_; work; work = work->next_open) {
        if (!work->places || work->exhausted()) continue;
        work->places--;
        work->helpers.fetch_add(1, std::memory_order_relaxed);
        return work;
    }
    return nullptr;
}

void ThreadPool::leave(SharedWork& work) {
    // After the decrement the opener may return and `work` be gone: only the pool's own words are touched.
    if (work.helpers.fetch_sub(1, std::memory_order_seq_cst) != 1) return;
    finished_.fetch_add(1, std::memory_order_seq_cst);
    if (finish_waiters_.load(std::memory_order_seq_cst)) futex_wake(finished_);
}

void ThreadPool::wait_for_work(uint32_t published, int& spins) {
    spinners_.fetch_add(1, std::memory_order_seq_cst);
    bool is_published = false;
    while (!is_published && spins > 0) {
        relax_cpu();
        spins--;
        is_published = published_.load(std::memory_order_relaxed) != published;
    }
    if (is_published) {
        spinners_.fetch_sub(1, std::memory_order_seq_cst);
        return;
    }
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    spinners_.fetch_sub(1, std::memory_order_seq_cst);
    if (published_.load(std::memory_order_seq_cst) == published) {
        futex_wait(published_, published);
        spins = kSpinsBeforeSleep;
    }
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

void ThreadPool::serve() {
    int spins = kSpinsBeforeSleep;
    for (;;) {
        const uint32_t published = published_.load(std::memory_order_seq_cst);
        while (SharedWork* work = join()) {
            work->body(work->context, *work);
            leave(*work);
            spins = kSpinsBeforeSleep;
        }
        wait_for_work(published, spins);
    }
}

void* ThreadPool::thread_main(void* pool) {
    static_cast<ThreadPool*>(pool)->serve();
    return nullptr;
}

struct ParallelFor {
    const std::function<void(size_t, size_t)>& body;
    std::mutex mutex;
    std::exception_ptr error;

    static void run(void* context, SharedWork& work) {
        auto& self = *static_cast<ParallelFor*>(context);
        uint64_t first, last;
        try {
            while (work.take(first, last)) self.body(first, last);
        } catch (...) {
            work.stop();
            std::lock_guard<std::mutex> lock(self.mutex);
            if (!self.error) self.error = std::current_exception();
        }
    }
};

}  // namespace

unsigned worker_count() { return static_cast<unsigned>(settings().threads); }

CoreLimit::CoreLimit(unsigned cores) : before_(core_limit) { core_limit = cores; }

CoreLimit::~CoreLimit() { core_limit = before_; }

unsigned CoreLimit::current() { return core_limit; }

void run_shared(SharedWork& work) {
    if (core_limit) work.max_helpers = core_limit - 1;
    PerProcess<ThreadPool>::instance().run(work);
}

void admit_all(SharedWork& work) { PerProcess<ThreadPool>::instance().admit_all(work); }

void parallel_for(size_t count, size_t grain, const std::function<void(size_t, size_t)>& body) {
    if (count == 0) return;
    grain = std::max<size_t>(grain, 1);
    if (count <= grain || worker_count() == 1) return body(0, count);
    // Four pieces a worker evens out workers that start late, without making pieces too small to pay.
    const size_t pieces = size_t{worker_count()} * 4;
    const size_t even = (count + pieces - 1) / pieces;
    ParallelFor loop{body, {}, nullptr};
    SharedWork work(ParallelFor::run, &loop, count, std::max(grain, even));
    run_shared(work);
    if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace cuda_shim
