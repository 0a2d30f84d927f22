#include "kernel_compiler/compilation.h"

#include <unistd.h>

#include <atomic>
#include <optional>

#include "abi/kernel_module.h"
#include "common/elf_image.h"
#include "common/files.h"
#include "common/interrupt_listener.h"
#include "common/log.h"
#include "common/module_content.h"
#include "common/settings.h"
#include "kernel_compiler/build/compile_steps.h"
#include "kernel_compiler/deep_stack.h"
#include "kernel_compiler/read/device_headers.h"
#include "kernel_compiler/build/diagnostics.h"
#include "kernel_compiler/prepare/dynamic_shared.h"
#include "kernel_compiler/build/generated_code_faults.h"
#include "kernel_compiler/build/kernel_cache.h"
#include "kernel_compiler/prepare/kernel_declarations.h"
#include "kernel_compiler/prepare/leading_alignment.h"
#include "kernel_compiler/prepare/linker_directions.h"
#include "kernel_compiler/read/macro_use.h"
#include "kernel_compiler/build/module_image.h"
#include "kernel_compiler/emit/module_writer.h"
#include "kernel_compiler/emit/name_expression.h"
#include "kernel_compiler/prepare/own_functions.h"
#include "kernel_compiler/build/precompiled_prelude.h"
#include "kernel_compiler/refusals/host_code.h"
#include "kernel_compiler/refusals/module_limits.h"
#include "kernel_compiler/refusals/refused_program.h"
#include "common/sha256.h"
#include "kernel_compiler/string_utils.h"
#include "kernel_compiler/emit/symbol_labels.h"
#include "kernel_compiler/prepare/template_bodies.h"
#include "kernel_compiler/prepare/warp_steps.h"

namespace cuda_shim {
namespace {

constexpr char kCacheFormat[] = "5";
constexpr int kMaxTemplateRounds = 8;      // a compiler prints some twenty errors at a time
constexpr size_t kMaxCheckedKernels = 24;  // kernels that are tried one by one when one of them does not compile

class Compilation {
public:
    Compilation(const ProgramSource& program, const std::vector<std::string>& expressions)
        : program_(program), expressions_(expressions), compiler_(kernel_compiler()), headers_(device_headers()) {}

    CompiledProgram run(const std::vector<std::string>& arguments) {
        CompiledProgram compiled;
        compiled.log = read_options(arguments, options_);
        if (!compiled.log.empty()) {
            compiled.result = HIPRTC_ERROR_INVALID_OPTION;
            return compiled;
        }
        compiled.log = !compiler_.is_available() ? compiler_.problem : headers_.problem;
        if (!compiled.log.empty()) return compiled;

        includes_ = find_includes(program_.name, program_.text, program_.headers, options_.include_folders,
                                  options_.included_files, options_.macros, headers_);
        const std::string key = cache_key();
        KernelCache& cache = KernelCache::instance();
        if (!includes_.computed && load_cached(cache, key, compiled)) return compiled;
        const std::unique_ptr<FileLock> lock = cache.lock(key);
        if (!includes_.computed && load_cached(cache, key, compiled))
            return compiled;  // made meanwhile by another process
        with_deep_stack([&] { compile(cache, key, compiled); });
        if (compiled.result == HIPRTC_SUCCESS && !store_key_.empty()) cache.store(store_key_, as_entry(compiled));
        return compiled;
    }

private:
    std::string cache_key() const {
        Sha256 hash;
        hash.add(kCacheFormat);
        hash.add(std::to_string(CUDA_SHIM_KERNEL_ABI_VERSION));
        hash.add(library_identity());
        hash.add(headers_.identity);
        hash.add(compiler_.identity);
        hash.add(processor_identity());
        for (const std::string& flag : kernel_flags(compiler_, options_)) hash.add(flag);
        hash.add(options_.relocatable ? "relocatable" : "whole");
        for (const std::string& macro : options_.macros) hash.add(macro);
        hash.add(rewrites_kernels() ? "split" : "whole");
        hash.add(settings().fallbacks ? "fallbacks" : "");
        hash.add(settings().lenient ? "lenient" : "strict");
        hash.add(options_.architecture);
        hash.add(options_.older_standard);
        hash.add(options_.device_by_default ? "device by default" : "");
        hash.add(options_.quiet ? "quiet" : options_.warnings ? "warnings" : "");
        hash.add(program_.name);
        hash.add(program_.text);
        for (const auto& [name, contents] : program_.headers) hash.add(name), hash.add(contents);
        for (const std::string& file : options_.included_files) hash.add(file);
        for (const std::string& folder : options_.include_folders) hash.add(folder);
        for (const auto& [path, digest] : includes_.files) hash.add(path), hash.add(digest);
        for (const std::string& expression : expressions_) hash.add(expression);
        return hash.hex();
    }

    // A program with `#include MACRO` reads files that are known only once its macros are expanded: the expanded text,
    // without the names of the folder for temporary files, which differ, stands for them.
    std::string expanded_key(const std::string& key, std::string expanded_text) const {
        for (size_t at = expanded_text.find(scratch_); at != std::string::npos; at = expanded_text.find(scratch_, at))
            expanded_text.erase(at, scratch_.size());
        Sha256 hash;
        hash.add(key);
        hash.add(expanded_text);
        return hash.hex();
    }

    // Checks and the names of threads in faults need each thread of a kernel to itself.
    bool rewrites_kernels() const {
        return options_.split && settings().split && !settings().check && !settings().debug;
    }

    // A cache entry is the module with the lowered names of the expressions, a line each, and the log behind it.
    static std::string as_entry(const CompiledProgram& compiled) {
        std::string entry = compiled.code;
        for (const std::string& name : compiled.lowered) append(entry, {name, "\n"});
        return entry + compiled.log;
    }
    bool load_cached(const KernelCache& cache, const std::string& key, CompiledProgram& compiled) const {
        std::string entry;
        if (!cache.load(key, entry)) return false;
        const size_t size = module_bytes(entry);
        std::vector<std::string> names;
        size_t begin = size;
        while (names.size() < expressions_.size()) {
            const size_t end = entry.find('\n', begin);
            if (end == std::string::npos) return false;
            names.push_back(entry.substr(begin, end - begin));
            begin = end + 1;
        }
        compiled.log = entry.substr(begin);
        compiled.code = entry.substr(0, size);
        compiled.lowered = std::move(names);
        compiled.result = HIPRTC_SUCCESS;
        return true;
    }

    void compile(const KernelCache& cache, const std::string& key, CompiledProgram& compiled) {
        ScratchFolder scratch(cache.scratch_parent());
        if (!scratch.exists()) {
            compiled.log = concat(
                {"no folder for temporary files in ", cache.scratch_parent(), "; set CUDA_SHIM_CACHE_DIR or TMPDIR\n"});
            return;
        }
        if (settings().keep) {
            scratch.keep();
            log(LogLevel::Info, "sources of %s are kept in %s", program_.name.c_str(), scratch.path().c_str());
        }
        scratch_ = scratch.path();
        if (!program_.headers.empty()) {
            headers_folder_ = write_headers(program_.headers, scratch_ + "/headers");
            if (headers_folder_.empty()) {
                compiled.log =
                    "a header given to hiprtcCreateProgram has a name that is absolute, empty or leads upwards\n";
                return;
            }
        }
        const bool macros = includes_.has_directives || may_use_macros(program_.text, options_.macros);
        const std::string expanded_text =
            macros ? expand_macros(compiler_, options_, program_, includes_, headers_folder_, scratch_, directives_)
                   : program_.text;
        store_key_ = !includes_.computed ? key : expanded_text.empty() ? "" : expanded_key(key, expanded_text);
        if (includes_.computed && !store_key_.empty() && load_cached(cache, store_key_, compiled)) {
            store_key_.clear();
            return;
        }
        compiled.log = options_.cuda
                           ? refused_directive(program_, includes_, expanded_text, !options_.include_folders.empty())
                           : "";
        if (!compiled.log.empty()) return;
        host_headers_ = host_headers_among(macros ? included_from_outside(expanded_text) : includes_.outside, headers_);
        steps_.emplace(compiler_, options_, host_headers_, program_.name, scratch_, headers_folder_);
        if ((!expanded_text.empty() || program_.text.empty()) &&
            (build(expanded_text, compiled) || build_without_unused_templates(expanded_text, compiled))) {
            compiled.result = HIPRTC_SUCCESS;
            compiled.log = options_.warnings ? diagnose().text : messages_of_directives() + warnings_;
            steps_->log_times();
            return;
        }
        if (!refusal_.empty()) {
            compiled.log = refusal_;
            return;
        }
        const Diagnosis& original = diagnose_once();
        compiled.log = (options_.warnings ? "" : messages_of_directives()) + original.text;
        if (!original.accepted) return;
        const std::string kernels =
            diagnose_kernels(expanded_text.empty() ? program_.text : expanded_text, program_.name);
        compiled.log += kernels;
        if (kernels.empty())  // the program is right, but the code generated from it is not
            append(compiled.log,
                   {compiler_failed(last_errors())
                        ? "the compiler could not do its work: is the disk full, or a limit on files, processes or "
                          "memory reached?\n"
                        : "the code generated for this program does not compile: please report it with its source\n",
                    last_errors()});
    }

    std::string messages_of_directives() const {
        return options_.quiet ? directives_.remarks : directives_.warnings + directives_.remarks;
    }

    // Messages of compilers that cannot start their parts, cannot write, or crash at that.
    static bool compiler_failed(const std::string& errors) {
        for (const char* words : {"unable to execute command", "No space left on device", "File too large",
                                  "Cannot allocate memory", "Too many open files", "PLEASE submit a bug report"})
            if (errors.find(words) != std::string::npos) return true;
        return false;
    }

    const std::string& last_errors() const { return module_errors_.empty() ? steps_->errors() : module_errors_; }

    Diagnosis diagnose() const {
        ProgramSource program = program_;
        if (redefines_) program.text = with_preferred_functions(program.text);
        if (!own_macros_.empty()) program.text = concat({own_macros_, "#line 1\n", program.text});
        return diagnose_program(compiler_, options_, program, expressions_, host_headers_, headers_folder_, scratch_);
    }
    const Diagnosis& diagnose_once() {
        if (!diagnosis_) diagnosis_ = diagnose();
        return *diagnosis_;
    }

    // Tries the rewritten kernels first, then the kernels as written: an error that rewriting brings in must never be
    // the program's problem.
    bool build(const std::string& expanded_text, CompiledProgram& compiled) {
        faults_ = {};  // those of an earlier text, such as one with unused templates, are not this one's
        std::string source_text = with_plain_kernel_declarations(
            with_leading_alignment(without_dynamic_shared(without_linker_directions(expanded_text))));
        if (options_.cuda) source_text = with_cuda_printf(source_text);
        if (options_.cuda && !settings().check) source_text = with_warp_steps(source_text);  // checks name the race
        if (redefines_) source_text = with_preferred_functions(source_text);
        own_macros_ = undefine_own_names(source_text);
        if (!own_macros_.empty())
            source_text = concat({own_macros_, "#line 1 \"", escape_for_literal(program_.name), "\"\n", source_text});
        const TranslationUnit unit(source_text, options_.relocatable);
        const ParsedTexts parsed = parse(unit);
        if (!parsed.syntax && !redefines_ && has_second_definition(parse_errors_)) {
            redefines_ = true;
            return build(expanded_text, compiled);
        }
        if (options_.cuda && parsed.syntax)
            refusal_ = refused_program(parsed.syntax->tree(), program_, options_, host_headers_.functions);
        if (!refusal_.empty()) return false;
        std::optional<const WordReachability> synchronising;
        if (!parsed.syntax) synchronising.emplace(unit, is_synchronising_word);
        const ParsedProgram program{unit, parsed.syntax.get(), synchronising ? &*synchronising : nullptr};
        const ParsedProgram rewritten =
            parsed.rewritten ? ParsedProgram{*parsed.rewritten, parsed.rewritten_syntax.get()} : program;
        ModuleRequest request;
        request.relocatable = options_.relocatable;
        request.completes = options_.cuda != 0;
        request.program_name = program_.name;
        request.name_expressions = expressions_;
        request.rewrite_kernels = rewrites_kernels();
        request.not_inlined = parsed.not_inlined;
        const KernelMemoryUse memory_use(program);
        request.memory_use = &memory_use;
        while (true) {
            const ModuleText module = write_module(program, rewritten, request);
            const Attempt attempt = build_module(unit, module, request, compiled);
            if (attempt == Attempt::Done) {
                refusal_ = faults_.refusal();
                if (!refusal_.empty()) return false;
                faults_.warn(program_.name);
                for (const std::string& note : module.notes)
                    log(LogLevel::Info, "%s: kernel %s", program_.name.c_str(), note.c_str());
                if (!module.unparsed_kernel.empty() && !syntax_compiler().is_available())
                    warn_that_kernels_crawl(module.unparsed_kernel);
                return true;
            }
            if (attempt == Attempt::NamesTooLong) {
                request.name_slot_bytes = longest_name_;
                continue;
            }
            if (!refusal_.empty()) return false;
            // Most often the mistake is the program's own, and nothing else needs to be tried.
            const bool sizes_at_fault = request.memory_use && KernelMemoryUse::is_named_in(last_errors());
            if (!sizes_at_fault && !diagnose_once().accepted) return false;
            if (!sizes_at_fault && !module.rewritten.empty()) {
                leave_as_written(program, rewritten, module.rewritten, request);
                continue;
            }
            if (!request.memory_use) return false;
            faults_.add("sizes of variables", last_errors());
            request.memory_use = nullptr;
        }
    }

    // Leaves out the bodies of templates that have errors: NVRTC does not read them unless they are used.
    bool build_without_unused_templates(std::string text, CompiledProgram& compiled) {
        if (!options_.cuda || !refusal_.empty() || diagnose_once().accepted) return false;
        std::string errors = diagnose_once().text;
        for (int round = 0; round < kMaxTemplateRounds; ++round) {
            text = without_wrong_template_bodies(text, errors, program_.name);
            if (text.empty()) return false;
            if (build(text, compiled)) return true;
            errors = last_errors();
            log(LogLevel::Debug, "%s without bodies of templates: %s", program_.name.c_str(), errors.c_str());
        }
        return false;
    }

    // Warns once for a process: the reason holds for all of its programs.
    void warn_that_kernels_crawl(const std::string& kernel) {
        static std::atomic<bool> warned{false};
        if (warned.exchange(true)) return;
        log(LogLevel::Warn,
            "%s: kernel %s runs thread by thread, as all kernels with barriers or loops do here, about 50 times "
            "slower: %s",
            program_.name.c_str(), kernel.c_str(), syntax_compiler().problem.c_str());
    }

    // Finds the kernels whose rewritten form does not compile, by trying each alone.
    void leave_as_written(const ParsedProgram& program, const ParsedProgram& forms,
                          const std::vector<std::string>& rewritten, ModuleRequest& request) {
        const std::string errors = last_errors();
        std::map<std::string, std::string> rejected;  // with the compiler's errors
        for (const std::string& name : rewritten) {
            ModuleRequest single = request;
            for (const std::string& other : rewritten) single.as_written.emplace(other, "");
            single.as_written.erase(name);
            const std::string source = scratch_ + "/check.cpp";
            std::vector<std::string> check_command = check_flags(object_compiler(), scratch_);
            check_command.push_back(source);
            const bool can_check = rewritten.size() > 1 && rewritten.size() <= kMaxCheckedKernels;
            if (can_check && write_file_atomically(source, write_module(program, forms, single).text) &&
                steps_->compile(program.unit, check_command))
                continue;
            rejected.emplace(name, can_check ? last_errors() : errors);
        }
        // The error may need several rewritten kernels together.
        if (rejected.empty())
            for (const std::string& name : rewritten) rejected.emplace(name, errors);
        for (const auto& [name, its_errors] : rejected) {
            const std::string requirement = unmet_requirement(its_errors);
            if (requirement.empty()) faults_.add(concat({"loops of kernel ", name}), its_errors);
            request.as_written.emplace(name, requirement.empty() ? kLoweredFormFault : requirement);
        }
    }

    // The front end's results for the program, and for its text with calls inlined.
    struct ParsedTexts {
        std::unique_ptr<const ProgramSyntax> syntax, rewritten_syntax;
        std::unique_ptr<const TranslationUnit> rewritten;
        std::map<std::string, std::string> not_inlined;
    };
    ParsedTexts parse(const TranslationUnit& unit) {
        ParsedTexts parsed;
        if (!syntax_compiler().is_available()) {
            log(LogLevel::Info, "%s: %s", program_.name.c_str(), syntax_compiler().problem.c_str());
            return parsed;
        }
        parsed.syntax = read_syntax(unit, "read.cpp");
        if (!parsed.syntax || !rewrites_kernels()) return parsed;
        const LineMap lines(unit.tokens(), program_.name);
        const std::string text = inline_device_calls({unit, parsed.syntax.get()}, lines, parsed.not_inlined);
        if (text.empty()) return parsed;
        parsed.rewritten = std::make_unique<const TranslationUnit>(text, options_.relocatable);
        parsed.rewritten_syntax = read_syntax(*parsed.rewritten, "written-out.cpp");
        if (!parsed.rewritten_syntax || parsed.rewritten->functions().size() != unit.functions().size())
            parsed.rewritten.reset();
        return parsed;
    }

    std::unique_ptr<const ProgramSyntax> read_syntax(const TranslationUnit& unit, const char* file) {
        const CompileSteps::Timed timed(*steps_, CompileSteps::Reading);
        const std::vector<std::string> command = steps_->prelude_command(syntax_compiler(), unit);
        const std::string further = ask_for_instantiations(expressions_), source = concat({scratch_, "/", file});
        std::string problem;
        std::unique_ptr<const ProgramSyntax> syntax;
        IncludedPrelude prelude(syntax_compiler(), command, scratch_);
        do {
            std::vector<std::string> parse_command = command;
            if (options_.cuda && !options_.quiet) show_warnings(parse_command);
            if (options_.cuda) show_refused_forms(options_, parse_command);
            add_words(parse_command, prelude.words());
            add_words(parse_command, {"-include", headers_.ast_pass});
            syntax = read_program(parse_command, unit.tokens(), further, source, problem);
            if (syntax && warnings_.empty()) warnings_ = warnings_about(problem, program_.name, source);
        } while (!syntax && prelude.was_refused(problem));
        if (!syntax) log(LogLevel::Debug, "%s cannot be read: %s", program_.name.c_str(), problem.c_str());
        if (!syntax) parse_errors_ = problem;
        return syntax;
    }

    static std::string without_dynamic_shared(const std::string& text) {
        if (text.find("__shared__") == std::string::npos || text.find("extern") == std::string::npos) return text;
        const TranslationUnit unit(text);
        TextEdits edits;
        rewrite_dynamic_shared(unit, edits);
        return edits.apply(text);
    }

    enum class Attempt { Done, Failed, NamesTooLong };

    Attempt build_module(const TranslationUnit& unit, const ModuleText& module, const ModuleRequest& request,
                         CompiledProgram& compiled) {
        module_errors_.clear();
        const std::string source = scratch_ + "/kernel.cpp", library = scratch_ + "/kernel.so",
                          object = scratch_ + "/kernel.o";
        if (!write_file_atomically(source, module.text)) return Attempt::Failed;
        // A program that will be linked with others is completed before it is linked.
        const std::vector<std::string> words = unknown_to_compilers(module.unmangled_functions);
        const bool compiled_ok = options_.relocatable ? steps_->compile_object(unit, source, object, words)
                                                      : steps_->compile_module(unit, source, library, words);
        std::string code;
        if (!compiled_ok || !read_file(options_.relocatable ? object : library, code)) return Attempt::Failed;
        code.resize(elf_image_size(code.data(), code.size()));
        const ModuleNames names = read_lowered_names(code, module.unmangled_entries);
        if (names.longest > request.name_slot_bytes) {
            longest_name_ = names.longest;
            return Attempt::NamesTooLong;
        }
        const std::map<std::string, KernelSizes> sizes =
            request.memory_use ? request.memory_use->sizes(code) : std::map<std::string, KernelSizes>();
        if (!names.problem.empty() || !complete_module(code, names, request.name_slot_bytes, sizes)) {
            module_errors_ = concat({"the module's table cannot be completed: ", names.problem, "\n"});
            return Attempt::Failed;
        }
        refusal_ = refused_module(program_, options_, unit, names, code);
        if (!refusal_.empty()) return Attempt::Failed;
        compiled.lowered.clear();
        for (size_t row : module.expression_entries) compiled.lowered.push_back(names.lowered[row]);
        if (!options_.relocatable && !is_module(code)) return Attempt::Failed;
        seal_image(code.data(), code.size());
        if (options_.relocatable && !put_module_before(code, object, library)) return Attempt::Failed;
        compiled.code = std::move(code);
        return Attempt::Done;
    }

    // Links the completed object alone, for programs that load it as it is, and puts that module before it.
    bool put_module_before(std::string& code, const std::string& object, const std::string& library) {
        std::string module;
        if (!write_file_atomically(object, code) || !steps_->link(object, library)) return false;
        if (!read_file(library, module)) return false;
        module.resize(elf_image_size(module.data(), module.size()));
        if (!is_module(module)) return false;
        seal_image(module.data(), module.size());
        code.insert(0, module);
        return true;
    }

    // Takes out of a linked image what would run as it is loaded, and looks for content that no module has.
    bool is_module(std::string& image) {
        remove_starts(image.data(), image.size());
        const std::string content = refused_content(image.data(), image.size());
        if (!content.empty()) module_errors_ = concat({"the module has ", content, ", which no module may have\n"});
        return content.empty();
    }

    const ProgramSource& program_;
    const std::vector<std::string>& expressions_;
    const Compiler& compiler_;
    const DeviceHeaders& headers_;
    CompileOptions options_;
    IncludeClosure includes_;
    std::string scratch_, headers_folder_, module_errors_, warnings_;
    DirectiveMessages directives_;
    std::string parse_errors_;  // of the front end, for a text that it could not read
    std::string own_macros_;    // lines that end macros of the prelude, empty for none
    bool redefines_ = false;    // the program defines a function of the prelude, or one of its own twice
    std::string refusal_;       // the message for a module that CUDA would refuse, empty where there is none
    std::string store_key_;     // the key that the module is cached under, empty where it is not cached
    std::optional<CompileSteps> steps_;
    std::optional<Diagnosis> diagnosis_;
    GeneratedCodeFaults faults_;
    size_t longest_name_ = 0;
    HostHeaders host_headers_;
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
