// Running a compiler: no shell, no inherited signals or preloads, safe from many threads at once.
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace cuda_shim {

struct ProcessResult {
    int exit_status = -1;  // as exit() gave it; 128 + the signal's number when one ended it; -1: could not be started
    std::string output;    // standard output, or both when joined
    std::string errors;
};

// The program was interrupted while it compiled; no compiler runs any more.
class Interrupted : public std::exception {
public:
    const char* what() const noexcept override { return "interrupted while compiling"; }
};

// Throws Interrupted if the program was since an InterruptListener around began: for what takes long in this process.
void stop_if_interrupted();

// Where nobody handles an interrupt: ends the process by it, once nothing of the compilation is left.
void end_if_interrupts_do();

// Of a steady clock.
int64_t milliseconds_now();

// Runs command[0] (a path) with its arguments and waits for it. A function is called when it has taken two seconds.
// Throws Interrupted; the compiler, and what it started, has ended then.
ProcessResult run_process(const std::vector<std::string>& command, const std::function<void()>& takes_long = nullptr);

}  // namespace cuda_shim
