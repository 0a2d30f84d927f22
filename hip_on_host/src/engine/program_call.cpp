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
    static auto* const instance = new Places;
    return *instance;
}

// The thread that held it may have stayed behind.
void renew_places_in_child() { new (&places().mutex) std::mutex; }

[[maybe_unused]] const int renew_places_registered = pthread_atfork(nullptr, nullptr, renew_places_in_child);

}  // namespace

uint32_t place_of_call(const std::string& text) {
    Places& known_places = places();
    std::lock_guard<std::mutex> lock(known_places.mutex);
    const auto [entry, is_new] =
        known_places.numbers.try_emplace(text, static_cast<uint32_t>(known_places.texts.size()));
    if (is_new) known_places.texts.push_back(text);
    return entry->second;
}

std::string describe_call(uint32_t place) {
    Places& known_places = places();
    std::lock_guard<std::mutex> lock(known_places.mutex);
    return place < known_places.texts.size() ? known_places.texts[place] : "";
}

}  // namespace cuda_shim
