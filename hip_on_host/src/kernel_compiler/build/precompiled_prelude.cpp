#include "kernel_compiler/build/precompiled_prelude.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/checksum.h"
#include "common/files.h"
#include "common/log.h"
#include "kernel_compiler/read/device_headers.h"
#include "kernel_compiler/build/kernel_cache.h"
#include "kernel_compiler/build/process.h"
#include "common/sha256.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// Headers that are installed once more have other times, and are the same.
constexpr char kByContents[] = "-fpch-validate-input-files-content";

bool compile_prelude(const std::vector<std::string>& command, const std::string& prelude, const std::string& file) {
    std::vector<std::string> making = command;
    // The templates that the prelude itself uses are instantiated here, and not again in every program.
    add_words(making, {kByContents, "-fpch-instantiate-templates", "-x", "c++-header", prelude, "-o", file});
    const ProcessResult result = run_process(making);
    if (result.exit_status != 0) log(LogLevel::Debug, "the prelude is not precompiled: %s", result.errors.c_str());
    return result.exit_status == 0;
}

// Clang may read a damaged file without complaint, and kernels are split by the syntax that it read.
std::string sum_of(const std::string& file) {
    std::string contents;
    return read_file(file, contents) ? std::to_string(checksum(contents.data(), contents.size())) : "";
}
bool is_undamaged(const std::string& file) {
    std::string expected;
    return read_file(file + ".sum", expected) && !expected.empty() && expected == sum_of(file);
}

// The file, made when there is none yet; empty where it cannot be made.
std::string precompiled_prelude(const Compiler& clang, const std::vector<std::string>& command,
                                const std::string& scratch) {
    const std::string& prelude = device_headers().prelude;
    Sha256 hash;
    hash.add(device_headers().identity + clang.identity);
    for (const std::string& word : command) hash.add(word);
    const std::string key = hash.hex();
    const KernelCache& cache = KernelCache::instance();
    const std::string file = cache.prelude(key);
    if (is_undamaged(file)) return file;
    if (!cache.writable()) {
        const std::string scratch_file = concat({scratch, "/", key.substr(0, 16), ".pch"});
        return access(scratch_file.c_str(), R_OK) == 0 || compile_prelude(command, prelude, scratch_file) ? scratch_file
                                                                                                          : "";
    }
    const std::unique_ptr<FileLock> lock = cache.lock_prelude(key);
    if (is_undamaged(file)) return file;  // made by another process meanwhile
    const std::string exists = scratch + "/prelude.pch";
    const bool success = compile_prelude(command, prelude, exists) && chmod(exists.c_str(), 0600) == 0 &&
                         sync_file(exists) && write_file_atomically(file + ".sum", sum_of(exists)) &&
                         rename(exists.c_str(), file.c_str()) == 0;
    return success ? file : "";
}

}  // namespace

IncludedPrelude::IncludedPrelude(const Compiler& clang, const std::vector<std::string>& command,
                                 const std::string& scratch)
    : precompiled_(precompiled_prelude(clang, command, scratch)) {}

std::vector<std::string> IncludedPrelude::words() const {
    if (precompiled_.empty()) return {"-include", device_headers().prelude};
    return {kByContents, "-include-pch", precompiled_};
}

bool IncludedPrelude::was_refused(const std::string& errors) {
    if (precompiled_.empty() || errors.find(precompiled_) == std::string::npos) return false;
    unlink(precompiled_.c_str());
    precompiled_.clear();
    return true;
}

}  // namespace cuda_shim
