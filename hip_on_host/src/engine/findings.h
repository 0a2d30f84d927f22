// Errors found in checked kernels: reported in the log, as JSON where the settings name a place for that, and counted
// for the exit status of the process.
#pragma once
#include <cstdint>
#include <string>

#include "abi/hip_types.h"
#include "engine/kernel.h"

namespace cuda_shim {

// Fields that are empty, or below 0, are not known. Their names in JSON are documented (docs/checked.md).
struct Finding {
    const char* kind = "fault";
    std::string message;  // as the log has it
    std::string kernel;
    int64_t block[3] = {-1, -1, -1};
    int64_t thread[3] = {-1, -1, -1};
    std::string place;     // "kernel.cu:7"
    uint64_t address = 0;  // of memory, 0 where there is none to report
    uint64_t bytes = 0;    // that were accessed, or leaked
    uint32_t call = 0;     // of the program: place_of_call()
    hipError_t error = hipSuccess;
    int device = 0;
};

// Counts it, and writes its line of JSON. The log has been written.
void report_finding(const Finding& finding);

// Lets the process end with the exit status of the settings when there were findings, here or in forked children.
// `last_checks` is called first, as the process ends. Once, as the runtime starts in checked mode.
void watch_exit(void (*last_checks)());

}  // namespace cuda_shim
