// Which call of the program work comes from: the line of the program, and the number of the call. Set by
// what serves the program, where findings or profiles need it, and by nothing else.
#pragma once
#include <cstdint>
#include <string>

namespace cuda_shim {

struct ProgramCall {
    uint32_t place = 0;   // of place_of_call(); 0: not known
    uint64_t number = 0;  // of the call within its process
};

// Of the calling thread: written before each call of the program, read by what the call makes.
extern __attribute__((tls_model("initial-exec"))) thread_local ProgramCall current_call;

// A number for a place of the program, the same one for the same text.
uint32_t place_of_call(const std::string& text);
// Its text, such as "prog.py:12 in main"; empty for 0.
std::string describe_call(uint32_t place);

}  // namespace cuda_shim
