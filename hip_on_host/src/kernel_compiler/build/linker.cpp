#include "kernel_compiler/build/linker.h"

#include <algorithm>

#include "common/elf_image.h"
#include "common/files.h"
#include "common/module_content.h"
#include "common/module_imports.h"
#include "common/program_symbol.h"
#include "common/settings.h"
#include "kernel_compiler/build/compiler.h"
#include "kernel_compiler/build/kernel_cache.h"
#include "kernel_compiler/build/link_step.h"
#include "kernel_compiler/build/module_image.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

LinkedModule failed(const std::string& problem) {
    LinkedModule linked;
    linked.problem = problem;
    return linked;
}

std::vector<std::string> undefined_names(const std::string& module) {
    return elf_undefined_symbols(module.data(), elf_image_size(module.data(), module.size()));
}

// The name of the first input that uses a symbol.
std::string user_of(const std::string& symbol, const std::vector<LinkInput>& inputs) {
    for (const LinkInput& input : inputs) {
        const std::vector<std::string> names = undefined_names(input.code);
        if (std::find(names.begin(), names.end(), symbol) != names.end()) return input.name;
    }
    return inputs.front().name;
}

// Names that no input defines, nor CUDA: a line for each, as CUDA's linker words it.
std::string names_without_definition(const std::string& module, const std::vector<LinkInput>& inputs) {
    std::string lines;
    for (const std::string& name : refused_imports(module.data(), module.size()))
        append(lines,
               {"error   : Undefined reference to '", name_in_program(name), "' in '", user_of(name, inputs), "'\n"});
    return lines;
}

std::string refused_parts(const std::string& module) {
    const std::string content = refused_content(module.data(), module.size());
    return content.empty() ? "" : concat({"error   : The module has ", content, ", which no module may have\n"});
}

}  // namespace

LinkedModule link_modules(const std::vector<LinkInput>& inputs) {
    if (inputs.empty()) return failed("there is nothing to link\n");
    LinkedModule linked;
    if (inputs.size() == 1) {
        linked.code = inputs[0].code;
        linked.problem = names_without_definition(linked.code, inputs);
        if (linked.problem.empty()) linked.result = HIPRTC_SUCCESS;
        return linked;
    }
    const Compiler& compiler = kernel_compiler();
    if (!compiler.is_available()) return failed(compiler.problem);
    const ScratchFolder scratch(KernelCache::instance().scratch_parent());
    if (!scratch.exists()) return failed("no folder for temporary files; set CUDA_SHIM_CACHE_DIR or TMPDIR\n");
    std::vector<std::string> objects;
    for (const LinkInput& input : inputs) {
        const std::string_view object = linkable_object(input.code);
        if (object.empty())
            return failed(
                input.name +
                " was compiled as a whole module: compile it with --relocatable-device-code=true or -fgpu-rdc\n");
        objects.push_back(concat({scratch.path(), "/", std::to_string(objects.size()), ".o"}));
        if (!write_file_atomically(objects.back(), object))
            return failed(concat({"objects cannot be written to ", scratch.path(), "\n"}));
    }
    const std::string path = scratch.path() + "/linked.so";
    const ProcessResult linker = link_objects(compiler, objects, path);
    if (linker.exit_status != 0 || !read_file(path, linked.code)) return failed(linker.errors);
    linked.code.resize(elf_image_size(linked.code.data(), linked.code.size()));
    remove_starts(linked.code.data(), linked.code.size());
    mark_gpu(linked.code.data(), linked.code.size(), settings().gpu ? settings().gpu->machine : 0);
    linked.problem = names_without_definition(linked.code, inputs);
    if (linked.problem.empty()) linked.problem = refused_parts(linked.code);
    if (linked.problem.empty()) linked.result = HIPRTC_SUCCESS;
    return linked;
}

}  // namespace cuda_shim
