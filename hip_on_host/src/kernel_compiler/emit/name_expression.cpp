#include "kernel_compiler/emit/name_expression.h"

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

std::string without_whitespace(const std::string& text) {
    std::string result;
    for (char c : text)
        if (c != ' ' && c != '\t' && c != '\n') result += c;
    return result;
}

}  // namespace

NameExpression::NameExpression(const std::string& text) {
    const size_t begin = text.find_first_not_of(" \t&");
    std::string rest = begin == std::string::npos ? "" : text.substr(begin);
    const size_t angle = rest.find('<');
    name = without_whitespace(rest.substr(0, angle));
    if (angle != std::string::npos) arguments = rest.substr(angle);
    if (name.compare(0, 2, "::") == 0) name.erase(0, 2);
    if (name.empty() || name[0] == '(' || name == "static_cast") {  // a cast picks an overload: nothing to take apart
        name.clear();
        arguments = rest;
    }
}

std::string ask_for_instantiations(const std::vector<std::string>& name_expressions) {
    std::string text;
    for (size_t i = 0; i < name_expressions.size(); ++i) {
        const NameExpression expression(name_expressions[i]);
        if (expression.arguments.empty() || expression.name.empty()) continue;
        append(text, {"__attribute__((unused)) static auto* const cuda_shim_asked_", std::to_string(i),
                      " = &::", expression.name, expression.arguments, ";\n"});
    }
    return text;
}

}  // namespace cuda_shim
