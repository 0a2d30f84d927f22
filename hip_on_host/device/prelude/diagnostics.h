// printf, assert and traps from device code.
#pragma once

#ifndef CUDA_SHIM_STANDARD_HEADERS
#ifdef CUDA_SHIM_CUDA
static inline bool cuda_shim_is_among(char c, const char* characters) {
    while (*characters && *characters != c) ++characters;
    return c && *characters;
}
static inline int cuda_shim_arguments_of(const char* format) {
    int count = 0;
    while (*format) {
        if (*format++ != '%') continue;
        int stars = 0;
        for (; cuda_shim_is_among(*format, "-+ #0123456789.*hlLjzt"); ++format) stars += *format == '*';
        if (cuda_shim_is_among(*format, "diouxXeEfFgGaAcsp")) count += stars + 1;
        if (*format) ++format;
    }
    return count;
}
// CUDA's printf returns how many arguments its format takes, and C's how many characters it wrote. Under a name of its own
// compilers do not take it for C's, and it is left out of modules that do not print.
extern "C" int printf(const char* format, ...) __asm__("cuda_shim_printf");
extern "C" __attribute__((noinline, cold)) inline int printf(const char* format, ...) {
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    __builtin_vprintf(format, arguments);
    __builtin_va_end(arguments);
    return cuda_shim_arguments_of(format);
}
#else
extern "C" int printf(const char* format, ...);
#endif
#endif

// Not inlined, so that they are attributed to the line that calls them.
#define CUDA_SHIM_STOPPING static __attribute__((noinline, cold, unused))
CUDA_SHIM_STOPPING void __trap() { cuda_shim_services->trap(CUDA_SHIM_TRAP_TRAP, "__trap()"); }
CUDA_SHIM_STOPPING void __brkpt(int = 0) { cuda_shim_services->trap(CUDA_SHIM_TRAP_TRAP, "__brkpt()"); }
#if !defined(CUDA_SHIM_STANDARD_HEADERS) && !defined(CUDA_SHIM_CUDA)
CUDA_SHIM_STOPPING void abort() { cuda_shim_services->trap(CUDA_SHIM_TRAP_ABORT, "abort()"); }
#endif

// One line in CUDA's own words, then the launch fails with an assertion. Not inlined: kernels with assertions would
// otherwise carry the message's code into their loops.
static __attribute__((noinline, cold)) void cuda_shim_assert_failed(const char* expression, const char* file, int line,
                                                                    const char* function, uint3 block, uint3 thread) {
    char message[1024];
    __builtin_snprintf(message, sizeof message, "%s:%d: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.", file,
             line, function, block.x, block.y, block.z, thread.x, thread.y, thread.z, expression);
    cuda_shim_services->trap(CUDA_SHIM_TRAP_ASSERT, message);
}
#ifdef CUDA_SHIM_CUDA
// NVIDIA's assert calls this function, and some programs declare it themselves.
extern "C" __attribute__((weak, visibility("hidden"), cold)) void cuda_shim_assertfail(const char* expression, const char* file,
                                                                                       unsigned int line, const char* function,
                                                                                       size_t) __asm__("program.__assertfail");
extern "C" void cuda_shim_assertfail(const char* expression, const char* file, unsigned int line, const char* function, size_t) {
    cuda_shim_assert_failed(expression, file, (int)line, function, cuda_shim_block_index, cuda_shim_thread_index);
}
#endif
// The name of the function that runs: the thread loops that hiprtc writes are lambdas inside functions of other names,
// and hide this variable by one that has the kernel's name.
static constexpr char cuda_shim_function[] = "";
#define CUDA_SHIM_FUNCTION (cuda_shim_function[0] ? cuda_shim_function : __func__)
// `text` is the expression as the program has it, in which threadIdx and its like are not expanded.
#define CUDA_SHIM_ASSERT(expression, text)                                                                          \
    ((expression) ? (void)0                                                                                         \
                  : cuda_shim_assert_failed(text, __FILE__, __LINE__, CUDA_SHIM_FUNCTION,                           \
                                            cuda_shim_index{blockIdx.x, blockIdx.y, blockIdx.z},                    \
                                            cuda_shim_index{threadIdx.x, threadIdx.y, threadIdx.z}))
#undef assert
#ifdef NDEBUG
#define assert(expression) ((void)0)
#else
#define assert(expression) CUDA_SHIM_ASSERT(expression, #expression)
#endif
