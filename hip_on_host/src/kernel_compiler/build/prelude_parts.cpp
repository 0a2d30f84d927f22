#include "kernel_compiler/build/prelude_parts.h"

#include "common/word_list.h"
#include "kernel_compiler/analyse/function_facts.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr char kTextureReferences[] = "-DCUDA_SHIM_TEXTURE_REFERENCES";

bool begins_a_name(const PreludePart& part, std::string_view word) {
    return any_word(part.beginnings, [&](std::string_view beginning) { return starts_with(word, beginning); });
}

bool says_a_name(const PreludePart& part, const TokenStream& tokens) {
    for (size_t i = 0; i < tokens.size(); ++i)
        if (tokens.is_identifier(i) && begins_a_name(part, tokens.text(i))) return true;
    return false;
}

// Is there a class of the program's whose name belongs to the part, or another name for a type?
bool declares_own(const PreludePart& part, const TokenStream& tokens) {
    for (size_t i = 1; i + 1 < tokens.size(); ++i) {
        if (!tokens.is_identifier(i) || !begins_a_name(part, tokens.text(i))) continue;
        const bool alias = tokens.is(i + 1, "=") && tokens.is(i - 1, "using");
        const bool typedef_name = tokens.is(i - 1, "}") && tokens.is(i + 1, ";");
        if (tokens.is(i + 1, "{") || alias || typedef_name) return true;
        if (tokens.is(i - 1, "struct") || tokens.is(i - 1, "class")) return true;
    }
    return false;
}

// `texture` is a word that programs use for things of their own as well: its template arguments have to follow.
bool uses_texture_references(const TokenStream& tokens) {
    for (size_t i = 0; i < tokens.size(); ++i)
        if (tokens.is(i, "textureReference") || tokens.is(i, "hipTextureReadMode") ||
            tokens.is(i, "cudaTextureReadMode") || (tokens.is(i, "texture") && tokens.is(i + 1, "<")))
            return !declares_own_texture(tokens);
    return false;
}

}  // namespace

bool declares_own_texture(const TokenStream& tokens) {
    for (size_t i = 1; i < tokens.size(); ++i)
        if (tokens.is(i, "texture") && (tokens.is(i - 1, "struct") || tokens.is(i - 1, "class"))) return true;
    return false;
}

std::vector<std::string> prelude_part_flags(const TokenStream& tokens, bool hip) {
    std::vector<std::string> flags;
    for (const PreludePart& part : kParts)
        if (says_a_name(part, tokens)) flags.push_back(part.flag);
    for (const PreludePart& part : kOwnableParts)
        if (says_a_name(part, tokens) && !declares_own(part, tokens)) flags.push_back(part.flag);
    if (hip) {
        for (const PreludePart& part : kHipParts)
            if (says_a_name(part, tokens)) flags.push_back(part.flag);
        for (const PreludePart& part : kNumberTypes)
            if (says_a_name(part, tokens) && !declares_own(part, tokens)) flags.push_back(part.flag);
    }
    if (uses_texture_references(tokens)) flags.push_back(kTextureReferences);
    return flags;
}

std::vector<std::string> all_prelude_part_flags(const std::string& program, bool hip) {
    std::vector<std::string> flags;
    for (const PreludePart& part : kParts) flags.push_back(part.flag);
    const TokenStream tokens(program);
    for (const PreludePart& part : kOwnableParts)
        if (!declares_own(part, tokens)) flags.push_back(part.flag);
    if (hip) {
        for (const PreludePart& part : kHipParts) flags.push_back(part.flag);
        for (const PreludePart& part : kNumberTypes)
            if (!declares_own(part, tokens)) flags.push_back(part.flag);
    }
    if (!declares_own_texture(tokens)) flags.push_back(kTextureReferences);
    return flags;
}

}  // namespace cuda_shim
