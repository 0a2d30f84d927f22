#include "kernel_compiler/refusals/module_limits.h"

#include <stdio.h>

#include <algorithm>

#include "common/module_imports.h"
#include "common/program_symbol.h"
#include "kernel_compiler/read/line_map.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr uint64_t kSharedBytes = 48 * 1024, kConstantBytes = 64 * 1024;
constexpr int kManyParameters = 12010;  // CUDA 12.1 raised the room for parameters, from Volta on
constexpr uint64_t kParameterBytes = 32764, kOldParameterBytes = 4096;

std::string hexadecimal(uint64_t number) {
    char text[24];
    snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
    return text;
}

// "program.cu(12)", where the kernel of this lowered name is declared.
std::string place_of(const ProgramSource& program, const TranslationUnit& unit, const std::string& lowered) {
    for (const FunctionDeclaration& function : unit.functions())
        if (function.kernel && lowered.find(function.name) != std::string::npos)
            return LineMap(unit.tokens(), program.name).line(function.parameters_open);
    return program.name;
}

uint64_t room_for_parameters(const CompileOptions& options) {
    return options.cuda >= kManyParameters && options.capability() >= 70 ? kParameterBytes : kOldParameterBytes;
}

std::string too_many_parameters(const ProgramSource& program, const CompileOptions& options,
                                const TranslationUnit& unit, const ModuleNames& names,
                                const std::vector<CudaShimSymbol>& table) {
    std::string text;
    const uint64_t room = room_for_parameters(options);
    for (size_t i = 0; i < table.size(); ++i)
        if (table[i].kind == CUDA_SHIM_SYMBOL_KERNEL && table[i].size > room)
            append(text, {place_of(program, unit, names.lowered[i]), ": Error: Formal parameter space overflowed (",
                          std::to_string(table[i].size), " bytes required, max ", std::to_string(room),
                          " bytes allowed) in function ", names.lowered[i], "\n"});
    return text;
}

// The assembler's messages about kernels and modules that have more shared or constant memory than a GPU.
std::string too_much_memory(const ModuleNames& names, const std::vector<CudaShimSymbol>& table) {
    uint64_t constant = 0;
    std::string text;
    for (size_t i = 0; i < table.size(); ++i) {
        if (table[i].kind == CUDA_SHIM_SYMBOL_CONSTANT_VARIABLE) constant += table[i].size;
        if (table[i].kind == CUDA_SHIM_SYMBOL_KERNEL && table[i].static_shared_bytes > kSharedBytes)
            append(text, {"ptxas error   : Entry function '", names.lowered[i], "' uses too much shared data (",
                          hexadecimal(table[i].static_shared_bytes), " bytes, ", hexadecimal(kSharedBytes), " max)\n"});
    }
    if (constant > kConstantBytes)
        append(text, {"ptxas error   : File uses too much global constant data (", hexadecimal(constant), " bytes, ",
                      hexadecimal(kConstantBytes), " max)\n"});
    return text;
}

bool is_variable(const TranslationUnit& unit, const std::string& symbol) {
    const auto& variables = unit.variables();
    return std::any_of(variables.begin(), variables.end(),
                       [&](const VariableDeclaration& variable) { return variable.name == symbol; });
}

std::string unresolved_name(const TranslationUnit& unit, const std::string& name) {
    return concat(
        {"ptxas fatal   : Unresolved extern ", is_variable(unit, name) ? "variable" : "function", " '", name, "'\n"});
}

}  // namespace

std::string refused_module(const ProgramSource& program, const CompileOptions& options, const TranslationUnit& unit,
                           const ModuleNames& names, const std::string& code) {
    if (runs_when_loaded(code.data(), code.size()))
        return concat({program.name, ": error: dynamic initialization is not supported for a __device__ variable\n"});
    const bool assembled = options.cuda && options.for_a_gpu() && !options.relocatable;
    if (assembled) {
        const std::vector<std::string> unresolved = refused_imports(code.data(), code.size());
        if (!unresolved.empty()) return unresolved_name(unit, std::string(name_in_program(unresolved.front())));
    }
    if (!options.cuda) return "";
    const std::vector<CudaShimSymbol> table = table_of_module(code, names.lowered.size());
    const std::string parameters = too_many_parameters(program, options, unit, names, table);
    return parameters.empty() && assembled ? too_much_memory(names, table) : parameters;
}

}  // namespace cuda_shim
