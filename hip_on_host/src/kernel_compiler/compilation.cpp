#include "kernel_compiler/compilation.h"

#include <memory>
#include <optional>

#include "common/elf_image.h"
#include "common/files.h"
#include "common/interrupt_listener.h"
#include "common/log.h"
#include "kernel_compiler/build/cached_program.h"
#include "kernel_compiler/build/diagnostics.h"
#include "kernel_compiler/compile_context.h"
#include "kernel_compiler/deep_stack.h"
#include "kernel_compiler/module_attempts.h"
#include "kernel_compiler/pipeline.h"
#include "kernel_compiler/prepare/float_conversions.h"
#include "kernel_compiler/prepare/own_functions.h"
#include "kernel_compiler/prepare/template_bodies.h"
#include "kernel_compiler/read/macro_use.h"
#include "kernel_compiler/refusals/host_code.h"
#include "kernel_compiler/refusals/refused_program.h"

namespace cuda_shim {
namespace {

constexpr int kMaxTemplateRounds = 8;  // a compiler prints some twenty errors at a time

// Messages of compilers that cannot start their parts, cannot write, or crash at that.
bool compiler_failed(const std::string& errors) {
    for (const char* words : {"unable to execute command", "No space left on device", "File too large",
                              "Cannot allocate memory", "Too many open files", "PLEASE submit a bug report"})
        if (errors.find(words) != std::string::npos) return true;
    return false;
}

std::string problem_of_pass(const std::string& name) {
    std::string known;
    for (const Pass& pass : passes()) {
        if (name.empty() || name == pass.name) return "";
        append(known, {known.empty() ? "" : ", ", pass.name});
    }
    return concat({"no pass is called '", name, "'; the passes are ", known, "\n"});
}

class Compilation {
public:
    Compilation(const ProgramSource& program, const std::vector<std::string>& expressions)
        : context_{program, expressions, kernel_compiler(), device_headers(), {}, {}, "", "", {}} {}

    CompiledProgram run(const std::vector<std::string>& arguments) {
        CompiledProgram compiled;
        compiled.log = read_options(arguments, context_.options);
        if (compiled.log.empty()) compiled.log = problem_of_pass(context_.options.after);
        if (!compiled.log.empty()) {
            compiled.result = HIPRTC_ERROR_INVALID_OPTION;
            return compiled;
        }
        compiled.log = !context_.compiler.is_available() ? context_.compiler.problem : context_.headers.problem;
        if (!compiled.log.empty()) return compiled;

        const CompileOptions& options = context_.options;
        context_.includes =
            find_includes(context_.program.name, context_.program.text, context_.program.headers,
                          options.include_folders, options.included_files, options.macros, context_.headers);
        const std::string key = key_of(context_);
        const bool is_known = !context_.includes.computed && options.after.empty();
        KernelCache& cache = KernelCache::instance();
        const size_t names = context_.expressions.size();
        if (is_known && load(cache, key, names, compiled)) return compiled;
        const std::unique_ptr<FileLock> lock = cache.lock(key);
        if (is_known && load(cache, key, names, compiled)) return compiled;  // made meanwhile by another process
        with_deep_stack([&] { compile(cache, key, compiled); });
        if (compiled.result == HIPRTC_SUCCESS && !store_key_.empty() && options.after.empty())
            store(cache, store_key_, compiled);
        return compiled;
    }

private:
    void compile(const KernelCache& cache, const std::string& key, CompiledProgram& compiled) {
        ScratchFolder scratch(cache.scratch_parent());
        compiled.log = use_scratch(scratch, cache);
        if (!compiled.log.empty()) return;
        const ProgramSource& program = context_.program;
        const CompileOptions& options = context_.options;
        const bool macros = context_.includes.has_directives || may_use_macros(program.text, options.macros);
        const std::string expanded_text = macros ? expand_macros(context_.compiler, options, program, context_.includes,
                                                                 context_.headers_folder, context_.scratch, directives_)
                                                 : program.text;
        const bool computed = context_.includes.computed;
        store_key_ = !computed               ? key
                     : expanded_text.empty() ? ""
                                             : key_of_expanded(key, expanded_text, context_.scratch);
        if (computed && !store_key_.empty() && options.after.empty() &&
            load(cache, store_key_, context_.expressions.size(), compiled)) {
            store_key_.clear();
            return;
        }
        if (options.cuda)
            compiled.log =
                refused_directive(program, context_.includes, expanded_text, !options.include_folders.empty());
        if (!compiled.log.empty()) return;
        context_.host_headers = host_headers_among(
            macros ? included_from_outside(expanded_text) : context_.includes.outside, context_.headers);
        build_text(expanded_text, compiled);
    }

    // The log of a program for which there is no folder, empty where there is one.
    std::string use_scratch(ScratchFolder& scratch, const KernelCache& cache) {
        if (!scratch.exists())
            return concat(
                {"no folder for temporary files in ", cache.scratch_parent(), "; set CUDA_SHIM_CACHE_DIR or TMPDIR\n"});
        const ProgramSource& program = context_.program;
        if (settings().keep) {
            scratch.keep();
            log(LogLevel::Info, "sources of %s are kept in %s", program.name.c_str(), scratch.path().c_str());
        }
        context_.scratch = scratch.path();
        if (program.headers.empty()) return "";
        context_.headers_folder = write_headers(program.headers, context_.scratch + "/headers");
        return !context_.headers_folder.empty()
                   ? ""
                   : "a header given to hiprtcCreateProgram has a name that is absolute, empty or leads upwards\n";
    }

    void build_text(const std::string& expanded_text, CompiledProgram& compiled) {
        const ProgramSource& program = context_.program;
        CompileSteps steps(context_.compiler, context_.options, context_.host_headers, program.name, context_.scratch,
                           context_.headers_folder);
        PassWatch watch(context_.options.after);
        const bool is_whole = !expanded_text.empty() || program.text.empty();
        const bool is_built = is_whole && (build(expanded_text, steps, watch, compiled) ||
                                           build_without_unused_templates(expanded_text, steps, watch, compiled));
        if (watch.ended()) {
            compiled.log = watch.text();
            compiled.lowered.assign(context_.expressions.size(), "");
            compiled.result = HIPRTC_SUCCESS;
        } else if (is_built && !watch.waits()) {
            compiled.result = HIPRTC_SUCCESS;
            compiled.log = context_.options.warnings ? diagnose().text : messages_of_directives() + last_.warnings;
            steps.log_times();
        } else if (is_built) {
            compiled.log = concat({"the pass ", watch.wanted(), " does not run for this program\n"});
        } else {
            compiled.log = last_.refusal.empty() ? log_of_failure(expanded_text) : last_.refusal;
        }
    }

    std::string log_of_failure(const std::string& expanded_text) {
        const ProgramSource& program = context_.program;
        const Diagnosis& original = diagnose_once();
        std::string text = (context_.options.warnings ? "" : messages_of_directives()) + original.text;
        if (!original.accepted) return text;
        const std::string kernels =
            diagnose_kernels(expanded_text.empty() ? program.text : expanded_text, program.name);
        text += kernels;
        if (kernels.empty())  // the program is right, but the code generated from it is not
            append(text,
                   {compiler_failed(last_.errors)
                        ? "the compiler could not do its work: is the disk full, or a limit on files, processes or "
                          "memory reached?\n"
                        : "the code generated for this program does not compile: please report it with its source\n",
                    last_.errors});
        return text;
    }

    std::string messages_of_directives() const {
        return context_.options.quiet ? directives_.remarks : directives_.warnings + directives_.remarks;
    }

    Diagnosis diagnose() const {
        ProgramSource program = context_.program;
        if (prefers_own_functions_) program.text = with_preferred_functions(program.text);
        if (!last_.own_macros.empty()) program.text = concat({last_.own_macros, "#line 1\n", program.text});
        return diagnose_program(context_.compiler, context_.options, program, context_.expressions,
                                context_.host_headers, context_.headers_folder, context_.scratch);
    }
    const Diagnosis& diagnose_once() {
        if (!diagnosis_) diagnosis_ = diagnose();
        return *diagnosis_;
    }

    // The results of the last text that was built.
    struct TextResult {
        std::string own_macros;  // lines that end macros of the prelude, empty for none
        std::string warnings;    // the front end's
        std::string errors;      // the compiler's, in code that was generated
        std::string refusal;     // the log of a program that CUDA's compilers refuse, empty where they take it
    };

    bool build(const std::string& expanded_text, CompileSteps& steps, PassWatch& watch, CompiledProgram& compiled) {
        const std::string warnings = last_.warnings;
        last_ = {};
        const PreparedText prepared = prepare(expanded_text, {context_, prefers_own_functions_}, watch);
        if (watch.ended()) return false;
        last_.own_macros = prepared.own_macros;
        auto text = std::make_unique<ReadText>(prepared.text, context_, steps);
        last_.warnings = warnings.empty() ? text->warnings() : warnings;
        if (!text->syntax() && !prefers_own_functions_ && has_second_definition(text->errors())) {
            prefers_own_functions_ = true;
            return build(expanded_text, steps, watch, compiled);
        }
        if (context_.options.cuda && text->syntax())
            last_.refusal = refused_program(text->syntax()->tree(), context_.program, context_.options,
                                            context_.host_headers.functions);
        if (!last_.refusal.empty()) return false;
        const std::string converted =
            text->syntax() ? with_float_conversions(text->syntax()->tree(), object_compiler()) : "";
        if (watch.saw(kConversionsPass, converted.empty() ? prepared.text : converted)) return false;
        if (!converted.empty()) text = std::make_unique<ReadText>(converted, context_, steps);
        text->inline_calls(watch);
        if (watch.ended()) return false;
        BuiltModule built =
            ModuleAttempts(*text, context_, steps, [this] { return diagnose_once().accepted; }).run(watch);
        last_.errors = std::move(built.errors);
        last_.refusal = std::move(built.refusal);
        if (built.outcome != BuiltModule::Done) return false;
        compiled.code = std::move(built.code);
        compiled.lowered = std::move(built.lowered);
        return true;
    }

    // Leaves out the bodies of templates that have errors: NVRTC does not read them unless they are used.
    bool build_without_unused_templates(std::string text, CompileSteps& steps, PassWatch& watch,
                                        CompiledProgram& compiled) {
        if (!context_.options.cuda || watch.ended() || !last_.refusal.empty() || diagnose_once().accepted) return false;
        std::string errors = diagnose_once().text;
        for (int round = 0; round < kMaxTemplateRounds; ++round) {
            text = without_wrong_template_bodies(text, errors, context_.program.name);
            if (text.empty()) return false;
            if (build(text, steps, watch, compiled)) return true;
            if (watch.ended() || !last_.refusal.empty()) return false;
            errors = last_.errors;
            log(LogLevel::Debug, "%s without bodies of templates: %s", context_.program.name.c_str(), errors.c_str());
        }
        return false;
    }

    CompileContext context_;
    DirectiveMessages directives_;
    std::string store_key_;               // the key that the module is cached under, empty where it is not cached
    bool prefers_own_functions_ = false;  // the program defines a function of the prelude, or one of its own twice
    TextResult last_;
    std::optional<Diagnosis> diagnosis_;  // of the program as it was written
};

}  // namespace

CompiledProgram compile_program(const ProgramSource& program, const std::vector<std::string>& name_expressions,
                                const std::vector<std::string>& options) {
    const InterruptListener listener;  // from one compiler to the next, too: the next one ends at once then
    CompiledProgram compiled = Compilation(program, name_expressions).run(options);
    if (settings().gpu && compiled.result == HIPRTC_SUCCESS) {
        const size_t module = elf_image_size(compiled.code.data(), compiled.code.size());
        mark_gpu(compiled.code.data(), module, settings().gpu->machine);
    }
    return compiled;
}

}  // namespace cuda_shim
