// Commands that a stream runs and a graph node holds: kernel launches, copies, sets, host functions, events …
#pragma once
#include <cstddef>
#include <memory>

#include "abi/hip_types.h"
#include "engine/program_call.h"

namespace cuda_shim {

class Device;

// Copies and fills: about 20 microseconds of them;
constexpr size_t kCheapBytes = size_t{256} << 10;
// less than this, and waking the pool's threads costs more than they save;
constexpr size_t kParallelBytes = size_t{4} << 20;
// bytes that a thread of the pool takes at a time.
constexpr size_t kPieceBytes = size_t{1} << 20;

// Yes for the calls that may return only when their work is done.
enum class Wait { Yes, No };

// A command's entry in a profile; a command without a kind has none.
struct Activity {
    const char* kind = nullptr;  // "kernel", "copy", "fill", "host function"
    const char* name = "";       // of the kernel; of a copy, between which memories
    size_t bytes = 0;
};

class Command {
public:
    virtual ~Command() = default;

    // Does the work on the calling thread. Returns the error, lack of memory included; never throws.
    hipError_t run(Device& device) noexcept;

    // The type of graph node that this command becomes under stream capture.
    virtual hipGraphNodeType node_type() const = 0;

    // A copy that owns all of its arguments.
    virtual std::unique_ptr<Command> clone() const = 0;

    // Success if an instantiated graph that holds this command may hold another of the same type in its place.
    virtual hipGraphExecUpdateResult may_become(const Command& /*other*/) const { return hipGraphExecUpdateSuccess; }

    // True when running is expected to take less than about 20 microseconds: an idle stream then runs the
    // command on the calling thread, because waking a worker would cost more.
    virtual bool cheap() const { return false; }

    // Called once before the command outlives the API call that made it (queued or captured): copies data that the
    // caller only lent, such as kernel arguments. May throw std::bad_alloc.
    virtual void own_arguments() {}

    virtual Activity activity() const { return {}; }

    // The call of the program that made it.
    ProgramCall origin = current_call;

private:
    // The work; may throw, as for lack of memory.
    virtual hipError_t execute(Device& device) = 0;
};

using CommandPtr = std::unique_ptr<Command>;

}  // namespace cuda_shim
