#include "common/module_imports.h"

#include <algorithm>

#include "common/elf_image.h"
#include "common/word_list.h"

namespace cuda_shim {
namespace {

// Functions of double precision; the names for floats and long doubles have a letter more at the end.
constexpr std::string_view kMathematics =
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs fdim floor "
    "fma fmax fmin fmod frexp hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround "
    "modf nan nearbyint nextafter nexttoward pow remainder remquo rint round roundeven scalb scalbln scalbn sin sincos "
    "sinh sqrt tan tanh tgamma trunc y0 y1 yn "
    "cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog conj cpow cproj creal csin csinh "
    "csqrt "
    "ctan ctanh "
    "isinf isnan finite __isinf __isnan __finite __signbit __fpclassify";

// Bytes and texts, in the program's memory alone.
constexpr std::string_view kBytes =
    "memcpy memmove memset memcmp memchr bcmp mempcpy strlen strnlen strcmp strncmp strcpy strncpy strcat strncat "
    "strchr "
    "strrchr strstr strspn strcspn strpbrk abs labs llabs";

// The device's printf, which compilers turn into others, and messages of assert.
constexpr std::string_view kOutput = "printf vprintf puts putchar snprintf vsnprintf";

// The prelude finds shared memory by these; variables of threads and virtual methods need the others.
constexpr std::string_view kOwn = "__tls_get_addr dl_iterate_phdr __cxa_pure_virtual __cxa_deleted_virtual";

// The start files that zig links into every shared object; they do nothing here.
constexpr std::string_view kStartFiles =
    "__cxa_finalize __gmon_start__ _ITM_deregisterTMCloneTable _ITM_registerTMCloneTable";
// Their functions, and the compilers' own of checked kernels, which a table of constructors or destructors may have.
constexpr std::string_view kStarts = "frame_dummy tsan.module_ctor _sub_I_00099_0";
constexpr std::string_view kEnds = "__do_global_dtors_aux";

// "__memcpy_chk": where the machine's compiler checks lengths by default.
bool is_checked_form(std::string_view symbol) {
    constexpr std::string_view before = "__", behind = "_chk";
    if (symbol.size() <= before.size() + behind.size() || symbol.substr(0, before.size()) != before) return false;
    if (symbol.substr(symbol.size() - behind.size()) != behind) return false;
    symbol = symbol.substr(before.size(), symbol.size() - before.size() - behind.size());
    return has_word(kBytes, symbol) || has_word(kOutput, symbol);
}

}  // namespace

bool may_be_imported(std::string_view symbol) {
    if (symbol.substr(0, 4) == "_ZGV") return true;  // vectors of mathematical functions
    for (std::string_view words : {kMathematics, kBytes, kOutput, kOwn, kStartFiles})
        if (has_word(words, symbol)) return true;
    const bool other_precision = !symbol.empty() && (symbol.back() == 'f' || symbol.back() == 'l');
    return (other_precision && has_word(kMathematics, symbol.substr(0, symbol.size() - 1))) || is_checked_form(symbol);
}

std::vector<std::string> refused_imports(const void* image, size_t size) {
    std::vector<std::string> symbols = elf_undefined_symbols(image, size);
    symbols.erase(std::remove_if(symbols.begin(), symbols.end(), may_be_imported), symbols.end());
    return symbols;
}

bool runs_when_loaded(const void* image, size_t size) {
    const ElfStarts starts = elf_starts(image, size);
    if (starts.resolvers) return true;
    size_t constructors = starts.constructors, destructors = starts.destructors;
    for (const ElfSymbol& symbol : elf_symbols(image, size)) {
        if (!symbol.is_function) continue;
        if (constructors && has_word(kStarts, symbol.name)) --constructors;
        if (destructors && has_word(kEnds, symbol.name)) --destructors;
    }
    return constructors || destructors;
}

}  // namespace cuda_shim
