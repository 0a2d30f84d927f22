// The lines that `#warning` and `#pragma message` write into a program's log, in NVRTC's words.
#pragma once
#include <string>

namespace cuda_shim {

struct DirectiveMessages {
    std::string warnings;  // messages of #warning, which -w silences
    std::string remarks;   // messages of #pragma message, which stay
};

// Reads the messages of a preprocessor's run: `errors` has the warnings, and `expanded` keeps the pragmas, with their
// macros expanded. `program_name`: the name of the file before the first line marker. `headers_folder`: where headers
// given to hiprtcCreateProgram are; messages have the name that the program uses.
DirectiveMessages read_directive_messages(const std::string& errors, const std::string& expanded_text,
                                          const std::string& program_name, const std::string& headers_folder);

// A compiler's messages about a program without its notes of `#pragma message`, which GCC writes under any options.
std::string without_pragma_notes(const std::string& errors);

}  // namespace cuda_shim
