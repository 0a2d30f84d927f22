#include "kernel_compiler/module_attempts.h"

#include <atomic>
#include <map>
#include <utility>

#include "common/files.h"
#include "common/log.h"

namespace cuda_shim {
namespace {

constexpr size_t kMaxCheckedKernels = 24;  // kernels that are tried one by one when one of them does not compile

std::string lines_of(const std::vector<std::string>& notes) {
    std::string text;
    for (const std::string& note : notes) append(text, {"kernel ", note, "\n"});
    return text;
}

// Warns once for a process: the reason holds for all of its programs.
void warn_that_kernels_crawl(const std::string& program, const std::string& kernel) {
    static std::atomic<bool> warned{false};
    if (warned.exchange(true)) return;
    log(LogLevel::Warn,
        "%s: kernel %s runs thread by thread, as all kernels with barriers or loops do here, about 50 times "
        "slower: %s",
        program.c_str(), kernel.c_str(), syntax_compiler().problem.c_str());
}

}  // namespace

ModuleAttempts::ModuleAttempts(const ReadText& text, const CompileContext& context, CompileSteps& steps,
                               std::function<bool()> program_is_right)
    : text_(text),
      context_(context),
      steps_(steps),
      program_is_right_(std::move(program_is_right)),
      memory_use_(text.program()) {
    request_.relocatable = context.options.relocatable;
    request_.completes = context.options.cuda != 0;
    request_.program_name = context.program.name;
    request_.name_expressions = context.expressions;
    request_.rewrite_kernels = context.rewrites_kernels();
    request_.not_inlined = text.not_inlined();
    request_.memory_use = &memory_use_;
}

BuiltModule ModuleAttempts::run(PassWatch& watch) {
    while (true) {
        const ModuleText module = write_module(text_.program(), text_.with_inlined_calls(), request_);
        if (watch.saw(kFormsPass, lines_of(module.notes)) || watch.saw(kModulePass, module.text)) return {};
        BuiltModule built = build_module(module, text_.unit(), request_, context_, steps_);
        switch (built.outcome) {
            case BuiltModule::Refused:
                return built;
            case BuiltModule::NamesTooLong:
                request_.name_slot_bytes = built.longest_name;
                break;
            case BuiltModule::Failed:
                if (!change_request(module, built.errors)) return built;
                break;
            case BuiltModule::Done:
                built.refusal = faults_.refusal();
                if (!built.refusal.empty())
                    built.outcome = BuiltModule::Refused;
                else
                    report(module);
                return built;
        }
    }
}

// Asks for another form of what does not compile. False if there is none, or the mistake is the program's own, as most
// often.
bool ModuleAttempts::change_request(const ModuleText& module, const std::string& errors) {
    const bool sizes_at_fault = request_.memory_use && KernelMemoryUse::is_named_in(errors);
    if (!sizes_at_fault && !program_is_right_()) return false;
    if (!sizes_at_fault && !module.rewritten.empty()) {
        leave_as_written(module.rewritten, errors);
        return true;
    }
    if (!request_.memory_use) return false;
    faults_.add("sizes of variables", errors);
    request_.memory_use = nullptr;
    return true;
}

// Finds the kernels whose rewritten form does not compile, by trying each alone.
void ModuleAttempts::leave_as_written(const std::vector<std::string>& rewritten, const std::string& errors) {
    const bool can_check = rewritten.size() > 1 && rewritten.size() <= kMaxCheckedKernels;
    std::map<std::string, std::string> rejected;  // with the compiler's errors
    for (const std::string& name : rewritten)
        if (!can_check || !compiles_alone(name, rewritten))
            rejected.emplace(name, can_check ? steps_.errors() : errors);
    // The error may need several rewritten kernels together.
    if (rejected.empty())
        for (const std::string& name : rewritten) rejected.emplace(name, errors);
    for (const auto& [name, its_errors] : rejected) {
        const std::string requirement = unmet_requirement(its_errors);
        if (requirement.empty()) faults_.add(concat({"loops of kernel ", name}), its_errors);
        request_.as_written.emplace(name, requirement.empty() ? kLoweredFormFault : requirement);
    }
}

bool ModuleAttempts::compiles_alone(const std::string& kernel, const std::vector<std::string>& rewritten) {
    ModuleRequest single = request_;
    for (const std::string& other : rewritten) single.as_written.emplace(other, "");
    single.as_written.erase(kernel);
    const std::string source = context_.scratch + "/check.cpp";
    std::vector<std::string> check_command = check_flags(object_compiler(), context_.scratch);
    check_command.push_back(source);
    const std::string text = write_module(text_.program(), text_.with_inlined_calls(), single).text;
    return write_file_atomically(source, text) && steps_.compile(text_.unit(), check_command);
}

void ModuleAttempts::report(const ModuleText& module) const {
    const std::string& program = context_.program.name;
    faults_.warn(program);
    for (const std::string& note : module.notes) log(LogLevel::Info, "%s: kernel %s", program.c_str(), note.c_str());
    if (!module.unparsed_kernel.empty() && !syntax_compiler().is_available())
        warn_that_kernels_crawl(program, module.unparsed_kernel);
}

}  // namespace cuda_shim
