// The machine's C++ compiler: finding one, knowing its kind, and the flags that make kernels of it.
#pragma once
#include <string>
#include <vector>

#include "kernel_compiler/read/options.h"

namespace cuda_shim {

struct Compiler {
    enum Kind { Clang, Gcc, Zig } kind = Gcc;
    std::vector<std::string> command;  // command[0] is a path; more words for zig ("zig c++")
    std::string identity;              // changes when the compiler does: part of the cache's keys
    std::string problem;               // why there is none, for the program's log

    bool is_available() const { return !command.empty(); }
    // zig's own driver, which has ways around Clang's: a cache, a linker, libraries that it builds.
    bool is_zig_driver() const { return kind == Zig && !(command.size() > 1 && command[1] == "clang"); }
};

// The first of: the setting CUDA_SHIM_CPU_CXX, $CXX, clang++ (17 or later), zig, g++, c++. Looked for once a process.
const Compiler& kernel_compiler();

// The Clang that reads programs and prints their syntax trees: the kernel compiler itself, or the Clang inside of zig
// without zig's own ways around it; for other compilers, the setting CUDA_SHIM_CPU_CLANG or a Clang found beside them.
// `problem` says that there is none.
const Compiler& syntax_compiler();
// The compiler of generated texts: the Clang inside of zig where the kernel compiler is zig without options of its own,
// since zig's driver takes no precompiled prelude and keeps a copy of every object; else the kernel compiler.
const Compiler& object_compiler();
// The compiler's command for programs that include C++'s standard headers.
std::vector<std::string> command_with_standard_headers(const Compiler& compiler);

// Whether its vectoriser misreads indices that wrap: tables/compilers.yaml has the releases.
bool misreads_wrapped_indices(const Compiler& kernel_compiler);

// Flags for compiling a kernel module, without include folders, inputs and output.
std::vector<std::string> kernel_flags(const Compiler& compiler, const CompileOptions& options);
// Flags for linking a module out of an object file.
std::vector<std::string> link_flags();
// Libraries that every module is linked with, named after its object file.
const std::vector<std::string>& support_libraries();
// The command that links objects into a module.
std::vector<std::string> link_command(const Compiler& compiler, const std::vector<std::string>& objects,
                                      const std::string& module);
// The flags that decide which C++ is read: for the preprocessor pass and for diagnostics.
std::vector<std::string> language_flags(const Compiler& compiler, const CompileOptions& options);

// Flags for asking whether a program is right, without making anything of it. zig's driver looks for the object file
// all the same, after it has built its libraries for linking, and fails on right programs: there one is made in the
// folder `scratch`.
std::vector<std::string> check_flags(const Compiler& compiler, const std::string& scratch);

// A string that identifies this machine's instruction set, since modules are compiled for it alone.
const std::string& processor_identity();

}  // namespace cuda_shim
