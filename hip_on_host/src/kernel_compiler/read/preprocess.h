// Expanding a program's own macros, includes and conditions with the compiler's preprocessor, so that the text that is
// split afterwards is plain C++. The prelude's names (threadIdx, __syncthreads, ...) are left as they are.
#pragma once
#include <string>

#include "kernel_compiler/build/compiler.h"
#include "kernel_compiler/read/directive_messages.h"
#include "kernel_compiler/read/includes.h"

namespace cuda_shim {

struct ProgramSource {
    std::string name;  // for messages and __FILE__
    std::string text;
    HeaderList headers;  // as given to hiprtcCreateProgram
};

// Writes the program's own headers below `folder` and returns that folder; empty when a header's name would lead out of
// it or it cannot be written.
std::string write_headers(const HeaderList& headers, const std::string& folder);

// The expanded text, with line markers; empty when the preprocessor refuses the program (a missing header, #error):
// compiling the original says why. `messages`: of the directives that it reached.
std::string expand_macros(const Compiler& compiler, const CompileOptions& options, const ProgramSource& program,
                          const IncludeClosure& includes, const std::string& headers_folder, const std::string& scratch,
                          DirectiveMessages& messages);

// The headers that expanded text includes still, which is fewer than the program's text names where conditions choose.
std::set<std::string> included_from_outside(const std::string& expanded_text);

// In expanded text a header that was left alone is a pragma of this name, to be turned back into an #include.
extern const char kIncludePragma[];

// The package on PyPI that has a header of CUDA's which is not here; empty where none is known.
const char* package_of(const std::string& name);

// "text" as the inside of a C string literal.
std::string escape_for_literal(const std::string& text);

}  // namespace cuda_shim
