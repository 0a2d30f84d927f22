#include "hiprtc/preprocess.h"

#include <sys/stat.h>

#include "common/files.h"
#include "common/log.h"
#include "hiprtc/device_headers.h"
#include "hiprtc/process.h"
#include "hiprtc/words.h"

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

}  // namespace

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
                          const IncludeClosure& includes, const std::string& headers_folder,
                          const std::string& scratch) {
    const std::string stubs = scratch + "/left-alone";
    if (mkdir(stubs.c_str(), 0700) != 0) return "";
    for (const std::string& name : includes.outside)
        if (!write_below(stubs, name, concat({"#pragma ", kIncludePragma, " <", name, ">\n"}))) return "";
    const std::string source = scratch + "/expand.cpp";
    if (!write_file_atomically(source,
                               concat({"#line 1 \"", escape_for_literal(program.name), "\"\n", program.text, "\n"})))
        return "";

    std::vector<std::string> command = compiler.command;
    add_words(command, language_flags(compiler, options));
    add_words(command, options.macros);
    add_words(command, {"-E", "-w", "-include", device_headers().expansion_pass});
    if (!headers_folder.empty()) command.push_back("-I" + headers_folder);
    command.push_back("-I" + stubs);
    for (const std::string& folder : options.include_folders) command.push_back("-I" + folder);
    for (const std::string& file : options.included_files) add_words(command, {"-include", file});
    command.push_back(source);
    const ProcessResult result = run_process(command);
    if (result.exit_status != 0) {
        log(LogLevel::Debug, "the preprocessor refuses %s: %s", program.name.c_str(), result.errors.c_str());
        return "";
    }
    return result.output;
}

}  // namespace cuda_shim
