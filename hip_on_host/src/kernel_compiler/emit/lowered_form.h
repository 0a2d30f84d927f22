// The form that a kernel is lowered to: as it is written, or as loops over the threads of a block.
#pragma once
#include <map>
#include <string>

#include "kernel_compiler/read/line_map.h"
#include "kernel_compiler/syntax/program_syntax.h"
#include "kernel_compiler/read/translation_unit.h"
#include "kernel_compiler/analyse/word_reachability.h"

namespace cuda_shim {

struct LoweredForm {
    enum Kind {
        AsWritten,  // thread by thread; on fibres where it has barriers
        Loop,       // one loop over the block's threads
        Run,        // loops over the threads of all blocks of a run
        Split,      // a loop between every two barriers
    } kind = AsWritten;
    bool has_barriers = false;
    std::string text;    // the lowered function, named split_name(); empty for AsWritten
    std::string reason;  // why it is AsWritten, or a Loop whose own loops are left as they are; else empty
};

// A program's text and the syntax tree that Clang made of it. Where there is no Clang, the syntax is null, and
// waiting is judged by the words with which threads wait for each other.
struct ParsedProgram {
    const TranslationUnit& unit;
    const ProgramSyntax* syntax = nullptr;
    const WordReachability* synchronising = nullptr;
};

LoweredForm choose_lowered_form(const ParsedProgram& program, const FunctionDeclaration& kernel, const LineMap& lines);

// May the kernel's threads wait for each other?
bool has_barriers(const ParsedProgram& program, const FunctionDeclaration& kernel);

// May the kernel call a function that cannot be known: through a function pointer, a virtual method, or in another
// program?
bool has_open_calls(const ParsedProgram& program, const FunctionDeclaration& kernel);

// The program's text with device functions inlined into the kernels that call them, where that lets the kernels be
// split; empty where no call is inlined. `reasons`: by the kernel's name with its namespaces, why calls that wait are
// left in it.
std::string inline_device_calls(const ParsedProgram& program, const LineMap& lines,
                                std::map<std::string, std::string>& reasons);

// The name of the lowered function.
std::string split_name(const std::string& kernel);

}  // namespace cuda_shim
