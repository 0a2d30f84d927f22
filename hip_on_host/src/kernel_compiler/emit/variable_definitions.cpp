#include "kernel_compiler/emit/variable_definitions.h"

#include <algorithm>

namespace cuda_shim {

bool VariableDefinitions::is_defined(const VariableDeclaration& variable) {
    const bool has_linkage = variable.linkage != TokenStream::npos;
    if (variable.initialised || (!has_linkage && variable.external == TokenStream::npos)) return true;
    if (!has_linkage && !request_.completes) return false;
    if (request_.relocatable || variable.unsized || is_defined_too(variable)) return false;
    if (!declared_.emplace(variable.scope, variable.name).second) return false;
    const size_t word = has_linkage ? variable.linkage : variable.external;
    if (completed_.insert(word).second) make_definition(variable);
    return true;
}

bool VariableDefinitions::is_defined_too(const VariableDeclaration& declared) const {
    const auto& all = unit_.variables();
    return std::any_of(all.begin(), all.end(), [&](const VariableDeclaration& variable) {
        const bool defines =
            variable.initialised || (variable.external == TokenStream::npos && variable.linkage == TokenStream::npos);
        return defines && variable.name == declared.name && variable.scope == declared.scope;
    });
}

void VariableDefinitions::make_definition(const VariableDeclaration& variable) {
    if (variable.constant) {
        edits_.insert(tokens_[variable.end].begin, "{}");
    } else if (variable.linkage != TokenStream::npos) {
        edits_.insert(tokens_[variable.linkage].end, " {");
        edits_.insert(tokens_[variable.end].end, " }");
    } else {
        edits_.replace(tokens_[variable.external].begin, tokens_[variable.external].end, "");
    }
}

}  // namespace cuda_shim
