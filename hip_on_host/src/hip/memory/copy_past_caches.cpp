#include "hip/memory/copy_past_caches.h"

#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cuda_shim {
namespace {

#ifdef __SSE2__
constexpr size_t kLine = 64, kPage = 4096, kPagesAtOnce = 4, kPrefetchBytes = 512;
constexpr size_t kGroup = kPage * kPagesAtOnce;

void copy_line(char* dst, const char* src) {
    const auto* from = reinterpret_cast<const __m128i*>(src);
    auto* to = reinterpret_cast<__m128i*>(dst);
    const __m128i first = _mm_loadu_si128(from), second = _mm_loadu_si128(from + 1);
    const __m128i third = _mm_loadu_si128(from + 2), fourth = _mm_loadu_si128(from + 3);
    _mm_stream_si128(to, first);
    _mm_stream_si128(to + 1, second);
    _mm_stream_si128(to + 2, third);
    _mm_stream_si128(to + 3, fourth);
}

// Several pages in turn keep several banks of the memory busy.
void copy_group(char* dst, const char* src) {
    for (size_t line = 0; line < kPage; line += kLine) {
        for (size_t page = 0; page < kGroup; page += kPage) {
            _mm_prefetch(src + page + line + kPrefetchBytes, _MM_HINT_T0);
            copy_line(dst + page + line, src + page + line);
        }
    }
}
#endif

// At most 64 MiB: other machines of the same host may use the cache, too.
size_t measure_caches() {
    constexpr size_t kLeast = size_t{8} << 20, kMost = size_t{64} << 20;
#ifdef _SC_LEVEL3_CACHE_SIZE
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#else
    const long cache = 0;
#endif
    return cache > 0 ? std::clamp(static_cast<size_t>(cache) / 4 * 3, kLeast, kMost) : kMost;
}

}  // namespace

size_t bytes_beyond_caches() {
    static std::atomic<size_t> known{0};  // the system is asked once, or by several threads with the same answer
    size_t bytes = known.load(std::memory_order_relaxed);
    if (bytes == 0) known.store(bytes = measure_caches(), std::memory_order_relaxed);
    return bytes;
}

void copy_past_caches(char* dst, const char* src, size_t bytes) {
#ifdef __SSE2__
    const size_t before = std::min<size_t>(bytes, -reinterpret_cast<uintptr_t>(dst) % kLine);
    memcpy(dst, src, before);
    size_t done = before;
    for (; bytes - done >= kGroup; done += kGroup) copy_group(dst + done, src + done);
    for (; bytes - done >= kLine; done += kLine) copy_line(dst + done, src + done);
    _mm_sfence();  // before the copy counts as done
    memcpy(dst + done, src + done, bytes - done);
#else
    memcpy(dst, src, bytes);
#endif
}

}  // namespace cuda_shim
