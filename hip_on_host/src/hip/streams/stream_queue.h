// The in-order execution behind a stream: one command after the other, on the caller while that is cheap,
// else on a worker thread that is started when first needed.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "hip/streams/command.h"

namespace cuda_shim {

class StreamQueue;

// A host function waits for the stream that runs it, directly or through the null stream: that would never end.
class WaitsForItself : public std::exception {
public:
    const char* what() const noexcept override { return "a host function may not wait for the stream that runs it"; }
};

// A point in a stream's order: everything submitted up to `sequence`.
struct Ticket {
    std::shared_ptr<StreamQueue> queue;
    uint64_t sequence = 0;
    bool done() const;
    // Throws WaitsForItself.
    void check() const;
    void wait() const;
    // Is it done within that time?
    bool wait_for(std::chrono::milliseconds most) const;
};

using Tickets = std::vector<Ticket>;

class StreamQueue : public std::enable_shared_from_this<StreamQueue> {
public:
    explicit StreamQueue(Device& device) : device_(device) {}

    // Takes the queue for work on the calling thread, if it is idle; finish_inline must follow.
    bool try_begin_inline();
    void finish_inline();

    // Appends a command that starts after all of `waits`. `result`, when given, receives the command's own
    // error instead of the device; it must live until the returned sequence number is done.
    uint64_t enqueue(CommandPtr command, Tickets waits, hipError_t* result = nullptr);

    // The most cores that kernels, copies and fills of this queue use; 0 for all.
    void limit_to(unsigned cores) { cores_ = cores; }
    // Counts the queue in `busy_queues` from now on whenever its worker has something to do. Commands that callers run
    // themselves are not counted: such a command is done when its call returns, and before that no other thread can
    // know that its own work comes behind it.
    void count_when_busy(std::atomic<int>& busy_queues) { busy_queues_ = &busy_queues; }
    // The number of its stream, which profiles show.
    void set_number(unsigned long long number) { number_ = number; }
    // Runs a command on the calling thread, with that limit.
    hipError_t run_here(Command& command) noexcept;

    bool idle() const {
        return completed_.load(std::memory_order_acquire) == submitted_.load(std::memory_order_acquire);
    }
    bool done(uint64_t sequence) const { return completed_.load(std::memory_order_acquire) >= sequence; }
    // All throw WaitsForItself where this thread runs one of the commands to wait for.
    void check(uint64_t sequence) const;
    void wait(uint64_t sequence);
    bool wait_for(uint64_t sequence, std::chrono::milliseconds most);
    Ticket last() { return {shared_from_this(), submitted_.load(std::memory_order_acquire)}; }

    // The queue whose command the calling thread runs as its worker, or in a worker's stead; null for others.
    static const StreamQueue*& served();

    // No more commands will come; the worker leaves when it has done the rest.
    void close();

private:
    struct Entry {
        CommandPtr command;
        Tickets waits;
        hipError_t* result;
    };

    void start_worker();
    static void* worker_main(void* queue);
    void work();
    void complete_one();
    void count(int change);

    Device& device_;
    std::atomic<int>* busy_queues_ = nullptr;
    bool is_counted_ = false;
    unsigned cores_ = 0;
    unsigned long long number_ = 0;
    std::mutex mutex_;
    std::condition_variable work_arrived_;
    std::condition_variable progress_;
    std::deque<Entry> entries_;
    // The n-th command submitted has sequence number n. Written under the mutex, read anywhere.
    std::atomic<uint64_t> submitted_{0};
    std::atomic<uint64_t> completed_{0};
    int waiters_ = 0;
    bool running_inline_ = false;
    bool worker_started_ = false;
    bool closed_ = false;
};

}  // namespace cuda_shim
