// Running a compiler: no shell, no inherited signals or preloads, safe from many threads at once.
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
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

// Throws Interrupted if the program was interrupted since an InterruptListener around began: for long work in this
// process.
void stop_if_interrupted();

// Ends the process by an interrupt that it does not handle, once nothing of the compilation is left.
void end_if_interrupts_do();

// The time of a steady clock.
int64_t milliseconds_now();

// The folder for temporary files of the compilers that this thread runs, "" where it is the system's: files of a
// compiler that crashed, or was stopped, go with the folder. Returns the one that was set before.
std::string set_compiler_temporaries(std::string folder);

// command[0] (a path) with its arguments while it runs: its standard output is taken as it comes. Throws Interrupted;
// the compiler, and the processes that it started, have ended then, as when the object goes away before its end.
class RunningProcess {
public:
    // `takes_long` is called when the process has taken two seconds.
    explicit RunningProcess(const std::vector<std::string>& command, std::function<void()> takes_long = nullptr);
    ~RunningProcess();
    RunningProcess(const RunningProcess&) = delete;
    RunningProcess& operator=(const RunningProcess&) = delete;

    // Waits for output and puts it behind `text`; false when there will be none.
    bool read_more(std::string& text);
    // Waits for its end. Output that was not read is in the result.
    ProcessResult finish();

private:
    struct State;
    const std::unique_ptr<State> state_;
};

// Runs a command and waits for its end.
ProcessResult run_process(const std::vector<std::string>& command, const std::function<void()>& takes_long = nullptr);

}  // namespace cuda_shim
