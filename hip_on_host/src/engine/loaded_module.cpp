#include "engine/loaded_module.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include <algorithm>

#include "common/demangle.h"
#include "common/program_symbol.h"

namespace cuda_shim {
namespace {

// "tile" of "reduce(float*)::tile".
std::string last_part(const std::string& name) {
    const size_t colons = name.rfind("::");
    return colons == std::string::npos ? name : name.substr(colons + 2);
}

// The argument of the C library's __tls_get_addr: a module's number and an offset into its variables.
struct ThreadLocalPlace {
    size_t module;
    size_t offset;
};
extern "C" void* __tls_get_addr(ThreadLocalPlace* place);

struct ModuleSearch {
    uintptr_t base;
    size_t number;
};

int compare_module(dl_phdr_info* info, size_t, void* data) {
    auto& search = *static_cast<ModuleSearch*>(data);
    if (info->dlpi_addr != search.base) return 0;
    search.number = info->dlpi_tls_modid;
    return 1;
}

}  // namespace

// The module's file while it is read. Reads outside of it yield zeros or empty text.
class LoadedModule::File {
public:
    explicit File(const MappedFile& file) : data_(file.data()), bytes_(file.size()) {}

    // [offset, offset + bytes), or null.
    const char* range(uint64_t offset, uint64_t bytes) const {
        return offset <= bytes_ && bytes <= bytes_ - offset ? data_ + offset : nullptr;
    }
    std::vector<Elf64_Shdr> sections() const {
        const auto header = read<Elf64_Ehdr>(0);
        std::vector<Elf64_Shdr> headers;
        for (unsigned i = 0; i < header.e_shnum; i++) {
            headers.push_back(read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
        }
        return headers;
    }
    template <class T>
    T read(uint64_t offset) const {
        T value{};
        if (const char* from = range(offset, sizeof value)) memcpy(&value, from, sizeof value);
        return value;
    }
    std::string text(const Elf64_Shdr& strings, uint64_t at) const {
        const char* table = range(strings.sh_offset, strings.sh_size);
        if (!table || at >= strings.sh_size) return "";
        return {table + at, strnlen(table + at, strings.sh_size - at)};
    }

private:
    const char* const data_;
    const size_t bytes_;
};

LoadedModule::LoadedModule(const CudaShimKernelModule& table, const MappedFile& file) : table_(table), file_(file) {
    Dl_info info;
    if (!dladdr(&table, &info) || !info.dli_fbase) return;
    const auto* base = static_cast<const char*>(info.dli_fbase);
    SharedVariables::Image thread_locals;
    Elf64_Ehdr header;
    memcpy(&header, base, sizeof header);
    bias_ = reinterpret_cast<uintptr_t>(base);
    first_ = bias_;
    last_ = bias_;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, base + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_TLS) {
            thread_locals = {base + segment.p_vaddr, segment.p_filesz, segment.p_memsz,
                             std::max<size_t>(1, segment.p_align)};
        }
        if (segment.p_type != PT_LOAD) continue;
        segments_.push_back({segment.p_vaddr, segment.p_memsz, (segment.p_flags & PF_W) != 0});
        last_ = std::max<uintptr_t>(last_, bias_ + segment.p_vaddr + segment.p_memsz);
    }
    if (!thread_locals.bytes) return;
    if (table.thread_locals) {
        shared_variables_.emplace(thread_locals, *table.thread_locals);
        return;
    }
    thread_local_bytes_ = thread_locals.bytes;
    ModuleSearch search = {bias_, 0};
    dl_iterate_phdr(compare_module, &search);
    thread_local_module_ = search.number;
}

LoadedModule::~LoadedModule() = default;

ThreadLocals LoadedModule::thread_locals_of_worker() const {
    if (shared_variables_) return {shared_variables_->of_this_thread(), shared_variables_->bytes()};
    if (!thread_local_module_) return {};
    ThreadLocalPlace place = {thread_local_module_, 0};
    return {static_cast<char*>(__tls_get_addr(&place)), thread_local_bytes_};
}

const LoadedModule::Details& LoadedModule::details() const {
    once_.run([this] { read_details(); });
    return *details_;
}

void LoadedModule::read_details() const {
    details_ = std::make_unique<Details>();
    const File file(file_);
    const std::vector<Elf64_Shdr> sections = file.sections();
    const auto header = file.read<Elf64_Ehdr>(0);
    for (const Elf64_Shdr& section : sections) {
        if (section.sh_type == SHT_SYMTAB && section.sh_link < sections.size()) {
            read_symbols(file, section, sections[section.sh_link]);
        }
        if (header.e_shstrndx >= sections.size() || (section.sh_flags & SHF_COMPRESSED)) continue;
        if (file.text(sections[header.e_shstrndx], section.sh_name) != ".debug_line") continue;
        if (const char* lines = file.range(section.sh_offset, section.sh_size)) {
            details_->lines = std::make_unique<LineTable>(lines, section.sh_size);
        }
    }
    for (std::vector<Symbol>* symbols : {&details_->functions, &details_->variables}) {
        std::sort(symbols->begin(), symbols->end(),
                  [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
    }
    std::sort(details_->thread_locals.begin(), details_->thread_locals.end(),
              [](const ThreadLocal& a, const ThreadLocal& b) { return a.offset < b.offset; });
}

void LoadedModule::read_symbols(const File& file, const Elf64_Shdr& table, const Elf64_Shdr& names) const {
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = file.read<Elf64_Sym>(table.sh_offset + at);
        if (symbol.st_shndx == SHN_UNDEF) continue;
        const std::string name = file.text(names, symbol.st_name);
        switch (ELF64_ST_TYPE(symbol.st_info)) {
            case STT_FUNC:
                details_->functions.push_back({symbol.st_value, symbol.st_size, name});
                break;
            case STT_OBJECT:
                // Kernels never read the table of names: an address in it is behind a variable of the program.
                if (name.find(kNameTable) != std::string::npos) break;
                details_->variables.push_back({symbol.st_value, symbol.st_size, name});
                break;
            case STT_TLS:
                details_->thread_locals.push_back(
                    {symbol.st_value, symbol.st_size, last_part(demangled(std::string(name_in_program(name))))});
                details_->thread_local_bytes = std::max(details_->thread_local_bytes, symbol.st_value + symbol.st_size);
                if (name.find(kThreadState) != std::string::npos) details_->thread_state_offset = symbol.st_value;
                break;
            default:
                break;
        }
    }
}

bool LoadedModule::find_variable(uintptr_t address, MemoryRange& range) const {
    const uint64_t at = address - bias_;
    for (const Segment& segment : segments_) {
        if (at - segment.address >= segment.bytes) continue;
        range = {bias_ + segment.address, segment.bytes, true, false, false};
        if (!segment.writable) return true;
        const Symbol* variable = symbol_at(details().variables, at);
        if (variable) range = {bias_ + variable->address, variable->bytes, true, true, true};
        return variable != nullptr;
    }
    return false;
}

char* LoadedModule::thread_locals_here() const {
    if (!table_.thread_state) return nullptr;
    return static_cast<char*>(table_.thread_state()) - details().thread_state_offset;
}

const LoadedModule::Symbol* LoadedModule::symbol_at(const std::vector<Symbol>& symbols, uint64_t address) {
    auto after = std::upper_bound(symbols.begin(), symbols.end(), address,
                                  [](uint64_t value, const Symbol& symbol) { return value < symbol.address; });
    if (after == symbols.begin()) return nullptr;
    const Symbol& symbol = *std::prev(after);
    return address < symbol.address + symbol.bytes ? &symbol : nullptr;
}

std::string LoadedModule::describe_place(const CallChain& calls) const {
    if (!runs_single_threads() && !details().lines) return "";
    std::string fallback;
    for (unsigned i = 0; i < calls.count && contains(calls.places[i]); i++) {
        const uint64_t address = calls.places[i] - 1 - bias_;
        const Symbol* function = symbol_at(details().functions, address);
        if (!function) continue;
        if (details().lines) {
            const SourceLine line = details().lines->find(address, function->address);
            if (line.is_known()) return line.file + ":" + std::to_string(line.line);
        }
        if (fallback.empty()) {
            fallback = demangled(std::string(name_in_program(function->name))) + " + " +
                       std::to_string(address - function->address);
        }
    }
    return fallback;
}

bool LoadedModule::is_of_program(uintptr_t place) const {
    return contains(place) && details().lines && details().lines->is_of_program(place - 1 - bias_);
}

bool LoadedModule::is_from_header(uintptr_t place, const char* name) const {
    return contains(place) && details().lines && details().lines->is_from_header(place - 1 - bias_, name);
}

}  // namespace cuda_shim
