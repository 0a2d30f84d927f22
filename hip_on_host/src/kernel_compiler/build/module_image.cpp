#include "kernel_compiler/build/module_image.h"

#include <elf.h>
#include <string.h>

#include <algorithm>
#include <map>

#include "abi/kernel_module.h"
#include "common/elf_image.h"
#include "kernel_compiler/build/lowered_names.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

Elf64_Shdr section_header(const std::string& image, const Elf64_Ehdr& header, size_t index) {
    Elf64_Shdr section{};
    const size_t at = header.e_shoff + index * sizeof section;
    if (index < header.e_shnum && at + sizeof section <= image.size())
        memcpy(&section, image.data() + at, sizeof section);
    return section;
}

// The offset of a symbol's bytes in the file; npos when they are not in it (the linker put them into zeroed memory).
size_t file_offset(const std::string& image, const ElfSymbol& symbol, size_t bytes) {
    Elf64_Ehdr header;
    if (image.size() < sizeof header) return std::string::npos;
    memcpy(&header, image.data(), sizeof header);
    if (header.e_type == ET_REL) {
        const Elf64_Shdr section = section_header(image, header, symbol.section);
        const size_t offset = section.sh_offset + symbol.value;
        const bool inside = section.sh_type == SHT_PROGBITS && symbol.value + bytes <= section.sh_size &&
                            offset + bytes <= image.size();
        return inside ? offset : std::string::npos;
    }
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        const size_t at = header.e_phoff + i * sizeof segment;
        if (at + sizeof segment > image.size()) return std::string::npos;
        memcpy(&segment, image.data() + at, sizeof segment);
        if (segment.p_type != PT_LOAD || symbol.value < segment.p_vaddr ||
            symbol.value + bytes > segment.p_vaddr + segment.p_filesz)
            continue;
        const size_t offset = segment.p_offset + (symbol.value - segment.p_vaddr);
        return offset + bytes <= image.size() ? offset : std::string::npos;
    }
    return std::string::npos;
}

// A table is a symbol of C linkage in a module, and one of the file's own in an object.
const ElfSymbol* find_table(const std::vector<ElfSymbol>& symbols, const std::string& name) {
    const std::string own = concat({"_ZL", std::to_string(name.size()), name});
    for (const ElfSymbol& symbol : symbols)
        if (symbol.name == name || symbol.name == own) return &symbol;
    return nullptr;
}

// The offset of a table of `bytes` in the file; npos when the module has no such table.
size_t table_offset(const std::string& module, const std::vector<ElfSymbol>& symbols, const char* name, size_t bytes) {
    const ElfSymbol* symbol = find_table(symbols, name);
    return symbol ? file_offset(module, *symbol, bytes) : std::string::npos;
}

// Thread-local variables by name, with their sizes: shared variables are thread-local.
std::map<std::string, uint64_t> thread_locals(const std::string& module) {
    std::map<std::string, uint64_t> sizes;
    Elf64_Ehdr header;
    memcpy(&header, module.data(), sizeof header);
    for (size_t i = 0; i < header.e_shnum; ++i) {
        const Elf64_Shdr table = section_header(module, header, i);
        if (table.sh_type != SHT_SYMTAB || table.sh_offset + table.sh_size > module.size()) continue;
        const Elf64_Shdr strings = section_header(module, header, table.sh_link);
        for (size_t k = 0; k < table.sh_size / sizeof(Elf64_Sym); ++k) {
            Elf64_Sym symbol;
            memcpy(&symbol, module.data() + table.sh_offset + k * sizeof symbol, sizeof symbol);
            const size_t name = strings.sh_offset + symbol.st_name;
            if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS || name >= module.size()) continue;
            sizes.emplace(std::string(module.data() + name, strnlen(module.data() + name, module.size() - name)),
                          symbol.st_size);
        }
    }
    return sizes;
}

// The symbols of a function's variables are named after it.
uint32_t static_shared_bytes(const std::map<std::string, uint64_t>& variables, const std::string& symbol) {
    const std::string prefix = local_prefix(symbol);
    uint64_t bytes = 0;
    for (auto it = variables.lower_bound(prefix);
         it != variables.end() && it->first.compare(0, prefix.size(), prefix) == 0; ++it)
        bytes = (bytes + 15) / 16 * 16 + it->second;
    return static_cast<uint32_t>(bytes);
}

}  // namespace

ModuleNames read_lowered_names(const std::string& module, const std::vector<std::string>& unmangled) {
    const size_t entry_count = unmangled.size();
    ModuleNames names;
    names.lowered.resize(entry_count);
    names.symbols.resize(entry_count);
    for (const ElfSymbol& symbol : elf_symbols(module.data(), module.size())) {
        const EntryName name = read_anchor(symbol.name);
        if (!name.valid || name.entry >= entry_count) continue;
        const std::string& lowered = unmangled[name.entry].empty() ? name.lowered : unmangled[name.entry];
        names.lowered[name.entry] = lowered;
        names.symbols[name.entry] = name.symbol;
        names.longest = std::max(names.longest, lowered.size() + 1);
    }
    for (size_t entry = 0; entry < entry_count; ++entry)
        if (names.lowered[entry].empty())
            names.problem = concat({"no symbol names entry ", std::to_string(entry), " of the module"});
    return names;
}

std::vector<std::pair<std::string, std::string>> constants_of_module(const std::string& module, std::string_view part,
                                                                     size_t bytes) {
    std::vector<std::pair<std::string, std::string>> constants;
    for (const ElfSymbol& symbol : elf_symbols(module.data(), module.size())) {
        if (symbol.is_function || symbol.name.find(part) == std::string::npos) continue;
        const size_t at = file_offset(module, symbol, bytes);
        if (at != std::string::npos) constants.emplace_back(symbol.name, module.substr(at, bytes));
    }
    return constants;
}

bool complete_module(std::string& module, const ModuleNames& names, size_t slot_bytes,
                     const std::map<std::string, KernelSizes>& sizes) {
    const size_t entry_count = names.lowered.size();
    if (entry_count == 0) return true;
    const std::vector<ElfSymbol> symbols = elf_symbols(module.data(), module.size());
    const size_t slots = table_offset(module, symbols, "cuda_shim_lowered_names", entry_count * slot_bytes);
    const size_t table = table_offset(module, symbols, "cuda_shim_symbols", entry_count * sizeof(CudaShimSymbol));
    if (slots == std::string::npos || table == std::string::npos || names.longest > slot_bytes) return false;
    const std::map<std::string, uint64_t> shared_variables = thread_locals(module);
    for (size_t entry = 0; entry < entry_count; ++entry) {
        char* slot = module.data() + slots + entry * slot_bytes;
        memset(slot, 0, slot_bytes);
        names.lowered[entry].copy(slot, slot_bytes);
        auto kernel = sizes.find(names.symbols[entry]);
        if (kernel == sizes.end()) kernel = sizes.find(names.lowered[entry]);
        const KernelSizes memory = kernel != sizes.end()
                                       ? kernel->second
                                       : KernelSizes{static_shared_bytes(shared_variables, names.symbols[entry]), 0};
        char* const symbol = module.data() + table + entry * sizeof(CudaShimSymbol);
        memcpy(symbol + offsetof(CudaShimSymbol, static_shared_bytes), &memory.shared_bytes, sizeof(uint32_t));
        memcpy(symbol + offsetof(CudaShimSymbol, local_bytes), &memory.local_bytes, sizeof(uint32_t));
    }
    return true;
}

std::vector<CudaShimSymbol> table_of_module(const std::string& module, size_t entry_count) {
    const std::vector<ElfSymbol> symbols = elf_symbols(module.data(), module.size());
    const size_t table = table_offset(module, symbols, "cuda_shim_symbols", entry_count * sizeof(CudaShimSymbol));
    if (table == std::string::npos) return {};
    std::vector<CudaShimSymbol> rows(entry_count);
    memcpy(static_cast<void*>(rows.data()), module.data() + table, entry_count * sizeof(CudaShimSymbol));
    return rows;
}

size_t module_bytes(std::string_view bytes) {
    const size_t module = elf_image_size(bytes.data(), bytes.size());
    return module == 0 ? 0 : module + linkable_object(bytes).size();
}

std::string_view linkable_object(std::string_view bytes) {
    const size_t module = elf_image_size(bytes.data(), bytes.size());
    if (module == 0 || bytes.size() < module + sizeof(Elf64_Ehdr)) return {};
    const std::string_view rest = bytes.substr(module);
    Elf64_Ehdr header;
    memcpy(&header, rest.data(), sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_REL) return {};
    return rest.substr(0, elf_image_size(rest.data(), rest.size()));
}

}  // namespace cuda_shim
