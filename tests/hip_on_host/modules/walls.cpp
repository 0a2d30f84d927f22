// A module with one part that no module may have, which WALL chooses: it would write to the process's output while it
// is loaded or unloaded.
#include "module.h"

extern "C" int puts(const char*);

namespace {
[[maybe_unused]] void tell() { puts("REACHED"); }
void set_one(const CudaShimKernelRun* run) { *argument<int*>(run, 0) = 1; }
}  // namespace

#define CONSTRUCTOR 1
#define DESTRUCTOR 2
#define INIT 3
#define FINI 4
#define RESOLVER 5
#define SECTION 6
#define SYMBOL 7
#define LINKER 8
#define OBJECT 9
#define IMPORT 10

#if WALL == CONSTRUCTOR
__attribute__((constructor)) static void start() { tell(); }
#elif WALL == DESTRUCTOR
__attribute__((destructor)) static void end() { tell(); }
#elif WALL == INIT
extern "C" __attribute__((visibility("hidden"), used)) void _init() { tell(); }
#elif WALL == FINI
extern "C" __attribute__((visibility("hidden"), used)) void _fini() { tell(); }
#elif WALL == RESOLVER
static int one() { return 1; }
extern "C" int (*choose())() {
    tell();
    return one;
}
int chosen() __attribute__((ifunc("choose"), visibility("hidden")));
int (*volatile pointer)() = chosen;
#elif WALL == SECTION
__attribute__((section("elsewhere"), used)) int placed = 1;
#elif WALL == SYMBOL
extern "C" __attribute__((visibility("hidden"), used)) void* memcpy(void* to, const void*, unsigned long) { return to; }
#elif WALL == LINKER
extern "C" __attribute__((visibility("hidden"), used)) int __libc_single_threaded = 1;
#elif WALL == OBJECT
struct Told {
    Told() { tell(); }
} told;
#elif WALL == IMPORT
extern "C" char* getenv(const char*);
char* (*volatile lookup)(const char*) = getenv;
#endif

MODULE(kernel<int*>("set_one", set_one))
