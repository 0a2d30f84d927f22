#include "kernel_compiler/prelude_parts.h"

#include "common/word_list.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// The beginnings of a part's names, in words with blanks between them.
struct PreludePart {
    const char* flag;
    std::string_view beginnings;
};
constexpr PreludePart kParts[] = {
    {"-DCUDA_SHIM_ADDRESS_SPACES", "__isGlobal __isShared __isClusterShared __isConstant __isLocal __cvta_"},
    {"-DCUDA_SHIM_CLUSTERS", "__cluster __threadfence_cluster"},
    {"-DCUDA_SHIM_CONDITIONS", "cudaGraphSetConditional __cudart_builtin__ CUDARTAPI"},
    {"-DCUDA_SHIM_DEVICE_ATTRIBUTES", "cudaDevAttr cudaDeviceAttr"},
    {"-DCUDA_SHIM_NV_ATOMICS", "__nv_atomic_ __NV_ATOMIC_ __NV_THREAD_SCOPE_"},
    {"-DCUDA_SHIM_ROUNDED_ARITHMETIC",
     "__fadd_ __fsub_ __fmul_ __fdiv_ __frcp_ __fsqrt_ __frsqrt_ __fmaf_ __dadd_ __dsub_ __dmul_ "
     "__ddiv_ __drcp_ __dsqrt_ __fma_"},
    {"-DCUDA_SHIM_SIMD_INTRINSICS", "__v"},
    {"-DCUDA_SHIM_SPECIAL_FUNCTIONS", "norm rnorm erfcx erfinv erfcinv cyl_bessel_i"},
    {"-DCUDA_SHIM_STATUS_NAMES", "cudaError cudaSuccess hipError hipSuccess"},
    {"-DCUDA_SHIM_TEXTURES", "tex1D tex2D tex3D texCubemap surf1D surf2D surf3D surfCubemap"},
};

// Parts that HIP programs have without a header, and CUDA programs do not have at all.
constexpr PreludePart kHipParts[] = {
    {"-DCUDA_SHIM_COMPLEX_NUMBERS",
     "hipFloatComplex hipDoubleComplex hipComplex make_hipFloatComplex "
     "make_hipDoubleComplex make_hipComplex"},
    {"-DCUDA_SHIM_HOST_STRUCTS", "hipExtent hipPos hipPitchedPtr make_hipExtent make_hipPos make_hipPitchedPtr"},
    {"-DCUDA_SHIM_MATH_CONSTANTS",
     "HIP_INF HIP_NAN HIP_MIN_DENORM HIP_MAX_NORMAL HIP_NEG_ZERO HIP_ZERO HIP_ONE HIP_SQRT HIP_THIRD HIP_PI HIP_3PIO4 "
     "HIP_2_OVER HIP_L2 HIP_LG HIP_LN HIP_TWO_TO HIP_NORM HIP_TRIG HIP_REMQUO HIP_DBL2INT"},
};

// Number types that HIP programs have as well, but may bring a definition of: NVIDIA's own headers, for one. CUDA
// programs include the headers that declare them.
constexpr PreludePart kNumberTypes[] = {
    {"-DCUDA_SHIM_BFLOAT16", "__hip_bfloat16 hip_bfloat16"},
    {"-DCUDA_SHIM_HALF", "__half __float2half"},
};

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
        if (tokens.is(i + 1, "{") || alias) return true;
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
    if (hip) {
        for (const PreludePart& part : kHipParts) flags.push_back(part.flag);
        for (const PreludePart& part : kNumberTypes)
            if (!declares_own(part, tokens)) flags.push_back(part.flag);
    }
    if (!declares_own_texture(tokens)) flags.push_back(kTextureReferences);
    return flags;
}

}  // namespace cuda_shim
