// Keeps the runtime usable across fork(). The child has the memory and the handles of its parent but none of its
// threads: locks are taken before, so that nothing is half-changed, and renewed after, since the thread that holds them
// has another identity in the child.
#pragma once

namespace cuda_shim {

// The order in which locks are taken; nothing that holds a later one may wait for an earlier one.
enum class ForkRank { Device, TextureReferences, PoolPlaces, Handles, Pool, Registry, Space, Loader };

class ForkParticipant {
public:
    explicit ForkParticipant(ForkRank rank);
    virtual ~ForkParticipant();
    ForkParticipant(const ForkParticipant&) = delete;
    ForkParticipant& operator=(const ForkParticipant&) = delete;

    ForkRank rank() const { return rank_; }
    virtual void before_fork() = 0;
    virtual void after_fork_in_parent() = 0;
    virtual void after_fork_in_child() = 0;

private:
    ForkRank rank_;
};

// Called once, when the runtime starts.
void watch_forks();

}  // namespace cuda_shim
