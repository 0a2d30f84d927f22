// Questions about types, as Clang writes them.
#pragma once
#include <string_view>

namespace cuda_shim {
namespace type_names {

bool is_reference(std::string_view type);
bool is_pointer(std::string_view type);
// Without const and its like, and without what makes it a pointer or a reference.
std::string_view without_qualifiers(std::string_view type);
// Without namespaces and template arguments.
std::string_view class_name(std::string_view type);
// Has a value of the type parts of 32 bits alone? For CUDA's types.
bool is_of_words(std::string_view type);
// Does a function of that type return a pointer or a reference?
bool returns_address(std::string_view function_type);

}  // namespace type_names
}  // namespace cuda_shim
