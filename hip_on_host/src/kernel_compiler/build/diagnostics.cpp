#include "kernel_compiler/build/diagnostics.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <algorithm>

#include "common/files.h"
#include "kernel_compiler/read/device_headers.h"
#include "kernel_compiler/read/directive_messages.h"
#include "kernel_compiler/prepare/leading_alignment.h"
#include "kernel_compiler/read/line_map.h"
#include "kernel_compiler/read/missing_headers.h"
#include "kernel_compiler/build/prelude_parts.h"
#include "kernel_compiler/build/process.h"
#include "kernel_compiler/string_utils.h"
#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {
namespace {

// "-DN=1" as a line; macros come behind the prelude, which must not meet them.
std::string as_directive(const std::string& macro) {
    const std::string body = macro.substr(2);
    if (macro[1] == 'U') return concat({"#undef ", body, "\n"});
    const size_t equals = body.find('=');
    if (equals == std::string::npos) return concat({"#define ", body, " 1\n"});
    return concat({"#define ", body.substr(0, equals), " ", body.substr(equals + 1), "\n"});
}

// A caller may put a macro in the place of a file's name, with the name behind it as a comment, and define the macro by
// an option. Where it stands for that very name, the line is shown as the program has it.
std::string with_names_as_written(std::string text, const std::vector<std::string>& macros) {
    for (const std::string& macro : macros) {
        const size_t equals = macro.find('=');
        if (macro[1] != 'D' || equals == std::string::npos) continue;
        const std::string value = macro.substr(equals + 1);
        replace_all(text, concat({macro.substr(2, equals - 2), " /* ", value, " */"}), value);
    }
    return text;
}

std::string before_program(const CompileOptions& options, const HostHeaders& host_headers) {
    std::string text =
        concat({"#include \"", device_headers().prelude, "\"\n#include \"", device_headers().ast_pass, "\"\n"});
    // Macros that NVRTC does not define; the host's own headers could not be read without them.
    if (options.cuda && !host_headers.any)
        for (const char* macro :
             {"__clang__",           "__clang_major__", "__clang_minor__", "__GNUC__",       "__GNUC_MINOR__",
              "__GNUC_PATCHLEVEL__", "__GNUG__",        "__x86_64__",      "__amd64__",      "__aarch64__",
              "__linux__",           "__linux",         "linux",           "__unix__",       "unix",
              "__SIZEOF_INT128__",   "__ELF__",         "__SIZE_TYPE__",   "__BYTE_ORDER__", "__VERSION__",
              "__cpp_pack_indexing"})
            append(text, {"#undef ", macro, "\n"});
    if (options.cuda && !host_headers.any) append(text, {"#include \"", device_headers().language_macros, "\"\n"});
    for (const std::string& macro : options.macros) text += as_directive(macro);
    for (const std::string& file : options.included_files) append(text, {"#include \"", file, "\"\n"});
    return text;
}

// A template's body is looked at when it is instantiated, which the name expressions do.
std::string behind_program(const std::vector<std::string>& name_expressions) {
    std::string text;
    for (size_t i = 0; i < name_expressions.size(); ++i) {
        const size_t begin = name_expressions[i].find_first_not_of(" \t&");
        const std::string expression = begin == std::string::npos ? "" : name_expressions[i].substr(begin);
        const bool cast = !expression.empty() && (expression[0] == '(' || starts_with(expression, "static_cast<"));
        append(text, {"\n#line 1 \"name expression ", escape_for_literal(name_expressions[i]), "\"\n"});
        append(text,
               {"static const auto cuda_shim_named_", std::to_string(i), " = ", cast ? "" : "&", expression, ";\n"});
    }
    return text;
}

// Takes out where our own headers were included from, which is nowhere in the program: "In file included from A," and
// the lines that go on with "from B".
std::string without_own_includes(const std::string& text) {
    std::string result, stack;
    for (size_t begin = 0; begin < text.size();) {
        size_t end = text.find('\n', begin);
        if (end == std::string::npos) end = text.size() - 1;
        const std::string line = text.substr(begin, end + 1 - begin);
        begin = end + 1;
        const bool opens = line.compare(0, 22, "In file included from ") == 0;
        const bool goes_on = !stack.empty() && line.compare(0, 22, "                 from ") == 0;
        if (!opens && !goes_on) {
            result += line;
            continue;
        }
        stack += line;
        if (line.size() > 2 && line[line.size() - 2] == ',') continue;
        if (stack.find("cuda_shim_before_program.h") == std::string::npos &&
            stack.find("<built-in>") == std::string::npos)
            result += stack;
        stack.clear();
    }
    return result + stack;
}

// The file gets the program's own name, so that messages show it, and lines of the file with them.
std::string file_name(const std::string& program_name) {
    std::string name = base_name(program_name);
    for (char& c : name)
        if (!isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') c = '_';
    return name.empty() || name[0] == '.' || name[0] == '-' ? "program" + name : name;
}

}  // namespace

void show_warnings(std::vector<std::string>& command) {
    command.erase(std::remove(command.begin(), command.end(), "-w"), command.end());
    add_words(command, {"-Wno-everything", "-Wunused-variable", "-Wunused-but-set-variable", "-Wunused-value",
                        "-Wunused-comparison", "-Wreturn-type", "-Wdivision-by-zero", "-Wshift-count-overflow",
                        "-Wshift-count-negative", "-Wconstant-conversion", "-Wliteral-conversion", "-Wuninitialized",
                        "-Wdeprecated-declarations", "-Warray-bounds", "-Wsometimes-uninitialized", "-Wempty-body",
                        "-Wformat", "-W#warnings", "-Wc++11-narrowing"});
}

void show_refused_forms(const CompileOptions& options, std::vector<std::string>& command) {
    const auto silent = std::find(command.begin(), command.end(), "-w");
    if (silent != command.end()) *silent = "-Wno-everything";
    add_words(command, {"-Wgnu-case-range", "-Wzero-length-array", "-Wc99-extensions", "-Wc99-designator",
                        "-Wgnu-designator", "-Wreorder-init-list", "-Wliteral-range", "-Wreturn-mismatch",
                        "-Wc++20-extensions", "-Wc++20-designator", "-Wc++23-extensions"});
    add_words(command, {options.older_standard.empty() ? "-Wregister" : "-Wpre-c++17-compat"});
    if (options.older_standard == "c++11" || options.older_standard == "c++03")
        add_words(command, {"-Wpre-c++14-compat"});
}

std::string warnings_about(const std::string& errors, const std::string& program_name, const std::string& source) {
    std::string warnings;
    bool in_program = false;
    for (size_t begin = 0; begin < errors.size();) {
        size_t end = errors.find('\n', begin);
        if (end == std::string::npos) end = errors.size() - 1;
        std::string line = errors.substr(begin, end + 1 - begin);
        begin = end + 1;
        const bool message =
            line.find(": warning: ") != std::string::npos || line.find(": note: ") != std::string::npos;
        if (message || line.find("warning generated.") != std::string::npos ||
            line.find("warnings generated.") != std::string::npos || starts_with(line, "In file included from "))
            in_program = message && (starts_with(line, program_name + ":") || starts_with(line, source + ":"));
        if (!in_program) continue;
        replace_all(line, source, program_name);
        warnings += line;
    }
    return warnings;
}

Diagnosis diagnose_program(const Compiler& compiler, const CompileOptions& options, const ProgramSource& program,
                           const std::vector<std::string>& name_expressions, const HostHeaders& host_headers,
                           const std::string& headers_folder, const std::string& scratch) {
    Diagnosis diagnosis;
    const std::string folder = scratch + "/original";
    const std::string before = folder + "/cuda_shim_before_program.h",
                      source = concat({folder, "/", file_name(program.name)});
    mkdir(folder.c_str(), 0700);
    const std::string text =
        with_leading_alignment(with_names_as_written(program.text, options.macros)) + behind_program(name_expressions);
    if (!write_file_atomically(before, before_program(options, host_headers)) || !write_file_atomically(source, text)) {
        diagnosis.text = concat({"cannot write into ", folder, ": ", strerror(errno), "\n"});
        return diagnosis;
    }
    std::vector<std::string> command = compiler.command;
    add_words(command, language_flags(compiler, options));
    add_words(command, check_flags(compiler, scratch));
    if (options.cuda && !host_headers.any) add_words(command, {"-nostdinc", "-nostdinc++"});
    if (host_headers.functions) add_words(command, {"-DCUDA_SHIM_STANDARD_HEADERS"});
    add_words(command, all_prelude_part_flags(program.text, options.cuda == 0));
    if (!options.warnings) add_words(command, {"-w"});
    add_words(command, options.passed_on);
    add_words(command, {"-include", before});
    if (!headers_folder.empty()) command.push_back("-I" + headers_folder);
    command.push_back("-I" + device_headers().cuda_headers);
    for (const std::string& include : options.include_folders) command.push_back("-I" + include);
    command.push_back("-I" + device_headers().preprocess_only);
    command.push_back("-I" + device_headers().libcudacxx);
    command.push_back(source);
    const ProcessResult result = run_process(command);
    diagnosis.accepted = result.exit_status == 0;
    diagnosis.text = without_own_includes(options.warnings ? result.errors : without_pragma_notes(result.errors));
    replace_all(diagnosis.text, source, program.name);
    if (!headers_folder.empty()) replace_all(diagnosis.text, headers_folder + "/", "");
    // Our own headers are named in notes (candidates, expansions of macros); their folder means nothing to a user.
    const std::string cuda_headers = device_headers().cuda_headers;
    replace_all(diagnosis.text, cuda_headers + "/../prelude/", "cuda_shim/");
    replace_all(diagnosis.text, cuda_headers + "/", "cuda_shim/");
    replace_all(diagnosis.text, device_headers().libcudacxx + "/", "cuda_shim/");
    replace_all(diagnosis.text, cuda_headers.substr(0, cuda_headers.rfind('/')) + "/prelude/", "cuda_shim/");
    if (!diagnosis.accepted && options.cuda)
        diagnosis.text = with_missing_header(diagnosis.text, program, !options.include_folders.empty());
    if (!diagnosis.accepted && diagnosis.text.empty())
        diagnosis.text = concat(
            {compiler.command[0], " ended with status ", std::to_string(result.exit_status), " and no message\n"});
    return diagnosis;
}

std::string diagnose_kernels(const std::string& text, const std::string& program_name) {
    const TranslationUnit unit(text);
    const TokenStream& tokens = unit.tokens();
    const LineMap lines(tokens, program_name);
    std::string errors;
    for (const FunctionDeclaration& function : unit.functions()) {
        if (!function.kernel) continue;
        bool returns_nothing = false;
        for (size_t i = function.first; i < function.parameters_open; ++i)
            returns_nothing = returns_nothing || tokens.is(i, "void") || tokens.is(i, "auto");
        if (!returns_nothing)
            append(errors, {lines.place(function.parameters_open - 1),
                            ": error: a __global__ function must have a void return type\n"});
    }
    return errors;
}

}  // namespace cuda_shim
