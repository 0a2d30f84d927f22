#include "hip/modules/loader.h"

#include <dlfcn.h>

#include <mutex>
#include <new>

#include "hip/fork.h"

namespace cuda_shim {
namespace {

class Loader final : public ForkParticipant {
public:
    Loader() : ForkParticipant(ForkRank::Loader) {}
    // Never destroyed: modules are closed when the process ends, too.
    static Loader& get() {
        static auto* const loader = new Loader;
        return *loader;
    }
    // A library's constructors may load another one.
    std::recursive_mutex& mutex() { return mutex_; }

    void before_fork() override { mutex_.lock(); }
    void after_fork_in_parent() override { mutex_.unlock(); }
    // The owner is written into a recursive mutex as a number that the child does not have.
    void after_fork_in_child() override { new (&mutex_) std::recursive_mutex; }

private:
    std::recursive_mutex mutex_;
};

}  // namespace

void* open_library(const std::string& path, int flags) {
    const std::lock_guard<std::recursive_mutex> lock(Loader::get().mutex());
    return dlopen(path.c_str(), flags);
}

void close_library(void* library) {
    const std::lock_guard<std::recursive_mutex> lock(Loader::get().mutex());
    dlclose(library);
}

}  // namespace cuda_shim
