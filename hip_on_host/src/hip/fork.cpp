#include "hip/fork.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "hip/handle_table.h"
#include "hip/streams/event.h"
#include "hip/streams/host_commands.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

struct Participants {
    std::mutex mutex;
    std::vector<ForkParticipant*> list;  // by rank
};

Participants& participants() {
    static auto* const instance = new Participants;
    return *instance;
}

void before_fork() {
    participants().mutex.lock();
    for (ForkParticipant* participant : participants().list) participant->before_fork();
}

void after_fork_in_parent() {
    auto& list = participants().list;
    for (auto place = list.rbegin(); place != list.rend(); ++place) (*place)->after_fork_in_parent();
    participants().mutex.unlock();
}

void after_fork_in_child() {
    auto& list = participants().list;
    for (auto place = list.rbegin(); place != list.rend(); ++place) (*place)->after_fork_in_child();
    participants().mutex.unlock();
    forget_running_calls();
    // The child drops the work that is pending in the parent's streams: the parent runs it.
    live_handles<Stream>().for_each([](Stream& stream) { stream.renew_after_fork(); });
    live_handles<Event>().for_each([](Event& event) { event.renew_after_fork(); });
}

}  // namespace

ForkParticipant::ForkParticipant(ForkRank rank) : rank_(rank) {
    std::lock_guard<std::mutex> lock(participants().mutex);
    auto& list = participants().list;
    auto place = std::find_if(list.begin(), list.end(), [&](ForkParticipant* other) { return other->rank() > rank; });
    list.insert(place, this);
}

ForkParticipant::~ForkParticipant() {
    std::lock_guard<std::mutex> lock(participants().mutex);
    auto& list = participants().list;
    list.erase(std::remove(list.begin(), list.end(), this), list.end());
}

void watch_forks() {
    // The tables that a child looks through are made now: in the child they would join the participants, whose lock
    // would then be taken behind the locks of tables.
    live_handles<Stream>();
    live_handles<Event>();
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

}  // namespace cuda_shim
