#include "hiprtc/prelude_parts.h"

#include <algorithm>
#include <array>

namespace cuda_shim {
namespace {

// How the names of a part begin.
struct PreludePart {
    const char* flag;
    std::array<std::string_view, 8> beginnings;
};
constexpr PreludePart kParts[] = {
    {"-DCUDA_SHIM_TEXTURES", {"tex1D", "tex2D", "tex3D", "texCubemap", "surf1D", "surf2D", "surf3D", "surfCubemap"}},
};

bool begins_a_name(const PreludePart& part, std::string_view word) {
    return std::any_of(part.beginnings.begin(), part.beginnings.end(), [&](std::string_view beginning) {
        return !beginning.empty() && word.substr(0, beginning.size()) == beginning;
    });
}

}  // namespace

std::vector<std::string> prelude_part_flags(const TokenStream& tokens) {
    std::vector<std::string> flags;
    for (const PreludePart& part : kParts)
        for (size_t i = 0; i < tokens.size(); ++i)
            if (tokens.is_identifier(i) && begins_a_name(part, tokens.text(i))) {
                flags.push_back(part.flag);
                break;
            }
    return flags;
}

std::vector<std::string> all_prelude_part_flags() {
    std::vector<std::string> flags;
    for (const PreludePart& part : kParts) flags.push_back(part.flag);
    return flags;
}

}  // namespace cuda_shim
