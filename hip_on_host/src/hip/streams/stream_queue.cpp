#include "hip/streams/stream_queue.h"

#include <pthread.h>

#include <new>

#include "engine/faults.h"
#include "engine/thread_pool.h"
#include "engine/worker_thread.h"
#include "hip/activity.h"
#include "hip/contexts/device.h"
#include "hip/streams/interrupt.h"

namespace cuda_shim {
const StreamQueue*& StreamQueue::served() {
    thread_local const StreamQueue* queue = nullptr;
    return queue;
}

bool Ticket::done() const { return queue->done(sequence); }

void Ticket::check() const { queue->check(sequence); }

void Ticket::wait() const { queue->wait(sequence); }

bool Ticket::wait_for(std::chrono::milliseconds most) const { return queue->wait_for(sequence, most); }

void StreamQueue::check(uint64_t sequence) const {
    if (served() == this && !done(sequence)) throw WaitsForItself();
}

hipError_t StreamQueue::run_here(Command& command) noexcept {
    CoreLimit limit(cores_);
    return activity_enabled() ? run_recorded(command, device_, number_) : command.run(device_);
}

bool StreamQueue::try_begin_inline() {
    std::lock_guard<std::mutex> lock(mutex_);
    uint64_t submitted = submitted_.load(std::memory_order_relaxed);
    if (completed_.load(std::memory_order_relaxed) != submitted) return false;
    submitted_.store(submitted + 1, std::memory_order_release);
    running_inline_ = true;
    return true;
}

void StreamQueue::finish_inline() {
    std::lock_guard<std::mutex> lock(mutex_);
    running_inline_ = false;
    complete_one();
    if (!entries_.empty() || closed_) work_arrived_.notify_one();
}

void StreamQueue::count(int change) {
    if (busy_queues_) busy_queues_->fetch_add(change, std::memory_order_seq_cst);
    is_counted_ = change > 0;
}

void StreamQueue::complete_one() {
    completed_.fetch_add(1, std::memory_order_release);
    if (waiters_) progress_.notify_all();
}

uint64_t StreamQueue::enqueue(CommandPtr command, Tickets waits, hipError_t* result) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!worker_started_) start_worker();
    entries_.push_back(Entry{std::move(command), std::move(waits), result});
    if (!is_counted_) count(1);
    uint64_t sequence = submitted_.fetch_add(1, std::memory_order_release) + 1;
    work_arrived_.notify_one();
    return sequence;
}

void StreamQueue::wait(uint64_t sequence) {
    if (done(sequence)) return;
    check(sequence);
    std::unique_lock<std::mutex> lock(mutex_);
    ++waiters_;
    wait_interruptibly(progress_, lock, [&] { return done(sequence); });
    --waiters_;
}

bool StreamQueue::wait_for(uint64_t sequence, std::chrono::milliseconds most) {
    if (done(sequence)) return true;
    check(sequence);
    std::unique_lock<std::mutex> lock(mutex_);
    ++waiters_;
    const bool is_done = progress_.wait_for(lock, most, [&] { return done(sequence); });
    --waiters_;
    return is_done;
}

void StreamQueue::close() {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    work_arrived_.notify_one();
}

void* StreamQueue::worker_main(void* queue) {
    std::unique_ptr<std::shared_ptr<StreamQueue>> self(static_cast<std::shared_ptr<StreamQueue>*>(queue));
    (*self)->work();
    return nullptr;
}

void StreamQueue::start_worker() {
    keep_library_loaded();  // the worker runs its code, even if the program unloads it
    auto self = std::make_unique<std::shared_ptr<StreamQueue>>(shared_from_this());
    pthread_t thread;
    if (!start_worker_thread(thread, worker_main, self.get())) throw std::bad_alloc();  // out of resources
    static_cast<void>(self.release());
    pthread_detach(thread);
    worker_started_ = true;
}

void StreamQueue::work() {
    pthread_setname_np(pthread_self(), "cuda_shim strm");
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
        work_arrived_.wait(lock, [&] { return closed_ ? !running_inline_ : (!entries_.empty() && !running_inline_); });
        if (entries_.empty()) return;
        Entry entry = std::move(entries_.front());
        entries_.pop_front();
        lock.unlock();
        for (const Ticket& ticket : entry.waits) ticket.wait();
        served() = this;
        hipError_t status = run_here(*entry.command);
        served() = nullptr;
        // Destroyed before the completion is seen: a waiting thread may then unload code that the command refers to.
        entry.command.reset();
        if (entry.result) {
            *entry.result = status;
        } else if (status != hipSuccess) {
            device_.report(status);
        }
        lock.lock();
        complete_one();
        if (entries_.empty()) count(-1);
    }
}

}  // namespace cuda_shim
