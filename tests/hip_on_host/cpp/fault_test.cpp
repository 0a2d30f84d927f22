// Kernels that fault: the error, the process that lives on, and handlers that were there before.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>

#include "check.h"
#include "engine/context_switch.h"
#include "engine/thread_pool.h"
#include "kernels.h"

namespace {

int* volatile nowhere = reinterpret_cast<int*>(64);

void read_null(const CudaShimKernelRun*) { *nowhere = 1; }
#if defined(__x86_64__)
volatile int one = 1, zero = 0, quotient = 0;
__attribute__((no_sanitize("undefined"))) void divide_by_zero(const CudaShimKernelRun*) { quotient = one / zero; }
#endif
void illegal_instruction(const CudaShimKernelRun*) { __builtin_trap(); }
void assert_failed(const CudaShimKernelRun*) {
    cuda_shim::runtime_services().trap(CUDA_SHIM_TRAP_ASSERT, "file.cu:1: false");
}
void trap(const CudaShimKernelRun*) { cuda_shim::runtime_services().trap(CUDA_SHIM_TRAP_TRAP, "__trap()"); }

// Not a tail call, and a frame that matters: the compiler must not make a loop of it.
__attribute__((noinline)) int recurse(int depth) {
    volatile char frame[512];
    frame[depth % 512] = static_cast<char>(depth);
    return depth < 0 ? 0 : recurse(depth + 1) + frame[depth % 512];
}
void overflow_stack(const CudaShimKernelRun* run) {
    volatile int result = recurse(static_cast<int>(run->first_block));
    (void)result;
}

void check_fault(void (*body)(const CudaShimKernelRun*), hipError_t expected) {
    for (bool fibres : {false, true}) {
        for (uint32_t blocks : {1u, 64u}) {
            TestKernel kernel("faulty", body, fibres);
            CHECK(kernel.run({blocks, 1, 1}, {32, 1, 1}) == expected);
        }
    }
    std::atomic<int> sum{0};
    auto* address = &sum;
    void* args[] = {&address};
    TestKernel fine("fine", [](const CudaShimKernelRun* run) {
        *argument<std::atomic<int>*>(run, 0) += block_barrier(run, 1);
    }, true);
    CHECK(fine.run({8, 1, 1}, {32, 1, 1}, args) == hipSuccess);
    CHECK(sum == 8 * 32 * 32);
}

// The frame pointer of the protected call's caller, from the records that lead there.
void* outer_frame = nullptr;
void follow_frames(void*) {
    void** const own = static_cast<void**>(__builtin_frame_address(0));
    void** const call = static_cast<void**>(own[0]);
    outer_frame = call[0];
}

sigjmp_buf back;
void jump_back(int) { siglongjmp(back, 1); }

}  // namespace

CASE(a_bad_pointer_is_an_illegal_address) { check_fault(read_null, hipErrorIllegalAddress); }
CASE(an_illegal_instruction_is_a_launch_failure) { check_fault(illegal_instruction, hipErrorLaunchFailure); }
CASE(a_failed_assertion_is_told_as_such) { check_fault(assert_failed, hipErrorAssert); }
CASE(a_trap_is_a_launch_failure) { check_fault(trap, hipErrorLaunchFailure); }
CASE(a_stack_overflow_is_an_illegal_address) { check_fault(overflow_stack, hipErrorIllegalAddress); }
#if defined(__x86_64__)  // aarch64 answers 0 and goes on
CASE(an_integer_division_by_zero_goes_on) {
    check_fault(divide_by_zero, hipSuccess);
    CHECK(quotient == -1);
}
#endif

CASE(frames_lead_out_of_a_protected_call) {
    void* recovery = nullptr;
    CHECK(cuda_shim_call_recoverable(&recovery, follow_frames, nullptr) == 0);
    CHECK(outer_frame == __builtin_frame_address(0));
}

CASE(an_exception_on_a_fibre_is_a_launch_failure) {
    TestKernel kernel("throws", [](const CudaShimKernelRun*) { throw std::runtime_error("device"); }, true);
    CHECK(kernel.run({1, 1, 1}, {4, 1, 1}) == hipErrorLaunchFailure);
}

CASE(a_bus_error_is_an_illegal_address) {
    const long page = sysconf(_SC_PAGESIZE);
    FILE* file = tmpfile();
    CHECK(ftruncate(fileno(file), page) == 0);
    void* memory = mmap(nullptr, 2 * page, PROT_READ, MAP_SHARED, fileno(file), 0);
    char* beyond = static_cast<char*>(memory) + page;
    void* args[] = {&beyond};
    TestKernel kernel("bus", [](const CudaShimKernelRun* run) {
        volatile char got = *argument<volatile char*>(run, 0);
        (void)got;
    });
    CHECK(kernel.run({1, 1, 1}, {1, 1, 1}, args) == hipErrorIllegalAddress);
    munmap(memory, 2 * page);
    fclose(file);
}

CASE(faults_outside_kernels_go_to_the_handler_that_was_there) {
    struct sigaction action = {};
    action.sa_handler = jump_back;
    sigaction(SIGSEGV, &action, nullptr);
    TestKernel kernel("faulty", read_null);
    CHECK(kernel.run({1, 1, 1}, {1, 1, 1}) == hipErrorIllegalAddress);
    if (sigsetjmp(back, 1) == 0) {
        *nowhere = 1;
        CHECK(!"the fault was swallowed");
    }
}

CASE(a_stopped_block_releases_the_blocks_that_wait_for_it) {
    TestKernel kernel("grid", [](const CudaShimKernelRun* run) {
        if (run->first_block == 3) read_null(run);
        cuda_shim::runtime_services().grid_barrier(run->grid_scheduler, run->block_scheduler);
    }, true);
    CHECK(kernel.run({6, 1, 1}, {32, 1, 1}, nullptr, 0, true) == hipErrorIllegalAddress);
}
