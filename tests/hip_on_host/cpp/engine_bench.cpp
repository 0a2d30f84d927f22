// Figures of the engine alone: an empty launch, a fibre's barrier, a warp exchange. Not a test; run by hand.
#include <chrono>
#include <cstdlib>
#include <vector>

#include "check.h"
#include "kernels.h"

namespace {

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void empty(const CudaShimKernelRun*) {}

constexpr int kBarriers = 200;
void barriers(const CudaShimKernelRun* run) {
    for (int i = 0; i < kBarriers; i++) block_barrier(run);
}

void exchanges(const CudaShimKernelRun* run) {
    for_each_thread(run, [&](uint32_t thread, uint64_t) {
        uint64_t active;
        for (int i = 0; i < kBarriers; i++) {
            cuda_shim::runtime_services().warp_exchange(run->block_scheduler, thread, thread, 0xffffffff, &active);
        }
    });
}

void saxpy(const CudaShimKernelRun* run) {
    const float a = argument<float>(run, 0);
    const float* x = argument<float*>(run, 1);
    float* y = argument<float*>(run, 2);
    for (uint64_t block = run->first_block; block < run->last_block; block++) {
        for (uint32_t t = run->thread_lo[0]; t < run->thread_hi[0]; t++) {
            const uint64_t i = block * run->block[0] + t;
            y[i] = a * x[i] + y[i];
        }
    }
}

template <class Launch>
double best_of(int rounds, Launch&& launch) {
    double best = 1e9;
    for (int i = 0; i < rounds; i++) {
        const double start = seconds();
        launch();
        const double took = seconds() - start;
        if (took < best) best = took;
    }
    return best;
}

}  // namespace

int main() {
    TestKernel nothing("empty", empty);
    const double launch = best_of(20, [&] { for (int i = 0; i < 10000; i++) nothing.run({1, 1, 1}, {32, 1, 1}); });
    std::printf("empty launch: %.0f ns\n", launch / 10000 * 1e9);
    for (unsigned threads : {32u, 256u, 1024u}) {
        TestKernel barrier("barriers", barriers, true), exchange("exchanges", exchanges, true);
        const double one = best_of(20, [&] { barrier.run({1, 1, 1}, {threads, 1, 1}); });
        std::printf("barrier, %4u threads: %.1f ns a thread\n", threads, one / threads / kBarriers * 1e9);
        const double other = best_of(20, [&] { exchange.run({1, 1, 1}, {threads, 1, 1}); });
        std::printf("exchange, %4u threads: %.1f ns a thread\n", threads, other / threads / kBarriers * 1e9);
    }
    const uint64_t n = 16u << 20;
    std::vector<float> x(n, 1.f), y(n, 2.f);
    float a = 2.f, *px = x.data(), *py = y.data();
    void* args[] = {&a, &px, &py};
    TestKernel sax("saxpy", saxpy);
    const double took = best_of(20, [&] { sax.run({static_cast<uint32_t>(n / 256), 1, 1}, {256, 1, 1}, args); });
    std::printf("saxpy of %lu: %.2f ms\n", static_cast<unsigned long>(n), took * 1e3);
    const double small = best_of(20, [&] { for (int i = 0; i < 200; i++) sax.run({256, 1, 1}, {256, 1, 1}, args); });
    std::printf("saxpy of 65536 x 200: %.2f ms\n", small * 1e3);
}
