#include "hip/graphs/graph_branches.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <new>

#include "engine/faults.h"
#include "engine/per_process.h"
#include "engine/thread_pool.h"
#include "engine/worker_thread.h"
#include "hip/activity.h"
#include "hip/streams/stream_queue.h"

namespace cuda_shim {
namespace {

constexpr std::chrono::seconds kIdleBeforeLeaving{5};

bool is_cheap(const GraphStep& step) { return step.command && (!step.enabled || step.command->cheap()); }

// One run of a program's steps. A thread that has finished a step goes on with one that waits for nothing any more,
// cheap ones first: the steps that follow them may be worth another thread.
class BranchRun : public std::enable_shared_from_this<BranchRun> {
public:
    BranchRun(const GraphProgram& program, const std::function<void(size_t)>& run, unsigned threads)
        : program_(program), run_(run), max_helpers_(threads - 1), remaining_(program.steps.size()) {
        // Reserves all the memory of the run: a thread must not run out of memory between steps.
        awaited_.reserve(program.steps.size());
        cheap_.reserve(program.steps.size());
        long_.reserve(program.steps.size());
        for (const GraphStep& step : program.steps) awaited_.push_back(step.dependencies.size());
        // The last ones are taken first: from the back, in the order in which one thread alone would run them.
        for (auto at = program.order.rbegin(); at != program.order.rend(); ++at)
            if (!awaited_[*at]) add(*at);
    }

    // Runs steps on the calling thread until all are done. A thread that comes later touches nothing but this.
    void take_part();
    // Runs steps on another thread than the one that launches the graph.
    void help();

private:
    void add(size_t step) { (is_cheap(program_.steps[step]) ? cheap_ : long_).push_back(step); }
    bool ready() const { return !cheap_.empty() || !long_.empty(); }
    size_t take() {
        std::vector<size_t>& from = cheap_.empty() ? long_ : cheap_;
        const size_t step = from.back();
        from.pop_back();
        return step;
    }
    void call_others();

    const GraphProgram& program_;
    const std::function<void(size_t)>& run_;
    const unsigned max_helpers_;
    // The stream queue and the call that the launching thread runs the graph for; helping threads take them over.
    const StreamQueue* const queue_ = StreamQueue::served();
    const RunningFor running_for_ = running_for();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<size_t> awaited_;       // per step, the number of steps that it waits for
    std::vector<size_t> cheap_, long_;  // steps that wait for nothing
    size_t remaining_;                  // steps that are not done
    unsigned helpers_ = 0, waiting_ = 0;
};

// Helping threads of this process; they end when no run has needed them for a while.
class Crew {
public:
    // False when no thread can come.
    bool call(const std::shared_ptr<BranchRun>& run);

private:
    static void* thread_main(void* crew);
    void serve();

    std::mutex mutex_;
    std::condition_variable called_;
    std::deque<std::shared_ptr<BranchRun>> calls_;
    size_t idle_ = 0;
};

bool Crew::call(const std::shared_ptr<BranchRun>& run) {
    try {
        std::lock_guard<std::mutex> lock(mutex_);
        if (idle_ <= calls_.size()) {
            keep_library_loaded();
            pthread_t thread;
            if (!start_worker_thread(thread, thread_main, this)) return false;
            pthread_detach(thread);
            ++idle_;
        }
        calls_.push_back(run);
        called_.notify_one();
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void Crew::serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (called_.wait_for(lock, kIdleBeforeLeaving, [&] { return !calls_.empty(); })) {
        std::shared_ptr<BranchRun> run = std::move(calls_.front());
        calls_.pop_front();
        --idle_;
        lock.unlock();
        run->help();
        run.reset();
        lock.lock();
        ++idle_;
    }
    --idle_;
}

void* Crew::thread_main(void* crew) {
    pthread_setname_np(pthread_self(), "cuda_shim grph");
    static_cast<Crew*>(crew)->serve();
    return nullptr;
}

// Steps that take long and that this thread does not get to are for others.
void BranchRun::call_others() {
    size_t spare = long_.size() + (cheap_.empty() ? 0 : 1);
    if (spare) --spare;  // this thread takes one itself
    if (waiting_ && spare) changed_.notify_one();
    if (spare > waiting_ && helpers_ < max_helpers_ && PerProcess<Crew>::instance().call(shared_from_this()))
        ++helpers_;
}

void BranchRun::take_part() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (remaining_) {
        if (!ready()) {
            ++waiting_;
            changed_.wait(lock, [&] { return ready() || !remaining_; });
            --waiting_;
            continue;
        }
        call_others();
        const size_t step = take();
        lock.unlock();
        run_(step);
        lock.lock();
        --remaining_;
        const std::vector<size_t>& followers = program_.followers[step];
        for (auto at = followers.rbegin(); at != followers.rend(); ++at)
            if (--awaited_[*at] == 0) add(*at);
    }
    changed_.notify_all();
}

void BranchRun::help() {
    StreamQueue::served() = queue_;
    running_for() = running_for_;
    take_part();
    running_for() = {};
    StreamQueue::served() = nullptr;
}

}  // namespace

bool may_run_branches(const GraphProgram& program) {
    // Kernels of two branches would each use as many cores as the stream may use in all.
    if (!program.branches || CoreLimit::current() || worker_count() == 1) return false;
    return !std::all_of(program.steps.begin(), program.steps.end(), is_cheap);
}

bool run_branches(const GraphProgram& program, const std::function<void(size_t)>& run) {
    try {
        const auto branches = std::make_shared<BranchRun>(program, run, worker_count());
        branches->take_part();
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace cuda_shim
