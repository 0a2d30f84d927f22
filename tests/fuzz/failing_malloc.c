// A malloc that fails on request, for the code of one library: loaded before the C library.
#include <stddef.h>
#include <stdint.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

static uintptr_t first, last;  // the addresses of the library's code
static long left = -1;         // requests that still succeed; negative: all do
static int goes_on;            // 1 if the requests after the failing one fail too
static long failed;

// From now on, the request number `after` out of this code fails, and those behind it if `on`. Returns how many did since
// the last call.
long fail_allocations(uintptr_t from, uintptr_t to, long after, int on) {
    __atomic_store_n(&left, -1, __ATOMIC_SEQ_CST);
    long before = __atomic_exchange_n(&failed, 0, __ATOMIC_SEQ_CST);
    first = from;
    last = to;
    goes_on = on;
    __atomic_store_n(&left, after, __ATOMIC_SEQ_CST);
    return before;
}

static int fails(void *caller) {
    uintptr_t at = (uintptr_t)caller;
    if (__atomic_load_n(&left, __ATOMIC_RELAXED) < 0 || at < first || at >= last) return 0;
    long now = __atomic_load_n(&left, __ATOMIC_SEQ_CST);
    while (now > 0 && !__atomic_compare_exchange_n(&left, &now, now - 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    if (now != 0) return 0;
    if (!goes_on) __atomic_store_n(&left, -1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&failed, 1, __ATOMIC_SEQ_CST);
    return 1;
}

void *malloc(size_t bytes) { return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes); }

void *calloc(size_t count, size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
}
