#include "engine/program_call.h"

#include <pthread.h>

#include <deque>
#include <mutex>
#include <new>
#include <unordered_map>

namespace cuda_shim {

__attribute__((tls_model("initial-exec"))) thread_local ProgramCall current_call;

namespace {

struct Places {
    std::mutex mutex;
    std::deque<std::string> texts{""};
    std::unordered_map<std::string, uint32_t> numbers;
};

Places& places() {
    static auto* const all = new Places;
    return *all;
}

// The thread that held it may have stayed behind.
void renew_places_in_child() { new (&places().mutex) std::mutex; }

[[maybe_unused]] const int renew_places_registered = pthread_atfork(nullptr, nullptr, renew_places_in_child);

}  // namespace

uint32_t place_of_call(const std::string& text) {
    Places& all = places();
    std::lock_guard<std::mutex> lock(all.mutex);
    const auto [known, fresh] = all.numbers.try_emplace(text, static_cast<uint32_t>(all.texts.size()));
    if (fresh) all.texts.push_back(text);
    return known->second;
}

std::string describe_call(uint32_t place) {
    Places& all = places();
    std::lock_guard<std::mutex> lock(all.mutex);
    return place < all.texts.size() ? all.texts[place] : "";
}

}  // namespace cuda_shim
