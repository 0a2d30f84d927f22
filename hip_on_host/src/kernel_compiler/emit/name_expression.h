// Name expressions, by which programs ask for the lowered names of kernels: "&ns::scale<float, 128>".
#pragma once
#include <string>
#include <vector>

namespace cuda_shim {

// A name expression without its & and the blanks around it, in two parts: "ns::scale" and "<float, 128>".
struct NameExpression {
    std::string name, arguments;

    explicit NameExpression(const std::string& text);
    std::string unqualified() const {
        return name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
    }
    std::string qualifier() const { return name.substr(0, name.size() - unqualified().size()); }
};

// Text behind the program that makes a compiler instantiate the kernels which the expressions ask for.
std::string ask_for_instantiations(const std::vector<std::string>& name_expressions);

}  // namespace cuda_shim
