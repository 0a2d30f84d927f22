// Launches from several host threads at once, each into a stream of its own, without the interpreter's lock.
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

using Launch = int (*)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned shared, void* stream, void** arguments, void** extra);
using Wait = int (*)(void* stream);

// `streams` and `arguments` have an entry for each thread. Returns HIP's first failure, or 0.
extern "C" int launch_from_threads(Launch launch, Wait wait, void* function, unsigned grid, unsigned block,
                                   void** streams, void*** arguments, size_t threads, size_t launches) {
    std::atomic<int> failure{0};
    const auto serve = [&](size_t thread) {
        int status = 0;
        for (size_t at = 0; at < launches && status == 0; ++at)
            status = launch(function, grid, 1, 1, block, 1, 1, 0, streams[thread], arguments[thread], nullptr);
        if (status == 0) status = wait(streams[thread]);
        int none = 0;
        if (status != 0) failure.compare_exchange_strong(none, status);
    };
    std::vector<std::thread> others;
    for (size_t thread = 1; thread < threads; ++thread) others.emplace_back(serve, thread);
    serve(0);
    for (std::thread& other : others) other.join();
    return failure;
}
