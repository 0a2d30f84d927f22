#include "kernel_compiler/build/compiler_version.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <map>
#include <mutex>

#include "common/files.h"
#include "common/sha256.h"
#include "kernel_compiler/build/compiler_names.h"
#include "kernel_compiler/build/kernel_cache.h"
#include "kernel_compiler/build/process.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// True for a compiler itself, whose answer changes only when its file does: a wrapper such as ccache answers for
// another program.
bool is_compiler_itself(const std::vector<std::string>& command) {
    const std::string name = base_name(real_path(command[0]));
    return has(name, "clang") || has(name, "g++") || has(name, "gcc") || has(name, "zig");
}

// The answer to --version as the cache has it, else as the compiler gives it. Debian's clang takes 20 ms for it, more
// than everything else that a process does for a cached kernel.
std::string ask_for_version(const std::vector<std::string>& command) {
    KernelCache& cache = KernelCache::instance();
    const bool is_remembered = is_compiler_itself(command);
    Sha256 hash;
    hash.add("version");
    hash.add(compiler_identity(command));
    const std::string key = hash.hex();
    std::string answer;
    if (is_remembered && cache.load_answer(key, answer)) return answer;
    std::vector<std::string> question = command;
    add_words(question, {"--version"});
    const ProcessResult result = run_process(question);
    answer = result.output + result.errors;
    if (is_remembered && result.exit_status == 0) cache.store_answer(key, answer);
    return answer;
}

// Each command is asked once in a process.
const std::string& version_answer(const std::vector<std::string>& command) {
    static auto* const answers = new std::map<std::vector<std::string>, std::string>;
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto place = answers->find(command);
    if (place != answers->end()) return place->second;
    return answers->emplace(command, ask_for_version(command)).first->second;
}

}  // namespace

std::string compiler_identity(const std::vector<std::string>& command) {
    std::string identity;
    for (const std::string& word : command) append(identity, {word, "\n"});
    const std::string path = real_path(command[0]);
    struct stat status;
    if (stat(path.c_str(), &status) == 0)
        append(identity, {path, "\n", std::to_string(status.st_size), "\n", std::to_string(status.st_mtim.tv_sec), ".",
                          std::to_string(status.st_mtim.tv_nsec), "\n"});
    return identity;
}

Compiler::Kind kind_of(const std::vector<std::string>& command) {
    if (has(base_name(command[0]), "zig")) return Compiler::Zig;
    for (const std::string& word : command)
        if (word == "ziglang") return Compiler::Zig;
    const std::string& answer = version_answer(command);
    if (has(answer, kZigAnswer)) return Compiler::Zig;
    return has(answer, kClangAnswer) ? Compiler::Clang : Compiler::Gcc;
}

int clang_major_version(const std::vector<std::string>& command) {
    const std::string& answer = version_answer(command);
    const size_t at = answer.find(kClangAnswer);
    return at == std::string::npos ? 0 : atoi(answer.c_str() + at + strlen(kClangAnswer));
}

}  // namespace cuda_shim
