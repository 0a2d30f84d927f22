#include "engine/shared_variables.h"

#include <pthread.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <vector>

#include "common/log.h"
#include "engine/faults.h"
#include "engine/guarded_memory.h"
#include "engine/per_thread.h"

namespace cuda_shim {
namespace {

// A mapped module takes four of the 65,530 mappings that a process may have by default.
constexpr size_t kMaxModules = 16384;

// Until a thread has its first copy.
char* no_copies[kMaxModules];

// Modules read it: in the initial-exec model it is at one distance from every thread's pointer.
__attribute__((tls_model("initial-exec"))) thread_local char* const* table_of_copies = no_copies;

int64_t distance_of_table() {
    const char* thread_pointer;
#if defined(__x86_64__)
    __asm__("movq %%fs:0, %0" : "=r"(thread_pointer));
#else
    thread_pointer = static_cast<const char*>(__builtin_thread_pointer());
#endif
    return reinterpret_cast<const char*>(&table_of_copies) - thread_pointer;
}

// The numbers in use. Without a lock, so that a forked child finds the table whole.
std::atomic<uint64_t> used_numbers[kMaxModules / 64];
std::atomic<size_t> highest_number{0};

size_t take_number() {
    for (size_t i = 0; i < kMaxModules / 64; i++) {
        uint64_t used_bits = used_numbers[i].load(std::memory_order_relaxed);
        while (~used_bits) {
            const auto bit = static_cast<unsigned>(__builtin_ctzll(~used_bits));
            if (!used_numbers[i].compare_exchange_weak(used_bits, used_bits | uint64_t{1} << bit)) continue;
            const size_t number = 64 * i + bit;
            size_t highest = highest_number.load();
            while (highest < number && !highest_number.compare_exchange_weak(highest, number)) {
            }
            return number;
        }
    }
    log(LogLevel::Error, "more than %zu kernel modules are loaded; unload some of them", kMaxModules);
    throw std::bad_alloc();
}

void give_number_back(size_t number) { used_numbers[number / 64].fetch_and(~(uint64_t{1} << number % 64)); }

// One thread's copies. Pages of it that no number reaches take no memory.
class ThreadCopies {
public:
    ThreadCopies() {
        if (!room_.reserve(sizeof(Table))) throw std::bad_alloc();
        table_ = reinterpret_cast<Table*>(room_.begin());  // all zeros are an empty GuardedMemory
        add_this();
        table_of_copies = table_->copies;
    }
    ~ThreadCopies() {
        table_of_copies = no_copies;
        remove_this();
        for (size_t number = 0; number <= highest_number.load(); number++) table_->memory[number].release();
    }
    ThreadCopies(const ThreadCopies&) = delete;
    ThreadCopies& operator=(const ThreadCopies&) = delete;

    char* make(size_t number, const SharedVariables::Image& image) {
        GuardedMemory& memory = table_->memory[number];
        const size_t slack = image.alignment > page_bytes() ? image.alignment : 0;
        if (!memory.reserve(image.bytes + slack)) throw std::bad_alloc();
        char* copy = memory.last(image.bytes, image.alignment);
        memcpy(copy, image.initial, image.initial_bytes);
        return table_->copies[number] = copy;
    }

    // Ends all threads' copies of a module.
    static void forget(size_t number) {
        Threads& threads = Threads::instance();
        std::lock_guard<std::mutex> lock(threads.mutex);
        for (ThreadCopies* thread : threads.list) {
            thread->table_->copies[number] = nullptr;
            thread->table_->memory[number].release();
        }
    }
    // A forked child has only the copies of the thread that forked, and leaks its parent's list, whose lock may have
    // been held.
    static void restart_in_child() {
        Threads::current().store(new Threads, std::memory_order_relaxed);
        if (table_of_copies != no_copies) thread_object<ThreadCopies>().add_this();
    }

private:
    struct Table {
        char* copies[kMaxModules];
        GuardedMemory memory[kMaxModules];
    };
    struct Threads {
        std::mutex mutex;
        std::vector<ThreadCopies*> list;

        static std::atomic<Threads*>& current() {
            static std::atomic<Threads*> threads{new Threads};
            return threads;
        }
        static Threads& instance() { return *current().load(std::memory_order_acquire); }
    };

    void add_this() {
        Threads& threads = Threads::instance();
        std::lock_guard<std::mutex> lock(threads.mutex);
        threads.list.push_back(this);
    }
    void remove_this() {
        Threads& threads = Threads::instance();
        std::lock_guard<std::mutex> lock(threads.mutex);
        threads.list.erase(std::remove(threads.list.begin(), threads.list.end(), this), threads.list.end());
    }

    GuardedMemory room_;
    Table* table_ = nullptr;
};

// As the library loads, not on first use: see per_process.h.
[[maybe_unused]] const int restart_registered = pthread_atfork(nullptr, nullptr, ThreadCopies::restart_in_child);

}  // namespace

SharedVariables::SharedVariables(const Image& image, CudaShimThreadLocals& module)
    : image_(image), number_(take_number()) {
    module = {distance_of_table(), number_, image.bytes, this, make_copy};
}

SharedVariables::~SharedVariables() {
    ThreadCopies::forget(number_);
    give_number_back(number_);
}

char* SharedVariables::of_this_thread() const {
    if (char* copy = table_of_copies[number_]) return copy;
    return thread_object<ThreadCopies>().make(number_, image_);
}

// Called by kernels.
void* SharedVariables::make_copy(const void* variables) {
    try {
        return static_cast<const SharedVariables*>(variables)->of_this_thread();
    } catch (const std::bad_alloc&) {
        stop_kernel(hipErrorOutOfMemory, "no memory for its shared variables");
    }
}

}  // namespace cuda_shim
