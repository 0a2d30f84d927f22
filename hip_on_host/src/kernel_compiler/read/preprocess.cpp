#include "kernel_compiler/read/preprocess.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/files.h"
#include "common/log.h"
#include "kernel_compiler/read/device_headers.h"
#include "kernel_compiler/read/lexer.h"
#include "kernel_compiler/build/process.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {

const char kIncludePragma[] = "cuda_shim_include";

namespace {

bool stays_inside(const std::string& name) {
    if (name.empty() || name[0] == '/') return false;
    for (size_t begin = 0; begin <= name.size();) {
        size_t end = name.find('/', begin);
        if (end == std::string::npos) end = name.size();
        const std::string part = name.substr(begin, end - begin);
        if (part.empty() || part == "." || part == "..") return false;
        begin = end + 1;
    }
    return true;
}

bool write_below(const std::string& folder, const std::string& name, const std::string& contents) {
    if (!stays_inside(name)) return false;
    for (size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
        mkdir(concat({folder, "/", name.substr(0, slash)}).c_str(), 0700);
    return write_file_atomically(concat({folder, "/", name}), contents);
}

// The path of a header that stands for one of CUDA's; empty for others.
std::string cuda_header_path(const std::string& name) {
    for (const std::string& folder : {device_headers().cuda_headers, device_headers().libcudacxx}) {
        const std::string path = concat({folder, "/", name});
        if (access(path.c_str(), R_OK) == 0) return path;
    }
    return "";
}

// The macros of a header that stands for one of CUDA's, those without parameters: the program's own conditions may ask
// for them.
std::string macros_of(const std::string& path) {
    std::string text, lines;
    if (!read_file(path, text)) return "";
    const TokenStream tokens(text);
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].kind != Token::Directive || !starts_with(std::string(tokens.text(i)), "#define ")) continue;
        const std::string_view line = tokens.text(i);
        const size_t end = line.find_first_of(" (", 8);
        if (end == std::string_view::npos || line[end] == ' ') append(lines, {std::string(line), "\n"});
    }
    return lines;
}

}  // namespace

const char* package_of(const std::string& name) {
    static const struct {
        const char *beginning, *package;
    } packages[] = {
        {"cuda/", "nvidia-cuda-cccl"}, {"cub/", "nvidia-cuda-cccl"},          {"thrust/", "nvidia-cuda-cccl"},
        {"nv/", "nvidia-cuda-cccl"},   {"curand", "nvidia-curand"},           {"cutlass/", "nvidia-cutlass"},
        {"cute/", "nvidia-cutlass"},   {"cufftdx.", "nvidia-libmathdx-cu12"}, {"cublasdx.", "nvidia-libmathdx-cu12"}};
    for (const auto& package : packages)
        if (starts_with(name, package.beginning)) return package.package;
    return "";
}

std::set<std::string> included_from_outside(const std::string& expanded_text) {
    std::set<std::string> names;
    const std::string pragma = concat({"#pragma ", kIncludePragma, " <"});
    for (size_t at = expanded_text.find(pragma); at != std::string::npos; at = expanded_text.find(pragma, at)) {
        at += pragma.size();
        names.insert(expanded_text.substr(at, expanded_text.find('>', at) - at));
    }
    return names;
}

std::string escape_for_literal(const std::string& text) {
    std::string escaped;
    for (char c : text) {
        if (c == '"' || c == '\\') escaped += '\\';
        if (c == '\n')
            escaped += "\\n";
        else
            escaped += c;
    }
    return escaped;
}

std::string write_headers(const HeaderList& headers, const std::string& folder) {
    if (mkdir(folder.c_str(), 0700) != 0) return "";
    for (const auto& [name, contents] : headers)
        if (!write_below(folder, name, contents)) return "";
    return folder;
}

std::string expand_macros(const Compiler& compiler, const CompileOptions& options, const ProgramSource& program,
                          const IncludeClosure& includes, const std::string& headers_folder, const std::string& scratch,
                          DirectiveMessages& messages) {
    const std::string stubs = scratch + "/left-alone";
    if (mkdir(stubs.c_str(), 0700) != 0) return "";
    for (const std::string& name : includes.outside) {
        const std::string cuda_header = cuda_header_path(name);
        // NVRTC finds only the headers that it is given, and sources ask it for many that a host has.
        if (options.cuda && cuda_header.empty() && (includes.has_include_names.count(name) || *package_of(name)))
            continue;
        const std::string stub = concat({"#pragma ", kIncludePragma, " <", name, ">\n", macros_of(cuda_header)});
        if (!write_below(stubs, name, stub)) return "";
    }
    const std::string source = scratch + "/expand.cpp";
    if (!write_file_atomically(source,
                               concat({"#line 1 \"", escape_for_literal(program.name), "\"\n", program.text, "\n"})))
        return "";

    std::vector<std::string> command = compiler.command;
    add_words(command, language_flags(compiler, options));
    // NVRTC has few of the macros that host compilers have, and none of their headers for `__has_include` to find.
    if (options.cuda) add_words(command, {"-undef", "-nostdinc", "-nostdinc++"});
    add_words(command, options.macros);
    add_words(command, {"-E"});
    if (compiler.kind == Compiler::Gcc)
        add_words(command, {"-Wcpp"});  // GCC has no word for all others, and few of them while it preprocesses
    else
        add_words(command, {"-Wno-everything", "-W#warnings"});
    add_words(command, {"-include", device_headers().expansion_pass});
    if (!headers_folder.empty()) command.push_back("-I" + headers_folder);
    command.push_back("-I" + stubs);
    for (const std::string& folder : options.include_folders) command.push_back("-I" + folder);
    command.push_back("-I" + device_headers().preprocess_only);
    for (const std::string& file : options.included_files) add_words(command, {"-include", file});
    command.push_back(source);
    const ProcessResult result = run_process(command);
    messages = read_directive_messages(result.errors, result.output, program.name, headers_folder);
    if (result.exit_status != 0) {
        log(LogLevel::Debug, "the preprocessor refuses %s: %s", program.name.c_str(), result.errors.c_str());
        return "";
    }
    return result.output;
}

}  // namespace cuda_shim
