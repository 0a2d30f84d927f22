// The set of live objects of one kind, so that a stale or made-up handle is refused instead of followed.
#pragma once
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <unordered_set>
#include <vector>

#include "hip/contexts/owner.h"
#include "hip/fork.h"

namespace cuda_shim {

template <class Object>
class HandleTable final : public ForkParticipant {
public:
    HandleTable() : ForkParticipant(ForkRank::Handles) {}

    void add(const Object* object) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        live_.insert(object);
    }
    // Takes the objects that end away from their handles, as claim_handle does one.
    std::vector<std::unique_ptr<Object>> claim_owned(const Ending& ending) {
        std::vector<std::unique_ptr<Object>> claimed;
        std::unique_lock<std::shared_mutex> lock(mutex_);
        claimed.reserve(live_.size());
        for (auto entry = live_.begin(); entry != live_.end();) {
            if (!ending.covers((*entry)->owner.get())) {
                ++entry;
                continue;
            }
            claimed.emplace_back(const_cast<Object*>(*entry));
            entry = live_.erase(entry);
        }
        return claimed;
    }
    // False when it was not live: destroyed twice, or never made.
    bool remove(const Object* object) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        return live_.erase(object) != 0;
    }
    bool contains(const void* object) const {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        return live_.count(static_cast<const Object*>(object)) != 0;
    }
    // Visits every live object; the caller holds the lock, or is the only thread.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const Object* object : live_) visit(const_cast<Object&>(*object));
    }
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

    void before_fork() override { mutex_.lock(); }
    void after_fork_in_parent() override { mutex_.unlock(); }
    // A read-write lock cannot be unlocked by a child: it remembers the parent's thread.
    void after_fork_in_child() override { new (&mutex_) std::shared_mutex; }

private:
    mutable std::shared_mutex mutex_;
    std::unordered_set<const Object*> live_;
};

// Takes an object away from its handle, for its end: of several threads that ask for the same one, a single one gets
// it, and no lookup finds it from then on. Null if it is not a live object.
template <class Object>
std::unique_ptr<Object> claim_handle(const void* handle);

// One table for each kind of object; never destroyed, since handles are used while the process exits.
template <class Object>
HandleTable<Object>& live_handles() {
    static auto* const table = new HandleTable<Object>;
    return *table;
}

// The handle of an object that was created for the program: it ends with the calling thread's current context, unless
// it is destroyed before.
template <class Object>
auto publish_handle(std::unique_ptr<Object> object) {
    object->owner.set(current_owner());
    return object.release()->handle();
}

template <class Object>
std::unique_ptr<Object> claim_handle(const void* handle) {
    auto* object = static_cast<Object*>(const_cast<void*>(handle));
    return std::unique_ptr<Object>(live_handles<Object>().remove(object) ? object : nullptr);
}

}  // namespace cuda_shim
