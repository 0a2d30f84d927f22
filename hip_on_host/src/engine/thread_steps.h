// The steps of one thread that the settings name (CUDA_SHIM_CPU_DEBUG_THREAD): its reads and writes, with the values,
// and its waits, a line each in the log. Under a debugger it stops where the thread begins.
#pragma once
#include <cstdint>
#include <string>

#include "engine/kernel.h"

namespace cuda_shim {

class ThreadSteps {
public:
    // For blocks of `launch`.
    void prepare(const KernelLaunch& launch);
    void start_block(uint64_t block) { in_block_ = any_ && block == block_; }
    bool followed(unsigned thread) const { return in_block_ && thread == thread_; }

    void begin_thread(unsigned thread);
    void end_thread(unsigned thread);
    // A step without memory.
    void print(const std::string& text);
    // A step at `address`: a value that is read is printed at once, a value that is written at the next step.
    void print(const std::string& text, uintptr_t address, uint64_t bytes, bool writes);

private:
    void report(const std::string& text) const;
    void report_write();

    bool any_ = false;
    bool in_block_ = false;
    uint64_t block_ = 0;
    unsigned thread_ = 0;
    std::string who_;
    std::string pending_write_;  // the step whose value is not there yet
    uintptr_t pending_address_ = 0;
    uint64_t pending_bytes_ = 0;
};

}  // namespace cuda_shim
