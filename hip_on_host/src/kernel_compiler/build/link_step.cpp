#include "kernel_compiler/build/link_step.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>

#include "common/log.h"
#include "kernel_compiler/build/kernel_cache.h"
#include "common/sha256.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// Placeholders in a remembered command for the words of a link.
constexpr char kObjects[] = "<objects>";
constexpr char kModule[] = "<module>";

// The words of the last command that Clang says it would run: each in quotes, with backslashes before quotes inside.
std::vector<std::string> last_command(const std::string& output) {
    const size_t end = output.find_last_not_of('\n');
    const size_t line_end = end == std::string::npos ? 0 : end + 1;
    const size_t line = output.rfind('\n', line_end - (line_end ? 1 : 0));
    std::vector<std::string> words;
    bool quoted = false;
    for (size_t i = line == std::string::npos ? 0 : line + 1; i < line_end; ++i) {
        if (output[i] == '"') {
            quoted = !quoted;
            if (quoted) words.emplace_back();
        } else if (quoted) {
            if (output[i] == '\\' && i + 1 < line_end) ++i;
            words.back() += output[i];
        } else if (output[i] != ' ') {
            return {};  // not the lines that we know
        }
    }
    return words;
}

// A line for each word; empty when that is not how this Clang links.
std::string query_linker(const Compiler& clang, const std::string& object, const std::string& module) {
    std::vector<std::string> command = link_command(clang, {object}, module);
    command.push_back("-###");
    const ProcessResult result = run_process(command);
    std::vector<std::string> words = last_command(result.errors);
    const auto appears_once = [&](const std::string& word) {
        return std::count(words.begin(), words.end(), word) == 1;
    };
    const bool is_usable = result.exit_status == 0 && appears_once(object) && appears_once(module) &&
                           access(words.front().c_str(), X_OK) == 0 && words.front() != clang.command.front();
    if (!is_usable) return "";
    std::string lines;
    for (const std::string& word : words) {
        if (word.find('\n') != std::string::npos) return "";
        append(lines, {word == object ? kObjects : word == module ? kModule : word, "\n"});
    }
    return lines;
}

std::vector<std::string> linker_command(const std::string& lines, const std::vector<std::string>& objects,
                                        const std::string& module) {
    std::vector<std::string> words;
    for (size_t begin = 0; begin < lines.size();) {
        const size_t end = std::min(lines.find('\n', begin), lines.size());
        const std::string word = lines.substr(begin, end - begin);
        if (word == kObjects)
            add_words(words, objects);
        else
            words.push_back(word == kModule ? module : word);
        begin = end + 1;
    }
    return words;
}

// The path of this process's library that has the function, empty where there is none.
std::string library_of(const char* function) {
    Dl_info info;
    void* const address = dlsym(RTLD_DEFAULT, function);
    return address && dladdr(address, &info) && info.dli_fname[0] == '/' ? info.dli_fname : "";
}

// The command of the linker inside of zig, empty where it cannot link by itself. It refuses objects that need a
// function of zig's support library, which zig's driver builds for seconds when it first links: conversions of half on
// older processors, division of 128 bits.
std::vector<std::string> zig_linker_command(const Compiler& zig, const std::vector<std::string>& objects,
                                            const std::string& module) {
    const std::string mathematics = library_of("fmod"), c_library = library_of("strlen");
    if (zig.command.size() != 2 || mathematics.empty() || c_library.empty()) return {};
    std::vector<std::string> command = {
        zig.command.front(), "ld.lld",         "-shared", "-Bsymbolic", "--build-id=none",
        "--hash-style=gnu",  "--eh-frame-hdr", "-z",      "defs",       "--as-needed"};
    add_words(command, objects);
    add_words(command, {mathematics, c_library, "-o", module});
    return command;
}

}  // namespace

ProcessResult link_objects(const Compiler& compiler, const std::vector<std::string>& objects,
                           const std::string& module) {
    KernelCache& cache = KernelCache::instance();
    if (compiler.kind == Compiler::Clang && cache.writable()) {
        Sha256 hash;
        hash.add("linker");
        hash.add(compiler.identity);
        for (const std::string& word : link_command(compiler, {}, "")) hash.add(word);
        const std::string key = hash.hex();
        std::string lines;
        if (!cache.load_answer(key, lines)) {
            lines = query_linker(compiler, objects.front(), module);
            if (!lines.empty()) cache.store_answer(key, lines);
        }
        if (!lines.empty()) {
            const ProcessResult linked = run_process(linker_command(lines, objects, module));
            if (linked.exit_status == 0) return linked;
            log(LogLevel::Debug, "the linker by itself: %s", linked.errors.c_str());
            cache.forget_answer(key);  // it may have moved
        }
    }
    if (compiler.kind == Compiler::Zig) {
        const std::vector<std::string> command = zig_linker_command(compiler, objects, module);
        if (!command.empty()) {
            const ProcessResult linked = run_process(command);
            if (linked.exit_status == 0) return linked;
            log(LogLevel::Debug, "zig's linker by itself: %s", linked.errors.c_str());
        }
    }
    return run_process(link_command(compiler, objects, module));
}

}  // namespace cuda_shim
