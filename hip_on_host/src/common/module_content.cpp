#include "common/module_content.h"

#include <elf.h>
#include <string.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/elf_dynamic.h"
#include "common/elf_image.h"
#include "common/module_imports.h"
#include "common/program_symbol.h"
#include "common/word_list.h"

namespace cuda_shim {
namespace {

// Sections that are mapped: code, constants, variables, and tables for the loader. Others may begin like these,
// followed by a dot: ".rodata.str1.1".
constexpr std::string_view kSections =
    ".text .plt .iplt .rodata .lrodata .data .ldata .bss .lbss .tdata .tbss .got .dynamic .dynsym .dynstr .hash "
    ".gnu.hash .gnu.version .gnu.version_r .rela.dyn .rela.plt .relr.dyn .note .eh_frame .eh_frame_hdr "
    ".relro_padding .tm_clone_table .init .fini .init_array .fini_array .gnu.build.attributes "
    "cuda_shim_kernels cuda_shim_units";

constexpr std::string_view kLibraries = "libm.so libmvec.so libc.so libgcc_s.so ld-linux ld-musl libc.musl";

// Functions and variables of the prelude that compilers call by these names, and CUDA's.
constexpr std::string_view kPrelude =
    "malloc free __tls_get_addr __dso_handle __cxa_pure_virtual __cxa_atexit __cxa_thread_atexit __stack_chk_fail "
    "__stack_chk_guard";
// Linkers define these, and the start files that zig links into every shared object.
constexpr std::string_view kLinker =
    "_DYNAMIC _GLOBAL_OFFSET_TABLE_ _PROCEDURE_LINKAGE_TABLE_ __GNU_EH_FRAME_HDR __EH_FRAME_BEGIN__ __FRAME_END__ "
    "__TMC_END__ __TMC_LIST__ __bss_start _edata _end _init _fini frame_dummy register_tm_clones "
    "deregister_tm_clones __do_global_dtors_aux __do_global_dtors_aux_fini_array_entry "
    "__frame_dummy_init_array_entry __start_cuda_shim_units __stop_cuda_shim_units _sub_I_00099_0 "
    "__gnu_h2f_ieee __gnu_f2h_ieee init_have_lse_atomics";
// Beginnings of the support library's names: conversions and arithmetic of wide numbers and of halves, and the function
// by which GCC's raises their exceptions.
constexpr std::string_view kSupport =
    "__div __mul __mod __udiv __umod __fix __float __extend __trunc __popcount __clz __ctz __ffs __parity __pow __neg "
    "__add __sub __cmp __ucmp __ashl __ashr __lshr __bswap __eq __ne __lt __le __gt __ge __unord __abs __aarch64_ "
    "__sfp_";
constexpr std::string_view kReserved = "_Z cuda_shim __tsan_ __ubsan_ $";

bool begins_with(std::string_view list, std::string_view name) {
    return any_word(list, [&](std::string_view beginning) { return name.substr(0, beginning.size()) == beginning; });
}

bool is_section(std::string_view name) {
    return any_word(kSections, [&](std::string_view word) {
        return name.substr(0, word.size()) == word && (name.size() == word.size() || name[word.size()] == '.');
    });
}

// Checked kernels define these, to announce the accesses of compilers' own copies. Other modules have C's.
constexpr std::string_view kCopies = "memcpy memmove memset", kChecked = "__tsan_read1";

// zig links the whole of its support library where a module needs a function of it: with C's and libm's names too,
// hidden.
constexpr std::string_view kOfZig = "__zig_probe_stack";

// Functions that compilers use unasked, beside those that a module may import.
constexpr std::string_view kOfCompilers = "abort calloc exit realloc longjmp setjmp vfork";

// A name with a dot is nobody's outside of the module: a program's symbol, or a compiler's own. Linkers, loaders and
// compilers have names that begin with an underscore, and compilers call functions of C unasked.
bool is_symbol(std::string_view name) {
    if (name.empty() || name.find('.') != std::string_view::npos || begins_with(kReserved, name)) return true;
    if (has_word(kPrelude, name) || has_word(kLinker, name) || begins_with(kSupport, name)) return true;
    return name.front() != '_' && !has_word(kOfCompilers, name) && !may_be_imported(name);
}

bool is_start(int64_t tag) {
    switch (tag) {
        case DT_INIT:
        case DT_FINI:
        case DT_INIT_ARRAY:
        case DT_INIT_ARRAYSZ:
        case DT_FINI_ARRAY:
        case DT_FINI_ARRAYSZ:
        case DT_PREINIT_ARRAY:
        case DT_PREINIT_ARRAYSZ:
            return true;
        default:
            return false;
    }
}

// Entries that describe tables, and where libraries are searched for that the process has opened already.
bool is_table(int64_t tag) {
    switch (tag) {
        case DT_NEEDED:
        case DT_PLTRELSZ:
        case DT_PLTGOT:
        case DT_HASH:
        case DT_STRTAB:
        case DT_SYMTAB:
        case DT_RELA:
        case DT_RELASZ:
        case DT_RELAENT:
        case DT_STRSZ:
        case DT_SYMENT:
        case DT_SONAME:
        case DT_SYMBOLIC:
        case DT_PLTREL:
        case DT_DEBUG:
        case DT_JMPREL:
        case DT_BIND_NOW:
        case DT_RPATH:
        case DT_RUNPATH:
        case DT_FLAGS:
        case DT_FLAGS_1:
        case DT_GNU_HASH:
        case DT_TLSDESC_PLT:
        case DT_TLSDESC_GOT:
        case DT_RELACOUNT:
        case DT_VERSYM:
        case DT_VERNEED:
        case DT_VERNEEDNUM:
            return true;
        default:
            constexpr int64_t kFirstRelative = 35, kLastRelative = 37;  // DT_RELRSZ, DT_RELR, DT_RELRENT of newer elf.h
            return (tag >= kFirstRelative && tag <= kLastRelative) || (tag >= DT_LOPROC && tag < DT_LOPROC + 16);
    }
}

std::string refused_dynamic_entry(const ElfDynamic& dynamic) {
    if (!dynamic.is_readable()) return "no dynamic segment that can be read";
    for (const Elf64_Dyn& entry : dynamic.entries()) {
        if (is_start(entry.d_tag)) return "a function that runs as it is loaded or unloaded";
        if (!is_table(entry.d_tag)) return "the dynamic entry " + std::to_string(entry.d_tag);
    }
    for (const std::string& library : dynamic.libraries())
        if (!begins_with(kLibraries, library)) return "the library " + library + " loaded with it";
    return dynamic.has_resolver() ? "a function that runs as it is loaded (a resolver)" : "";
}

// Segments that hold code can be written by nothing, and stacks hold no code.
std::string refused_segment(const char* image, size_t size) {
    Elf64_Ehdr header;
    if (size < sizeof header) return "no header";
    memcpy(&header, image, sizeof header);
    for (size_t i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        if (header.e_phoff + (i + 1) * sizeof segment > size) return "a damaged header";
        memcpy(&segment, image + header.e_phoff + i * sizeof segment, sizeof segment);
        const bool holds_code = (segment.p_flags & PF_X) != 0;
        if (segment.p_type == PT_LOAD && holds_code && (segment.p_flags & PF_W)) return "code that can be written";
        if (segment.p_type == PT_GNU_STACK && holds_code) return "code on its stacks";
    }
    return "";
}

}  // namespace

std::string refused_content(const char* image, size_t size) {
    const std::string segment = refused_segment(image, size);
    if (!segment.empty()) return segment;
    const std::string entry = refused_dynamic_entry(ElfDynamic(image, size));
    if (!entry.empty()) return entry;
    for (const std::string& section : elf_mapped_sections(image, size))
        if (!is_section(section)) return "the section " + section;
    const std::vector<std::string> symbols = elf_defined_symbols(image, size);
    const bool is_checked = std::binary_search(symbols.begin(), symbols.end(), kChecked);
    if (std::binary_search(symbols.begin(), symbols.end(), kOfZig)) return "";
    for (const std::string& name : symbols)
        if (!is_symbol(name) && !(is_checked && has_word(kCopies, name))) return "the symbol " + name;
    return "";
}

void remove_starts(char* image, size_t size) {
    const ElfDynamic dynamic(image, size);
    if (!dynamic.is_readable()) return;
    std::vector<Elf64_Dyn> entries;
    for (const Elf64_Dyn& entry : dynamic.entries())
        if (!is_start(entry.d_tag)) entries.push_back(entry);
    entries.resize(dynamic.entries().size());  // entries of the tag DT_NULL
    if (!entries.empty()) memcpy(image + dynamic.offset(), entries.data(), entries.size() * sizeof(Elf64_Dyn));
}

}  // namespace cuda_shim
