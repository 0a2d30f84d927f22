#include "kernel_compiler/build/compile_steps.h"

#include "common/log.h"
#include "kernel_compiler/read/device_headers.h"
#include "kernel_compiler/build/kernel_cache.h"
#include "kernel_compiler/build/link_step.h"
#include "kernel_compiler/prepare/own_functions.h"
#include "kernel_compiler/build/precompiled_prelude.h"
#include "kernel_compiler/build/prelude_parts.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr char kOwnHeaders[] = "<cuda_shim>/";  // engine/line_table.cpp skips lines of such files, not the program's

}  // namespace

std::vector<std::string> CompileSteps::prelude_command(const Compiler& compiler, const TranslationUnit& unit) const {
    std::vector<std::string> command = host_headers_.any ? command_with_standard_headers(compiler) : compiler.command;
    add_words(command, kernel_flags(compiler, options_));
    if (host_headers_.functions) add_words(command, {"-DCUDA_SHIM_STANDARD_HEADERS"});
    // Functions of other programs may ask for their thread's index.
    if (options_.relocatable) add_words(command, {"-DCUDA_SHIM_RELOCATABLE"});
    if (options_.relocatable || unit.device_functions_read_thread_index())
        add_words(command, {"-DCUDA_SHIM_PUBLISH_THREAD_INDEX"});
    add_words(command, own_heap_flags(unit));
    add_words(command, prelude_part_flags(unit.tokens(), options_.cuda == 0));
    add_words(command, {"-I" + device_headers().cuda_headers, "-I" + device_headers().libcudacxx});
    return command;
}

bool CompileSteps::compile(const TranslationUnit& unit, const std::vector<std::string>& extra_words) {
    const Timed timed(*this, Compiling);
    const Compiler& compiler = object_compiler();
    const std::vector<std::string> words = prelude_command(compiler, unit);
    IncludedPrelude prelude;
    if (compiler.kind != Compiler::Gcc && !compiler.is_zig_driver())
        prelude = IncludedPrelude(compiler, words, scratch_);
    do {
        std::vector<std::string> command = words;
        if (unit.may_wrap_indices() && misreads_wrapped_indices(compiler_)) add_words(command, {"-fno-vectorize"});
        // Lines of our own headers, and of those given with the program, must not look like paths of this machine.
        command.push_back(concat({"-ffile-prefix-map=", device_headers().folder, "/=", kOwnHeaders}));
        if (!headers_folder_.empty()) command.push_back(concat({"-ffile-prefix-map=", headers_folder_, "/="}));
        add_words(command, prelude.words());
        add_words(command, extra_words);
        if (succeeds(command)) return true;
    } while (prelude.was_refused(errors_));
    return false;
}

bool CompileSteps::compile_object(const TranslationUnit& unit, const std::string& source, const std::string& object,
                                  const std::vector<std::string>& extra_words) {
    std::vector<std::string> words = {"-c", source, "-o", object};
    add_words(words, extra_words);
    return compile(unit, words);
}

bool CompileSteps::compile_module(const TranslationUnit& unit, const std::string& source, const std::string& module,
                                  const std::vector<std::string>& extra_words) {
    // zig's driver hides its C++ library's headers from a command that links without that library. A Clang that only
    // compiles does so in the process that was started, and its linker needs no further one.
    const Compiler& compiler = object_compiler();
    if (compiler.kind != Compiler::Gcc && (!compiler.is_zig_driver() || host_headers_.any)) {
        const std::string object = scratch_ + "/kernel.o";
        return compile_object(unit, source, object, extra_words) && link(object, module);
    }
    std::vector<std::string> words = link_flags();
    add_words(words, {source, "-o", module});
    add_words(words, extra_words);
    add_words(words, support_libraries());
    return compile(unit, words);
}

bool CompileSteps::link(const std::string& object, const std::string& module) {
    const Timed timed(*this, Linking);
    const ProcessResult result = link_objects(compiler_, {object}, module);
    errors_ = result.errors;
    return result.exit_status == 0;
}

bool CompileSteps::succeeds(const std::vector<std::string>& command) {
    const ProcessResult result = run_process(command, [this] { report_slow_compile(); });
    errors_ = result.errors;
    return result.exit_status == 0;
}

// Once for a program, however many steps its compilation has.
void CompileSteps::report_slow_compile() {
    if (reported_slow_compile_) return;
    reported_slow_compile_ = true;
    log(LogLevel::Warn, "compiling %s takes more than 2 s%s …", program_name_.c_str(),
        KernelCache::instance().writable() ? "; later runs find it in the cache" : "");
}

void CompileSteps::log_times() const {
    const auto spent = [&](Step step) { return static_cast<long long>(milliseconds_[step]); };
    log(LogLevel::Info, "%s: read in %lld ms, compiled in %lld ms, linked in %lld ms", program_name_.c_str(),
        spent(Reading), spent(Compiling), spent(Linking));
}

}  // namespace cuda_shim
