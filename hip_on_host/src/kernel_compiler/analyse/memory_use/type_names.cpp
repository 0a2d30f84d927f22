#include "kernel_compiler/analyse/memory_use/type_names.h"

#include <array>

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace type_names {

bool is_reference(std::string_view type) { return ends_with(type, "&"); }
bool is_pointer(std::string_view type) {
    while (ends_with(type, "const") || ends_with(type, "__restrict") || ends_with(type, " "))
        type.remove_suffix(ends_with(type, "const") ? 5 : ends_with(type, " ") ? 1 : 10);
    return ends_with(type, "*");
}

std::string_view without_qualifiers(std::string_view type) {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::string_view word : {"const ", "volatile ", "struct ", "class ", "union "})
            if (starts_with(type, word)) type.remove_prefix(word.size()), changed = true;
        for (std::string_view word : {" const", " volatile", "&", "*", " "})
            if (ends_with(type, word)) type.remove_suffix(word.size()), changed = true;
    }
    return type;
}

std::string_view class_name(std::string_view type) {
    type = without_qualifiers(type);
    type = type.substr(0, type.find('<'));
    const size_t scope = type.rfind("::");
    return scope == std::string_view::npos ? type : type.substr(scope + 2);
}

bool is_of_words(std::string_view type) {
    static constexpr std::array<std::string_view, 16> words = {
        "int",   "unsigned int", "float", "int1",   "int2",   "int3",   "int4",   "uint1",
        "uint2", "uint3",        "uint4", "float1", "float2", "float3", "float4", "dim3"};
    return one_of(type, words);
}

bool returns_address(std::string_view function_type) {
    std::string_view result = function_type.substr(0, function_type.find('('));
    while (ends_with(result, " ")) result.remove_suffix(1);
    return ends_with(result, "&") || ends_with(result, "*");
}

}  // namespace type_names
}  // namespace cuda_shim
