#include "kernel_compiler/build/cached_program.h"

#include <vector>

#include "abi/kernel_module.h"
#include "common/sha256.h"
#include "kernel_compiler/build/module_image.h"

namespace cuda_shim {
namespace {

constexpr char kCacheFormat[] = "5";

}  // namespace

std::string key_of(const CompileContext& context) {
    const CompileOptions& options = context.options;
    Sha256 hash;
    hash.add(kCacheFormat);
    hash.add(std::to_string(CUDA_SHIM_KERNEL_ABI_VERSION));
    hash.add(library_identity());
    hash.add(context.headers.identity);
    hash.add(context.compiler.identity);
    hash.add(processor_identity());
    for (const std::string& flag : kernel_flags(context.compiler, options)) hash.add(flag);
    hash.add(options.relocatable ? "relocatable" : "whole");
    for (const std::string& macro : options.macros) hash.add(macro);
    hash.add(context.rewrites_kernels() ? "split" : "whole");
    hash.add(settings().fallbacks ? "fallbacks" : "");
    hash.add(settings().lenient ? "lenient" : "strict");
    hash.add(options.architecture);
    hash.add(options.older_standard);
    hash.add(options.device_by_default ? "device by default" : "");
    hash.add(options.quiet ? "quiet" : options.warnings ? "warnings" : "");
    hash.add(context.program.name);
    hash.add(context.program.text);
    for (const auto& [name, contents] : context.program.headers) hash.add(name), hash.add(contents);
    for (const std::string& file : options.included_files) hash.add(file);
    for (const std::string& folder : options.include_folders) hash.add(folder);
    for (const auto& [path, digest] : context.includes.files) hash.add(path), hash.add(digest);
    for (const std::string& expression : context.expressions) hash.add(expression);
    return hash.hex();
}

std::string key_of_expanded(const std::string& key, std::string expanded_text, const std::string& scratch) {
    for (size_t at = expanded_text.find(scratch); at != std::string::npos; at = expanded_text.find(scratch, at))
        expanded_text.erase(at, scratch.size());
    Sha256 hash;
    hash.add(key);
    hash.add(expanded_text);
    return hash.hex();
}

// An entry is the module with the lowered names of the expressions, a line each, and the log behind it.
void store(KernelCache& cache, const std::string& key, const CompiledProgram& compiled) {
    std::string entry = compiled.code;
    for (const std::string& name : compiled.lowered) append(entry, {name, "\n"});
    cache.store(key, entry + compiled.log);
}

bool load(const KernelCache& cache, const std::string& key, size_t names, CompiledProgram& compiled) {
    std::string entry;
    if (!cache.load(key, entry)) return false;
    const size_t size = module_bytes(entry);
    std::vector<std::string> lowered;
    size_t begin = size;
    while (lowered.size() < names) {
        const size_t end = entry.find('\n', begin);
        if (end == std::string::npos) return false;
        lowered.push_back(entry.substr(begin, end - begin));
        begin = end + 1;
    }
    compiled.log = entry.substr(begin);
    compiled.code = entry.substr(0, size);
    compiled.lowered = std::move(lowered);
    compiled.result = HIPRTC_SUCCESS;
    return true;
}

}  // namespace cuda_shim
