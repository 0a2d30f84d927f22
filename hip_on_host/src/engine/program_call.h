// The program's call that work comes from: the line of the program, and the number of the call. Set only by the code
// that serves the program's calls, where findings or profiles need it.
#pragma once
#include <cstdint>
#include <string>

namespace cuda_shim {

struct ProgramCall {
    uint32_t place = 0;   // from place_of_call(); 0: not known
    uint64_t number = 0;  // number of the call within its process
};

// The calling thread's current call: written before each call of the program, read by the work that the call starts.
extern __attribute__((tls_model("initial-exec"))) thread_local ProgramCall current_call;

// A number for a place of the program, the same one for the same text.
uint32_t place_of_call(const std::string& text);
// Its text, such as "prog.py:12 in main"; empty for 0.
std::string describe_call(uint32_t place);

}  // namespace cuda_shim
