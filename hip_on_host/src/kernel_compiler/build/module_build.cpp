#include "kernel_compiler/build/module_build.h"

#include <map>

#include "common/elf_image.h"
#include "common/files.h"
#include "common/module_content.h"
#include "kernel_compiler/build/module_image.h"
#include "kernel_compiler/emit/symbol_labels.h"
#include "kernel_compiler/refusals/module_limits.h"

namespace cuda_shim {
namespace {

class ModuleBuild {
public:
    ModuleBuild(const ModuleText& module, const TranslationUnit& unit, const ModuleRequest& request,
                const CompileContext& context, CompileSteps& steps)
        : module_(module),
          unit_(unit),
          request_(request),
          context_(context),
          steps_(steps),
          is_object_(context.options.relocatable),
          library_(context.scratch + "/kernel.so"),
          object_(context.scratch + "/kernel.o") {}

    BuiltModule run() {
        if (!compile() || !complete() || !finish()) return std::move(built_);
        built_.outcome = BuiltModule::Done;
        return std::move(built_);
    }

private:
    bool compile() {
        const std::string source = context_.scratch + "/kernel.cpp";
        if (!write_file_atomically(source, module_.text)) return false;
        // A program that will be linked with others is completed before it is linked.
        const std::vector<std::string> words = unknown_to_compilers(module_.unmangled_functions);
        const bool compiled = is_object_ ? steps_.compile_object(unit_, source, object_, words)
                                         : steps_.compile_module(unit_, source, library_, words);
        built_.errors = steps_.errors();
        if (!compiled || !read_file(is_object_ ? object_ : library_, built_.code)) return false;
        built_.code.resize(elf_image_size(built_.code.data(), built_.code.size()));
        return true;
    }

    bool complete() {
        const ModuleNames names = read_lowered_names(built_.code, module_.unmangled_entries);
        if (names.longest > request_.name_slot_bytes) {
            built_.longest_name = names.longest;
            built_.outcome = BuiltModule::NamesTooLong;
            return false;
        }
        const std::map<std::string, KernelSizes> sizes =
            request_.memory_use ? request_.memory_use->sizes(built_.code) : std::map<std::string, KernelSizes>();
        if (!names.problem.empty() || !complete_module(built_.code, names, request_.name_slot_bytes, sizes)) {
            built_.errors = concat({"the module's table cannot be completed: ", names.problem, "\n"});
            return false;
        }
        built_.refusal = refused_module(context_.program, context_.options, unit_, names, built_.code);
        if (!built_.refusal.empty()) {
            built_.outcome = BuiltModule::Refused;
            return false;
        }
        for (const size_t row : module_.expression_entries) built_.lowered.push_back(names.lowered[row]);
        return true;
    }

    bool finish() {
        if (!is_object_ && !clear_of_foreign_content(built_.code)) return false;
        seal_image(built_.code.data(), built_.code.size());
        return !is_object_ || put_module_before();
    }

    // Links the completed object alone, for programs that load it as it is, and puts that module before it.
    bool put_module_before() {
        std::string module;
        const bool linked = write_file_atomically(object_, built_.code) && steps_.link(object_, library_);
        built_.errors = steps_.errors();
        if (!linked || !read_file(library_, module)) return false;
        module.resize(elf_image_size(module.data(), module.size()));
        if (!clear_of_foreign_content(module)) return false;
        seal_image(module.data(), module.size());
        built_.code.insert(0, module);
        return true;
    }

    // Takes out of a linked image what would run as it is loaded. False if it has content that no module has.
    bool clear_of_foreign_content(std::string& image) {
        remove_starts(image.data(), image.size());
        const std::string content = refused_content(image.data(), image.size());
        if (!content.empty()) built_.errors = concat({"the module has ", content, ", which no module may have\n"});
        return content.empty();
    }

    const ModuleText& module_;
    const TranslationUnit& unit_;
    const ModuleRequest& request_;
    const CompileContext& context_;
    CompileSteps& steps_;
    const bool is_object_;
    const std::string library_, object_;
    BuiltModule built_;
};

}  // namespace

BuiltModule build_module(const ModuleText& module, const TranslationUnit& unit, const ModuleRequest& request,
                         const CompileContext& context, CompileSteps& steps) {
    return ModuleBuild(module, unit, request, context, steps).run();
}

}  // namespace cuda_shim
