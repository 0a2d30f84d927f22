#include "hip/streams/host_commands.h"

#include <time.h>
#include <unistd.h>

#include <atomic>

#include "hip/api.h"
#include "hip/contexts/device.h"

extern "C" CUDA_SHIM_API hipError_t hipExtEndHostFunctions();

namespace cuda_shim {
namespace {

std::atomic<bool> program_ends{false};
std::atomic<int> calls_running{0};

// Around one call. When the call does not come back, because its thread is being taken away, neither does this.
class Call {
public:
    Call() { calls_running.fetch_add(1); }
    ~Call() {
        calls_running.fetch_sub(1);
        while (!returned) pause();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    bool returned = false;
};

void end_host_functions() {
    constexpr int kMaxWaits = 1000;
    constexpr timespec kWait{0, 1'000'000};
    program_ends.store(true);
    for (int waits = 0; calls_running.load() && waits < kMaxWaits; ++waits) nanosleep(&kWait, nullptr);
}

}  // namespace

void forget_running_calls() { calls_running.store(0); }

__attribute__((noinline)) void call_program(void (*call)(void* data), void* data) {
    Call running;
    if (!program_ends.load()) call(data);
    running.returned = true;
}

hipError_t CallbackCommand::execute(Device& device) {
    struct Due {
        CallbackCommand& command;
        hipError_t status;
    } due{*this, device.sticky_error()};
    call_program(
        [](void* argument) {
            const Due& call = *static_cast<Due*>(argument);
            call.command.callback_(call.command.stream_, call.status, call.command.data_);
        },
        &due);
    return hipSuccess;
}

}  // namespace cuda_shim

using namespace cuda_shim;

// An extension of this runtime, for interpreters that end: no function of the program is called any more, and running
// calls are waited for, a second at most.
hipError_t hipExtEndHostFunctions() {
    return api(__func__, [] {
        end_host_functions();
        return hipSuccess;
    });
}
